"""Scaled dot-product attention of many heads at once, with its weights shown or on the fast path: two ways, one result."""

import keras

from keras_richctx.ops.masked_softmax import masked_softmax
from keras_richctx.ops.masks import as_mask, causal_mask, merge_masks
from keras_richctx.ops.scores import scaled_dot_score


def attention_with_weights(query, key, value, mask=None, drop=None):
    r"""Attention as it is defined, with its weights.

    $$A = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right), \qquad \mathrm{Attention}(Q, K, V) = A V$$

    A query that may attend nowhere has weights of zero and a context of zero.

    Args:
        query: float tensor of shape `(B, H, T, K)`.
        key: float tensor of shape `(B, H, S, K)`.
        value: float tensor of shape `(B, H, S, V)`.
        mask: boolean tensor that broadcasts to `(B, H, T, S)`, `True` where attention is allowed, or `None` for everywhere.
        drop: function from weights to weights, dropout, which what is returned does not show; or `None`.

    Returns:
        A pair: the contexts, `(B, H, T, V)`, and the weights, `(B, H, T, S)`.

    Example:
        >>> x = np.ones((1, 2, 3, 4), "float32")
        >>> context, weights = attention_with_weights(x, x, x)
        >>> context.shape, weights.shape
        (TensorShape([1, 2, 3, 4]), TensorShape([1, 2, 3, 3]))

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 1.
    """
    mask = None if mask is None else _checked(mask, query, key)
    # A = softmax(Q K^T / sqrt(d_k))
    weights = masked_softmax(scaled_dot_score(query, key), mask)  # (B, H, T, S)
    return keras.ops.matmul(weights if drop is None else drop(weights), value), weights


def attention(query, key, value, mask=None, causal=False):
    """Attention without its weights, by the backend's own kernel: flash attention where it has one.

    Equal to `attention_with_weights`; a query that may attend nowhere has a context of zero here too, where the kernels alone would give it an average.

    Args:
        query: float tensor of shape `(B, H, T, K)`.
        key: float tensor of shape `(B, H, S, K)`.
        value: float tensor of shape `(B, H, S, V)`.
        mask: boolean tensor that broadcasts to `(B, H, T, S)`, `True` where attention is allowed, or `None` for everywhere.
        causal: boolean, whether position t sees none after t (with `S = T`), besides the mask. Without a mask a kernel can skip what is not seen.

    Returns:
        The contexts, `(B, H, T, V)`.

    Example:
        >>> x = np.ones((1, 2, 3, 4), "float32")
        >>> attention(x, x, x, causal=True).shape
        TensorShape([1, 2, 3, 4])

    References:
        [Dao et al., 2022](https://arxiv.org/abs/2205.14135).
    """
    if keras.backend.backend() == "tensorflow" or query.shape[-1] != value.shape[-1]:  # TensorFlow has no such kernel, JAX's takes one width only
        if causal:
            mask = merge_masks(mask, causal_mask(keras.ops.shape(query)[2], keras.ops.shape(key)[2]))
        return attention_with_weights(query, key, value, mask)[0]
    if mask is not None:
        mask = _checked(mask, query, key)
    query, key, value = (keras.ops.transpose(x, (0, 2, 1, 3)) for x in (query, key, value))  # (B, H, T, K) -> (B, T, H, K)
    context = keras.ops.transpose(keras.ops.dot_product_attention(query, key, value, mask=mask, is_causal=causal), (0, 2, 1, 3))  # (B, H, T, V)
    if mask is None:
        return context
    # a position sees itself under a causal mask, if the other mask lets it
    seen = merge_masks(mask, causal_mask(keras.ops.shape(query)[1], keras.ops.shape(key)[1])) if causal else mask
    return keras.ops.where(keras.ops.any(seen, axis=-1, keepdims=True), context, keras.ops.zeros_like(context))


def _checked(mask, query, key):
    """Returns the mask, boolean, with four axes; raises where one does not fit."""
    mask = as_mask(mask)
    mask = keras.ops.reshape(mask, (*(1,) * (4 - len(mask.shape)), *keras.ops.shape(mask))) if len(mask.shape) < 4 else mask
    wanted = (*query.shape[:3], key.shape[2])
    for axis, name in enumerate(("batch", "heads", "queries", "keys")):
        found, size = mask.shape[axis], wanted[axis]
        if isinstance(found, int) and isinstance(size, int) and found not in (1, size):
            raise ValueError(
                f"A mask of attention broadcasts to (batch, heads, queries, keys). Received: a mask of shape {tuple(mask.shape)} for {wanted}: "
                f"{found} {name} instead of {size}"
            )
    return mask
