"""Attention as lines between tokens."""

from keras_richctx.viz.views.example import make_example
from keras_richctx.viz.views.page import make_page


def head_view(weights, tokens=None, target_tokens=None, segments=None, title=None, dark=None):
    """Shows attention as lines from each token, on the left, to those that it looks at, on the right: the stronger the line, the larger the weight.

    The reader picks a layer, ticks heads, and points at a token: its lines alone are drawn, and a sentence says where it looks, "'it' looks at 'animal' 0.62".
    Heads are sorted by entropy, by distance, or by what they give to the token that was picked; tokens such as `[CLS]` are hidden, sub-words joined, and of
    pairs of sentences one direction alone is shown. A weight to a joined word is the sum over its tokens, that from it the mean over them; what is hidden is
    left out and the rest stays as it is, so rows may then sum to less than 1. Entropy and distance are over all tokens.

    All of it works with the keyboard: tab, arrows, Enter to hold a token, Escape to let go.

    Args:
        weights: dict from the names of layers to arrays of shape `(H, T, S)`, from 0 to 1, of one example; or a list of such arrays. `weights[name][h, t, s]`
            says how much query `t` attended to key `s` in head `h`. They are kept to 1/510 at least, see `viz.views.quantise`.
        tokens: list of `S` strings, what stands at the keys, and at the queries if there are no `target_tokens`; or a dict from the names of layers to such
            lists; `None` to number the positions, from 0. Defaults to `None`.
        target_tokens: list of `T` strings, what stands at the queries, where that is another sequence, or a dict; or `None`. Layers within one of the two
            sequences are known by their shapes; where both are equally long, all are taken to go from one to the other. Defaults to `None`.
        segments: list of `S` integers, 0 for sentence A and 1 for sentence B, for layers within one sequence; or `None`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if tokens or segments do not fit the weights, there is no layer, or a weight is not in 0 ... 1.

    Example:
        >>> weights = krc.ops.masked_softmax(np.random.default_rng(0).normal(size=(4, 5, 5)))
        >>> view = head_view({"layer 1": weights}, ["the", "cat", "sat", "there", "."], title="Four heads, untrained")
        >>> view.save("lines.html")  # doctest: +SKIP

    References:
        [Vig, 2019](https://arxiv.org/abs/1906.05714), the head view.
    """
    _, data = make_example(weights, tokens, target_tokens, segments)
    longest = max(len(side["labels"]) for side in data["sides"])
    return make_page("head", data, ["lines", "pairs"], title, "Attention as lines between tokens", dark, height=min(max(230 + 22 * longest, 360), 640))
