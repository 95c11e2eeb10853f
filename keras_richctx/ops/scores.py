r"""The family of alignment scores: how well does what the decoder is about to say match each source position?

Each function compares queries $s_t$, `(B, T, D_q)`, with keys $h_i$, `(B, S, D_k)`, and returns the scores $e_{ti}$, `(B, T, S)`, before the
softmax. They hold no weights; `Alignment` is the layer that does.
"""

import keras


def cosine_score(query, key):
    r"""Content-based score: the cosine of the angle between query and key.

    $$e_{ti} = \frac{s_t^\top h_i}{\lVert s_t \rVert\, \lVert h_i \rVert}$$

    It lies between -1 and 1, so a softmax over it stays soft; the paper multiplies it by a strength $\beta$ for that reason. A zero vector scores 0.

    Args:
        query: float tensor of shape `(B, T, D)`.
        key: float tensor of shape `(B, S, D)`.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Example:
        >>> cosine_score(np.array([[[3.0, 0.0]]]), np.array([[[5.0, 0.0], [0.0, 2.0], [-1.0, 0.0]]])).numpy()
        array([[[ 1.,  0., -1.]]])

    References:
        [Graves et al., 2014](https://arxiv.org/abs/1410.5401), equation 6.
    """
    _check_same_width("cosine", query, key)
    # e_ti = (s_t / |s_t|) . (h_i / |h_i|)
    return dot_score(_unit(query), _unit(key))


def additive_score(query, key, v, w1=None, w2=None):
    r"""Additive score: a one-layer perceptron over query and key.

    $$e_{ti} = v^\top \tanh(W_1 s_t + W_2 h_i)$$

    Written $W_a [s_t; h_i]$ as well: one matrix over the concatenation is the same two matrices side by side. `keras.layers.AdditiveAttention` is
    something less: it has no $W_1$ and $W_2$, only $v$ (called `scale`), so query and key must share one space already.

    Args:
        query: float tensor of shape `(B, T, D_q)`.
        key: float tensor of shape `(B, S, D_k)`.
        v: float tensor of shape `(U,)`.
        w1: float tensor of shape `(D_q, U)`, or `None` for a query that has been multiplied by it already.
        w2: float tensor of shape `(D_k, U)`, or `None` for keys that have been multiplied by it already: a decoder does that once for all its steps.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Example:
        >>> additive_score(np.ones((1, 1, 2)), np.ones((1, 3, 2)), v=np.ones(2)).shape
        TensorShape([1, 1, 3])

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), appendix A.1.2.
    """
    q = query if w1 is None else _project(query, w1)
    k = key if w2 is None else _project(key, w2)
    # e_ti = v . tanh(W1 s_t + W2 h_i)
    hidden = keras.ops.tanh(q[..., :, None, :] + k[..., None, :, :])  # (B, T, S, U)
    return keras.ops.sum(keras.ops.multiply(v, hidden), axis=-1)


def location_score(query, w):
    r"""Location-based score: the decoder's state alone says where to look.

    $$e_t = W_a\, s_t$$

    One row of $W_a$ belongs to each source position, so it knows no position beyond its last row and never sees what stands there.

    Args:
        query: float tensor of shape `(B, T, D_q)`.
        w: float tensor of shape `(D_q, S)`.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Example:
        >>> location_score(np.ones((1, 2, 4)), np.ones((4, 3))).shape
        TensorShape([1, 2, 3])

    References:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), equation 8.
    """
    # e_t = W_a s_t
    return _project(query, w)


def general_score(query, key, w=None):
    r"""General score: a bilinear form, so query and key may have different widths.

    $$e_{ti} = s_t^\top W_a\, h_i$$

    Args:
        query: float tensor of shape `(B, T, D_q)`.
        key: float tensor of shape `(B, S, D_k)`.
        w: float tensor of shape `(D_k, D_q)`, or `None` for keys that have been multiplied by it already.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Example:
        >>> general_score(np.ones((1, 1, 2)), np.ones((1, 3, 4)), np.ones((4, 2))).numpy()
        array([[[8., 8., 8.]]])

    References:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), equation 8.
    """
    k = key if w is None else _project(key, w)
    # e_ti = s_t . (W_a h_i)
    return dot_score(query, k)


def dot_score(query, key):
    r"""Dot-product score.

    $$e_{ti} = s_t^\top h_i$$

    Args:
        query: float tensor of shape `(B, T, D)`.
        key: float tensor of shape `(B, S, D)`.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Raises:
        ValueError: if query and key have different widths.

    Example:
        >>> dot_score(np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0]]])).numpy()
        array([[[11.]]])

    References:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), equation 8.
    """
    _check_same_width("dot", query, key)
    # e_ti = s_t . h_i
    return keras.ops.matmul(query, keras.ops.swapaxes(key, -1, -2))


def scaled_dot_score(query, key):
    r"""Dot product divided by the square root of the width, so that its variance does not grow with it.

    $$e_{ti} = \frac{s_t^\top h_i}{\sqrt{D}}$$

    Args:
        query: float tensor of shape `(B, T, D)`.
        key: float tensor of shape `(B, S, D)`.

    Returns:
        A float tensor of shape `(B, T, S)`.

    Raises:
        ValueError: if query and key have different widths.

    Example:
        >>> scaled_dot_score(np.ones((1, 1, 4)), np.ones((1, 2, 4))).numpy()
        array([[[2., 2.]]])

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 1.
    """
    _check_same_width("scaled dot", query, key)
    # scaling the query, (B, T, D), is cheaper than scaling the scores, (B, T, S), and cannot overflow half precision
    return dot_score(query * query.shape[-1] ** -0.5, key)


def _unit(x):
    """Divides each vector by its length, in float32 at least, since half precision cannot hold its square; a zero vector stays zero."""
    wide = keras.ops.cast(x, keras.backend.result_type(x.dtype, "float32"))
    # a direction does not hang on the size: first divided by the largest feature, no vector's square is too large or too small to be held
    largest = keras.ops.stop_gradient(keras.ops.max(keras.ops.abs(wide), axis=-1, keepdims=True))
    wide = wide / keras.ops.where(largest == 0.0, 1.0, largest)
    # bounded before the root, whose derivative at zero is infinite
    length = keras.ops.sqrt(keras.ops.maximum(keras.ops.sum(keras.ops.square(wide), axis=-1, keepdims=True), 1e-14))
    return keras.ops.cast(wide / length, x.dtype if "float" in keras.backend.standardize_dtype(x.dtype) else wide.dtype)


def _project(x, w):
    """Multiplies by a matrix; TensorFlow's product for that has a gradient in loops that XLA cannot compile for any number of rows."""
    return keras.ops.einsum("...d,du->...u", x, w)


def _check_same_width(name, query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"The {name} score multiplies query and key feature by feature, so both must have the same width. "
            f"Received: query of shape {tuple(query.shape)}, key of shape {tuple(key.shape)}. "
            "Use the general or the additive score for different widths."
        )
