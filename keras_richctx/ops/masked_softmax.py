"""The one softmax of this library: every alignment and every attention weight comes out of it."""

import keras

from keras_richctx.ops.masks import as_mask


def masked_softmax(scores, mask=None, axis=-1):
    r"""Normalises scores over the positions that may be attended; the others get exactly zero.

    $$\alpha_i = \frac{m_i \exp(e_i)}{\sum_j m_j \exp(e_j)}, \qquad \alpha = 0 \text{ where no } m_j \text{ is true}$$

    Scores at masked positions are replaced, not added to, so that neither their size nor a `NaN` among them can leak, and half precision cannot
    overflow. A row without any real position gives zeros (and so a zero context) where a plain softmax gives a uniform average over pads.

    Args:
        scores: float tensor, such as `(B, T, S)` or `(B, H, T, S)`.
        mask: boolean tensor that broadcasts against `scores`, `True` where attention is allowed, or `None` for everywhere.
        axis: integer, the axis that sums to one. Defaults to `-1`.

    Returns:
        A float tensor of the shape and dtype of `scores`; computed in float32 whatever that dtype.

    Raises:
        ValueError: if `mask` holds floats.

    Example:
        >>> masked_softmax(np.zeros((1, 4), "float32"), np.array([[True, True, False, False]])).numpy()
        array([[0.5, 0.5, 0. , 0. ]], dtype=float32)
    """
    dtype = scores.dtype
    e = keras.ops.cast(scores, "float32")
    if mask is None:
        return keras.ops.cast(keras.ops.softmax(e, axis=axis), dtype)
    mask = as_mask(mask)
    e = keras.ops.where(mask, e, -1e30)
    # shifting by the maximum changes nothing in the quotient and keeps exp from overflowing
    e = keras.ops.exp(e - keras.ops.stop_gradient(keras.ops.max(e, axis=axis, keepdims=True)))
    e = keras.ops.where(mask, e, 0.0)
    total = keras.ops.sum(e, axis=axis, keepdims=True)
    # alpha_i = m_i exp(e_i) / sum_j m_j exp(e_j)
    return keras.ops.cast(e / keras.ops.where(total == 0.0, 1.0, total), dtype)
