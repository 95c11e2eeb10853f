"""Where one position's vector comes from, layer by layer: by the weights of each layer, by rollout and by flow."""

import matplotlib
import numpy as np

from keras_richctx.viz import layout
from keras_richctx.viz.attention_flow import attention_flow
from keras_richctx.viz.attention_layers import attention_layers
from keras_richctx.viz.attention_rollout import attention_rollout
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, visible
from keras_richctx.viz.layout import GAP, LINE, MARGIN
from keras_richctx.viz.scale import BAR, Scale, draw_scale
from keras_richctx.viz.style import colours, is_dark, style

WAYS = {"raw": "each layer's own weights", "rollout": "rollout", "flow": "flow"}


def through_layers(weights, tokens, position=0, ways=("raw", "rollout", "flow"), residual=0.5, title=None, dark=None):
    """Draws where the vector of one position comes from after each layer: a panel for each way to reckon it, a row for each layer, the last on top.

    `"raw"` is the mean of the heads of each layer, which says where it looks among vectors that are mixed already; `"rollout"` multiplies the layers, `"flow"`
    searches the largest flow. Each row is divided by its sum. The colours of all panels span 0 to the largest share drawn.

    Args:
        weights: dict from the names of layers, first to last, to arrays of shape `(H, T, T)` or `(1, H, T, T)`, such as `krc.attention_maps` gives for one
            example; or a list of them.
        tokens: list of `T` strings.
        position: integer, whose vector it is. Defaults to 0, [CLS] of BERT.
        ways: tuple out of `"raw"`, `"rollout"` and `"flow"`. Defaults to all three.
        residual: float, the share of the way around each layer. Defaults to `0.5`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        TypeError: if the tokens are not a list of strings.
        ValueError: if a layer is not self-attention over the tokens, for one example, a weight is not in 0 ... 1, a way is unknown, or the position outside.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> layers = [krc.ops.masked_softmax(2 * rng.normal(size=(2, 4, 4))) for _ in range(3)]
        >>> picture = through_layers(layers, ["[CLS]", "a", "word", "[SEP]"])
        >>> picture.savefig("rollout.png")  # doctest: +SKIP

    References:
        [Abnar and Zuidema, 2020](https://arxiv.org/abs/2005.00928), figure 1.
    """
    check_tokens(tokens=tokens)
    unknown = [way for way in ways if way not in WAYS]
    if unknown or not ways:
        raise ValueError(f"ways are out of {', '.join(WAYS)}. Received: ways={ways!r}")
    layers = attention_layers(weights, one=True)
    shares = shares_of(layers, len(tokens), position, ways, residual)
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    (title, *labels), families = drawable([title or "", *map(visible, tokens), *map(visible, layers)])
    scale = Scale(0.0, max(float(np.max(values)) for values in shares.values()), colour["map"])
    with style(dark):
        figure, axes = _new_axes(labels, families, (len(layers), len(tokens)), len(shares), title)
        for ax, (way, values) in zip(axes, shares.items()):
            ax.imshow(values, cmap=scale.colour_map, vmin=scale.low, vmax=scale.high, aspect="auto", interpolation="nearest", origin="lower")
            ax.set_title(WAYS[way])
        _label(axes, labels, families, len(tokens))
        width, _ = figure.get_size_inches()
        draw_scale(figure, (axes[0].get_position().x0 * width, MARGIN + LINE), scale, f"share of what is at {visible(tokens[position])}")
    return figure


def shares_of(layers, length, position, ways, residual=0.5):
    """Computes what is drawn: for each way the share of each input in one position after each layer.

    Args:
        layers: dict from names to arrays of shape `(H, T, T)`.
        length: integer, T.
        position: integer.
        ways: tuple of strings.
        residual: float.

    Returns:
        A dict from ways to arrays of shape `(L, T)`; each row sums to 1, or to 0 where the position may look at nothing.
    """
    if not 0 <= position < length:
        raise ValueError(f"position is one of the tokens, from 0 to {length - 1}. Received: position={position}")
    rollout = attention_rollout(layers, residual)[:, 0, position]  # (L, T)
    if rollout.shape[1] != length:
        raise ValueError(f"There must be a token for each position. Received: {length} tokens, layers of {rollout.shape[1]} positions")
    shares = {}
    for way in ways:
        if way == "raw":
            shares[way] = np.stack([values[:, position].mean(axis=0) for values in layers.values()])
        elif way == "rollout":
            shares[way] = rollout
        else:
            shares[way] = attention_flow(layers, residual, [position])[:, 0]
    return {way: values / np.where(values.sum(axis=1, keepdims=True) > 0, values.sum(axis=1, keepdims=True), 1.0) for way, values in shares.items()}


def _new_axes(labels, families, shape, panels, title):
    """Makes a figure that fits its labels, and the axes of its panels."""
    rows, columns = shape
    words, names = labels[:columns], labels[columns:]
    cell = min(layout.cell_size(1, columns), 11.0 / (panels * columns))
    room = max(layout.text_widths(words, families, 9)) + GAP  # the tokens stand upright below the panels
    left = MARGIN + LINE + max(layout.text_widths(names, families, 9)) + GAP
    width, height = columns * cell, rows * min(max(2.2 / rows, 0.2), 0.45)
    width = max(width, layout.text_widths(["each layer's own weights"], families, 11)[0])
    bottom, top = MARGIN + LINE + BAR + LINE + GAP + room, MARGIN + 1.3 * LINE * (2 if title else 1)
    total = (left + panels * (width + 2 * GAP) + MARGIN, bottom + height + top)
    total = (max(total[0], 2 * MARGIN + layout.text_widths([title], families, 11)[0], left + 5.5), total[1])
    figure = Picture(figsize=total)
    if title:
        figure.text(MARGIN / total[0], 1 - MARGIN / total[1], title, va="top", fontsize=11, family=families, parse_math=False, usetex=False)
    places = [(left + panel * (width + 2 * GAP), bottom, width, height) for panel in range(panels)]
    return figure, [figure.add_axes(PictureAxes(figure, (x / total[0], y / total[1], w / total[0], h / total[1]))) for x, y, w, h in places]


def _label(axes, labels, families, columns):
    """Puts the tokens below all panels, every so many-th where they are many, and the layers beside the first."""
    text = {"family": families, "fontsize": 9, "parse_math": False, "usetex": False}
    for ax in axes:
        step = layout.label_step(ax.get_window_extent().width / ax.figure.dpi / columns, 9)
        ax.set_xticks(range(0, columns, step), labels[:columns:step], rotation=90, **text)
        ax.set_yticks(range(len(labels) - columns), labels[columns:] if ax is axes[0] else [], **text)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    axes[0].set_ylabel("after layer")
