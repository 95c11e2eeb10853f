"""How much attention goes to the tokens that are no words: [CLS], [SEP] and marks, by layer."""

import unicodedata

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from keras_richctx.viz.attention_layers import attention_layers, check_weights, mean_over_queries
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.head_measures import even_attention, token_links
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.layer_axis import draw_heads, label_layers
from keras_richctx.viz.style import colours, is_dark, style

STARTS, ENDS = ("[CLS]", "<s>"), ("[SEP]", "</s>", "<|endoftext|>")
MARKERS = ("o", "s", "^", "D", "v")


def special_kinds(tokens):
    """Sorts the tokens that are no words by kind.

    Args:
        tokens: list of strings, or list of such lists.

    Returns:
        A dict from names to the tokens of that kind that occur: `"[CLS]"`, `"[SEP]"` (also as other models spell them) and `"marks"`, those of punctuation.

    Example:
        >>> special_kinds(["[CLS]", "yes", ",", "no", ".", "[SEP]"])
        {'[CLS]': ['[CLS]'], '[SEP]': ['[SEP]'], 'marks': [',', '.']}
    """
    known = sorted({token for row in ([tokens] if tokens and isinstance(tokens[0], str) else tokens) for token in row})
    marks = [token for token in known if (bare := token.lstrip("Ġ▁").removeprefix("##")) and all(unicodedata.category(c).startswith("P") for c in bare)]
    kinds = {"[CLS]": [t for t in known if t in STARTS], "[SEP]": [t for t in known if t in ENDS], "marks": marks}
    return {name: found for name, found in kinds.items() if found}


def special_tokens(weights, tokens, kinds=None, mask=None, title=None, dark=None):
    """Draws the share of each head's attention that goes to [CLS], to [SEP] and to marks, layer by layer.

    A dot is a head, a line the mean of a layer, both over all real queries. The dotted line of the same colour is what attention gives them that is spread
    evenly over all keys that have any weight.

    Args:
        weights: dict from the names of layers to arrays of shape `(B, H, T, S)`, such as `krc.attention_maps` gives, or a list of them.
        tokens: list of `S` strings, the keys; of several examples a list of B such lists.
        kinds: dict from names to the tokens of that kind, or `None` for those of `special_kinds`. Defaults to `None`.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no layer, no kind of token, not one token for each key, or a weight is not in 0 ... 1.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> layers = [krc.ops.masked_softmax(rng.normal(size=(1, 4, 4, 4))) for _ in range(3)]
        >>> picture = special_tokens(layers, ["[CLS]", "word", ".", "[SEP]"])
        >>> picture.savefig("special.png")  # doctest: +SKIP

    References:
        [Clark et al., 2019](https://arxiv.org/abs/1906.04341), figure 2.
    """
    layers = attention_layers(weights)
    kinds = special_kinds(tokens) if kinds is None else kinds
    if not kinds:
        raise ValueError(f"There is no special token among the tokens. Name some in kinds. Received: kinds={kinds}")
    shares, even = token_shares(layers, tokens, kinds, mask), token_shares({k: even_attention(v) for k, v in layers.items()}, tokens, kinds, mask)
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    labels, families = drawable([title or "", *map(visible, kinds)])
    with style(dark):
        figure = Picture(figsize=(7.5, 3.8), layout="constrained")
        ax = figure.add_subplot(axes_class=PictureAxes)
        for k, (kind, label) in enumerate(zip(kinds, labels[1:])):
            draw_heads(ax, shares[kind], to_hex(f"C{k % 5}"), label=None, of_means=label, marker=MARKERS[k % 5])
            ax.plot(range(1, len(layers) + 1), [row.mean() for row in even[kind]], ":", color=to_hex(f"C{k % 5}"), lw=1.2)
        ax.plot([], [], ":", color=colour["ink"], lw=1.2, label="spread evenly")
        label_layers(ax, list(layers), colour)
        ax.set(ylabel="share of the attention", ylim=(-0.02, 1.02))
        legend = ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
        for text in legend.get_texts():
            text.set(family=families, parse_math=False)
        if labels[0]:
            ax.set_title(labels[0], loc="left", family=families, parse_math=False, usetex=False)
    return figure


def token_shares(weights, tokens, kinds, mask=None):
    """Computes the share of each head's attention that goes to each kind of token.

    Args:
        weights: dict from the names of layers to arrays of shape `(B, H, T, S)`, or a list of them.
        tokens: list of `S` strings, or a list of B such lists.
        kinds: dict from names to the tokens of that kind.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.

    Returns:
        A dict from the names of the kinds to lists of arrays of shape `(H,)`, one for each layer. The mean goes over all real queries, those too whose row has
        no such token.

    Raises:
        ValueError: if there is not one token for each key.
    """
    shares = {}
    for kind, wanted in kinds.items():
        shares[kind] = []
        for name, values in attention_layers(weights).items():
            batch, _, queries, keys = values.shape
            rows = [tokens] * batch if tokens and isinstance(tokens[0], str) else tokens
            if len(rows) != batch or any(len(row) != keys for row in rows):
                raise ValueError(f"There must be a token for each key of {name!r}, {keys}. Received: {len(rows)} rows of {sorted(set(map(len, rows)))}")
            values, real = check_weights(values, mask)
            given = np.einsum("bhts,bts->bht", values, token_links(rows, wanted, queries))  # to tokens of this kind
            shares[kind].append(mean_over_queries(given, real[:, None]))
    return shares
