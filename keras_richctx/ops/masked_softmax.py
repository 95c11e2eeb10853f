"""The one softmax of this library: every alignment and every attention weight comes out of it."""

import keras

from keras_richctx.ops.masks import as_mask

LOWEST = -3.4e38  # about the lowest number of float32


def masked_softmax(scores, mask=None, axis=-1):
    r"""Normalises scores over the positions that may be attended; the others get exactly zero.

    $$\alpha_i = \frac{m_i \exp(e_i)}{\sum_j m_j \exp(e_j)}, \qquad \alpha = 0 \text{ where no } m_j \text{ is true}$$

    Scores at masked positions are replaced, not added to, so that neither their size nor a `NaN` among them can leak, and half precision cannot
    overflow. A row without any real position gives zeros (and so a zero context) where a plain softmax gives a uniform average over pads.

    Args:
        scores: float tensor, such as `(B, T, S)` or `(B, H, T, S)`.
        mask: boolean tensor that broadcasts to the shape of `scores`, `True` where attention is allowed, or `None` for everywhere.
        axis: integer, the axis that sums to one. Defaults to `-1`.

    Returns:
        A float tensor of the shape and dtype of `scores`; computed in float32 whatever that dtype. Integers give float32.

    Raises:
        ValueError: if `mask` holds floats, or does not broadcast to the shape of `scores`.

    Example:
        >>> masked_softmax(np.zeros((1, 4), "float32"), np.array([[True, True, False, False]])).numpy()
        array([[0.5, 0.5, 0. , 0. ]], dtype=float32)
    """
    scores = keras.ops.convert_to_tensor(scores)
    dtype = scores.dtype if "float" in keras.backend.standardize_dtype(scores.dtype) else "float32"
    e = keras.ops.cast(scores, "float32")
    if mask is None:
        return keras.ops.cast(keras.ops.softmax(e, axis=axis), dtype)
    mask = as_mask(mask)
    _check_broadcasts(mask.shape, scores.shape)
    e = keras.ops.where(mask, e, LOWEST)
    # shifting by the maximum changes nothing in the quotient and keeps exp from overflowing
    e = keras.ops.exp(e - keras.ops.stop_gradient(keras.ops.max(e, axis=axis, keepdims=True, initial=LOWEST)))
    e = keras.ops.where(mask, e, 0.0)
    total = keras.ops.sum(e, axis=axis, keepdims=True)
    # alpha_i = m_i exp(e_i) / sum_j m_j exp(e_j)
    return keras.ops.cast(e / keras.ops.where(total == 0.0, 1.0, total), dtype)


def _check_broadcasts(mask_shape, shape):
    """Raises unless a mask of `mask_shape` broadcasts to `shape`, as far as both are known."""
    pairs = zip(reversed(mask_shape), reversed(shape))
    if len(mask_shape) > len(shape) or any(isinstance(m, int) and isinstance(n, int) and m not in (1, n) for m, n in pairs):
        raise ValueError(f"A mask broadcasts to the shape of the scores. Received: a mask of shape {tuple(mask_shape)}, scores of shape {tuple(shape)}")
