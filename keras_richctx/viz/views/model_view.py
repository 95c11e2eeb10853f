"""The attention of all layers and heads at once."""

from keras_richctx.viz.views.example import make_example
from keras_richctx.viz.views.page import make_page


def model_view(weights, tokens=None, target_tokens=None, segments=None, title=None, dark=None):
    """Shows every head of every layer as a small heat map, layers from top to bottom, heads from left to right; one is enlarged on a click.

    In each the queries run from top to bottom and the keys from left to right. Of more tokens than a small map has points, each point is the largest of the
    weights that it stands for. The colours span 0 ... 1, so that all can be compared, or on demand 0 to the largest weight of each head.

    Args:
        weights: dict from the names of layers to arrays of shape `(H, T, S)`, from 0 to 1, of one example; or a list of such arrays.
        tokens: as of `head_view`. Defaults to `None`.
        target_tokens: as of `head_view`. Defaults to `None`.
        segments: as of `head_view`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if tokens or segments do not fit the weights, there is no layer, or a weight is not in 0 ... 1.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> weights = {f"layer {k}": krc.ops.masked_softmax(rng.normal(size=(4, 5, 5))) for k in (1, 2)}
        >>> view = model_view(weights, ["the", "cat", "sat", "there", "."])
        >>> view.save("heads.html")  # doctest: +SKIP

    References:
        [Vig, 2019](https://arxiv.org/abs/1906.05714), the model view.
    """
    layers, data = make_example(weights, tokens, target_tokens, segments)
    return make_page("model", data, ["heatmap", "pairs"], title, "Attention of all layers and heads", dark, height=min(190 + 92 * len(layers), 760))
