"""A penalty that asks attention to look at every source position once."""

import keras

from keras_richctx.ops.batch_ratio import batch_ratio


def coverage_penalty(weights, query_mask, source_mask):
    r"""Measures how far the attention that each source position receives, over all queries, is from one.

    $$\frac{1}{|S|} \sum_{i \in S} \Bigl(1 - \sum_{t \in T} \alpha_{ti}\Bigr)^2$$

    The weights of a query sum to one by construction; added to a loss, this asks the same of the weights of a source position ("doubly stochastic
    attention"). In translation it keeps an article from being translated by a look at its noun, which is where its gender stands, and then the noun by
    another look at the same place, while nobody looks at the article. It supposes that most words translate one to one.

    Args:
        weights: float tensor of shape `(B, T, S)`, attention weights.
        query_mask: boolean tensor of shape `(B, T)`, `True` at real queries.
        source_mask: boolean tensor of shape `(B, S)`, `True` at real source positions.

    Returns:
        A float32 scalar, the mean over all real source positions of the batch; zero if there are none.

    Example:
        >>> weights = np.array([[[1.0, 0.0], [1.0, 0.0]]])  # both queries look at the first position
        >>> real = np.ones((1, 2), "bool")
        >>> float(coverage_penalty(weights, real, real))
        1.0

    References:
        [Xu et al., 2015](https://arxiv.org/abs/1502.03044), equation 14, with the sum over positions divided by their number.
    """
    weights = keras.ops.cast(weights, "float32")
    queries = keras.ops.cast(query_mask, "float32")[:, :, None]  # (B, T, 1)
    source = keras.ops.cast(source_mask, "float32")  # (B, S)
    # sum_t alpha_ti
    received = keras.ops.sum(weights * queries, axis=1)  # (B, S)
    return batch_ratio(source * keras.ops.square(1.0 - received), source)
