"""A text of any length as one vector."""

import keras

from keras_richctx.ops.masks import as_mask


@keras.saving.register_keras_serializable("keras_richctx")
class ConcatPooling(keras.layers.Layer):
    r"""Puts the last state of a sequence, the largest of each feature over all steps and the mean side by side.

    $$h_c = [\,h_T,\; \mathrm{maxpool}(h_1, \dots, h_T),\; \mathrm{meanpool}(h_1, \dots, h_T)\,]$$

    What tells the class of a text may be a few words anywhere in it, which the last state alone would have to carry to the end. Padding: $h_T$ is the last real
    position, and the two pools are over real positions only, on whichever side pads stand; a row of pads alone gives zeros.

    Args:
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        sequence: float tensor of shape `(B, T, D)`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A float tensor of shape `(B, 3 D)`.

    Example:
        >>> h = np.array([[[1.0], [5.0], [3.0], [9.0]]], "float32")
        >>> ConcatPooling()(h, mask=np.array([[True, True, True, False]])).numpy()
        array([[3., 5., 3.]], dtype=float32)

    References:
        [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), section 3.3.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, sequence, mask=None):
        mask = keras.ops.ones_like(sequence[..., 0], dtype="bool") if mask is None else as_mask(mask)
        real = mask[..., None]  # (B, T, 1)
        positions = keras.ops.arange(keras.ops.shape(sequence)[1])[None, :, None]  # (1, T, 1)
        last = keras.ops.logical_and(real, positions == keras.ops.max(keras.ops.where(real, positions, 0), axis=1, keepdims=True))  # one True a row
        known = keras.ops.where(real, sequence, 0)  # whatever stands at pads
        last = keras.ops.sum(keras.ops.where(last, sequence, 0), axis=1)  # (B, D)
        some = keras.ops.any(real, axis=1)  # (B, 1)
        largest = keras.ops.where(some, keras.ops.max(keras.ops.where(real, sequence, float("-inf")), axis=1), 0)
        count = keras.ops.maximum(keras.ops.sum(keras.ops.cast(real, "float32"), axis=1), 1)  # (B, 1)
        mean = keras.ops.sum(keras.ops.cast(known, "float32"), axis=1) / count  # half precision would lose the end of a long text
        # h_c = [h_T, maxpool(H), meanpool(H)]
        return keras.ops.concatenate([last, largest, keras.ops.cast(mean, last.dtype)], axis=-1)  # (B, 3 D)

    def compute_mask(self, sequence, mask=None):
        return None

    def compute_output_shape(self, sequence_shape):
        return (sequence_shape[0], 3 * sequence_shape[-1])
