"""Which positions a token metric counts."""

from keras import ops
from keras.src.backend import get_keras_mask  # Keras sets masks in public and reads them in private


def position_weights(y_true, y_pred, sample_weight, dtype):
    """Gives each position its weight: the sample weight where it is above zero and the prediction is not masked, else zero.

    Args:
        y_true: tensor of shape `(B, T)`.
        y_pred: tensor whose Keras mask, if it has one, is a boolean tensor of shape `(B, T)`, `True` at real positions.
        sample_weight: tensor of shape `(B, T)`, or `(B,)` or `(B, 1)` for a weight of the whole sequence, or `None` for 1 everywhere.
        dtype: string, the dtype of the weights.

    Returns:
        A float tensor of shape `(B, T)`.
    """
    weights = ops.ones(ops.shape(y_true), dtype=dtype)
    if sample_weight is not None:
        sample_weight = ops.cast(sample_weight, dtype)
        if len(sample_weight.shape) < len(y_true.shape):
            sample_weight = ops.expand_dims(sample_weight, -1)  # (B,) -> (B, 1)
        weights = weights * ops.where(sample_weight > 0, sample_weight, 0)  # (B, T)
    mask = get_keras_mask(y_pred)
    return weights if mask is None else ops.where(mask, weights, 0)
