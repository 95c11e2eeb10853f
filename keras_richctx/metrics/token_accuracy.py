"""Accuracy over real tokens."""

import keras
from keras import ops

from keras_richctx.metrics.positions import position_weights


@keras.saving.register_keras_serializable("keras_richctx")
class TokenAccuracy(keras.metrics.Metric):
    r"""The share of tokens that are predicted right, over the real positions of all batches since the last reset.

    $$\frac{\sum_i w_i\, [\hat y_i = y_i]}{\sum_i w_i}$$

    Padding: a position counts if its sample weight is above zero and the Keras mask of the predictions, where they carry one, is `True`; what a model predicts
    elsewhere does not matter. `Model.compile` hands sample weights to its `weighted_metrics` only, so pass the metric there.

    Args:
        name: string. Defaults to `"token_accuracy"`.
        dtype: string or `None`, the dtype of the sums, float32 at least. Defaults to `None`, for Keras' float type.

    Call arguments:
        y_true: integer tensor of shape `(B, T)`.
        y_pred: float tensor of shape `(B, T, V)`, logits or probabilities, of which the highest counts; or integer tensor of shape `(B, T)`, the predicted ids.
        sample_weight: float tensor of shape `(B, T)`, `(B, 1)` or `(B,)`, or `None` for 1 everywhere.

    Returns:
        `result()` gives a float tensor of rank 0, and 0 before any position counted.

    Raises:
        ValueError: if predictions and labels have other shapes.

    Example:
        >>> metric = TokenAccuracy()
        >>> metric.update_state([[3, 5, 0]], [[3, 4, 0]], sample_weight=[[1.0, 1.0, 0.0]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, name="token_accuracy", dtype=None):
        super().__init__(name=name, dtype=dtype)
        precise = keras.backend.result_type(self.dtype, "float32")  # a half-precision count stops at 2048
        self.right = self.add_variable(shape=(), initializer="zeros", dtype=precise, name="right")
        self.count = self.add_variable(shape=(), initializer="zeros", dtype=precise, name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch."""
        y_true, mask_holder, y_pred = ops.convert_to_tensor(y_true), y_pred, ops.convert_to_tensor(y_pred)
        sizes = zip(y_true.shape, y_pred.shape)  # B and T, where they are known
        if len(y_pred.shape) not in (2, 3) or len(y_true.shape) != 2 or any(isinstance(m, int) and isinstance(n, int) and m != n for m, n in sizes):
            raise ValueError(
                "TokenAccuracy takes y_true of shape (batch, length) and y_pred of shape (batch, length) or (batch, length, vocabulary). "
                f"Received: y_true of shape {tuple(y_true.shape)}, y_pred of shape {tuple(y_pred.shape)}."
            )
        weights = position_weights(y_true, mask_holder, sample_weight, self.right.dtype)  # (B, T)
        ids = ops.argmax(y_pred, axis=-1) if len(y_pred.shape) == 3 else y_pred  # (B, T)
        right = ops.cast(ids, "int32") == ops.cast(y_true, "int32")  # (B, T)
        self.right.assign_add(ops.sum(ops.where(right, weights, 0)))
        self.count.assign_add(ops.sum(weights))

    def result(self):
        """Gives the share of right tokens."""
        return ops.divide_no_nan(self.right, self.count)
