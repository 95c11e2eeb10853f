"""An alignment as a matrix or as lines, for a browser."""

from keras_richctx.viz.alignment import check_alignment, check_gold
from keras_richctx.viz.views.example import side_data
from keras_richctx.viz.views.page import make_page
from keras_richctx.viz.views.quantise import pack_codes, quantise


def alignment_view(weights, source_tokens, target_tokens, gold=None, title=None, dark=None):
    """Shows which source words each target word attended to: the heat map of `viz.alignment` or lines between the words, as the reader likes.

    Pointing at a cell or a word says its weights. A source that is written from right to left runs from right to left.

    Args:
        weights: array of shape `(T, S)`, from 0 to 1; `weights[t, s]` says how much target token `t` attended to source token `s`.
        source_tokens: list of `S` strings.
        target_tokens: list of `T` strings.
        gold: iterable of index pairs `(source, target)` whose cells are outlined in the matrix, or `None`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if the shape of the weights is not that of the tokens, there is no token, a weight is not in 0 ... 1, or a gold link is outside.

    Example:
        >>> view = alignment_view([[0.9, 0.1], [0.2, 0.8]], ["the", "cat"], ["le", "chat"], gold={(0, 0), (1, 1)})
        >>> view.save("alignment.html")  # doctest: +SKIP

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), figure 3.
    """
    weights = check_alignment(weights, source_tokens, target_tokens)
    links = check_gold(gold, *weights.shape)
    codes, steps = quantise(weights[None])
    layer = {"name": "alignment", "queries": 0, "keys": 1, "shape": list(codes.shape), "steps": steps.tolist(), **pack_codes(codes)}
    data = {"sides": [side_data(list(target_tokens)), side_data(list(source_tokens))], "layers": [layer], "gold": links}
    height = min(max(250 + 30 * len(target_tokens), 360), 700)
    return make_page("alignment", data, ["lines", "heatmap", "pairs"], title, "Which source words each target word attended to", dark, height)
