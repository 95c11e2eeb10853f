"""Perplexity over real tokens."""

import keras
from keras import ops

from keras_richctx.metrics.positions import position_weights


@keras.saving.register_keras_serializable("keras_richctx")
class Perplexity(keras.metrics.Metric):
    r"""The perplexity of the real tokens of all batches since the last reset.

    $$\exp\Bigl(-\frac{\sum_i w_i \log p(y_i)}{\sum_i w_i}\Bigr)$$

    The mean is taken over all tokens before the exponential: it is not the mean of the batches' perplexities, which depends on how tokens fall into batches.

    Padding: a position counts if its sample weight is above zero and the Keras mask of the predictions, where they carry one, is `True`; neither labels nor
    predictions matter elsewhere, not even a NaN. `Model.compile` hands sample weights to its `weighted_metrics` only, so pass the metric there.

    Args:
        from_logits: boolean, whether the predictions are logits rather than probabilities. Defaults to `True`.
        name: string. Defaults to `"perplexity"`.
        dtype: string or `None`, the dtype of the sums, float32 at least. Defaults to `None`, for Keras' float type.

    Call arguments:
        y_true: integer tensor of shape `(B, T)`.
        y_pred: float tensor of shape `(B, T, V)`.
        sample_weight: float tensor of shape `(B, T)`, `(B, 1)` or `(B,)`, or `None` for 1 everywhere.

    Returns:
        `result()` gives a float tensor of rank 0, and 0 before any position counted.

    Raises:
        ValueError: if the predictions are not of rank 3, or the labels not of rank 2.

    Example:
        >>> metric = Perplexity()
        >>> metric.update_state([[3, 5, 0]], keras.ops.zeros((1, 3, 8)), sample_weight=[[1.0, 1.0, 0.0]])
        >>> round(float(metric.result()), 4)
        8.0
    """

    def __init__(self, from_logits=True, name="perplexity", dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.from_logits = from_logits
        precise = keras.backend.result_type(self.dtype, "float32")  # a half-precision count stops at 2048
        self.total = self.add_variable(shape=(), initializer="zeros", dtype=precise, name="total")
        self.count = self.add_variable(shape=(), initializer="zeros", dtype=precise, name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch."""
        y_true, mask_holder, y_pred = ops.convert_to_tensor(y_true), y_pred, ops.convert_to_tensor(y_pred)
        if len(y_pred.shape) != 3 or len(y_true.shape) != 2:
            raise ValueError(
                "Perplexity takes y_true of shape (batch, length) and y_pred of shape (batch, length, vocabulary). "
                f"Received: y_true of shape {tuple(y_true.shape)}, y_pred of shape {tuple(y_pred.shape)}."
            )
        weights = position_weights(y_true, mask_holder, sample_weight, self.total.dtype)  # (B, T)
        real = weights > 0
        # -log p(y), with a label that exists at pads
        labels = ops.where(real, ops.cast(y_true, "int32"), 0)
        losses = ops.sparse_categorical_crossentropy(labels, ops.cast(y_pred, self.total.dtype), from_logits=self.from_logits)  # (B, T)
        self.total.assign_add(ops.sum(ops.where(real, weights * losses, 0)))
        self.count.assign_add(ops.sum(weights))

    def result(self):
        """Gives the exponential of the mean loss of a token."""
        return ops.where(self.count > 0, ops.exp(ops.divide_no_nan(self.total, self.count)), 0)

    def get_config(self):
        return {**super().get_config(), "from_logits": self.from_logits}
