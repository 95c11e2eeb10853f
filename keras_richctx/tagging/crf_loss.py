"""The loss of a conditional random field, for `compile`."""

import weakref

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class CRFLoss(keras.losses.Loss):
    r"""The negative log-likelihood of the tags under a CRF layer, in nats: what `crf.loss` gives.

    $$L = -\frac1B \sum_{i=1}^{B} \log p(y_i)$$

    Positions of a negative tag are masked: they are pads.

    A saved model keeps the layer, its weights and the loss, but a loss that was loaded does not know which layer is its own: before a loaded model trains on,
    `model.compile(model.optimizer, loss=model.get_layer("crf").loss)`. Predictions need no loss.

    Args:
        crf: `CRF` layer, or `None` in a loaded model. Defaults to `None`.
        reduction: as in Keras' losses, over the rows. Defaults to `"sum_over_batch_size"`, their mean.
        name: string. Defaults to `"crf_loss"`.
        **kwargs: passed to `keras.losses.Loss`.

    Call arguments:
        y_true: integer tensor of shape `(B, T)`, the tags, negative at pads.
        y_pred: float tensor of shape `(B, T, K)`, the emissions.

    Returns:
        A float tensor of rank 0.

    Example:
        >>> crf = krc.layers.CRF(2, transitions_initializer="zeros")
        >>> round(float(crf.loss(np.array([[0, 1, -1]]), np.zeros((1, 3, 2)))), 4)  # 2 log 2
        1.3863
    """

    def __init__(self, crf=None, reduction="sum_over_batch_size", name="crf_loss", **kwargs):
        super().__init__(name=name, reduction=reduction, **kwargs)
        self.crf = None if crf is None else weakref.ref(crf)  # the model keeps the layer, and saves it in its own place

    def call(self, y_true, y_pred):
        if self.crf is None:
            raise ValueError("A CRF loss that was loaded does not know its layer. Compile the model again, with loss=model.get_layer(name).loss of its CRF")
        tags = keras.ops.cast(y_true, "int32")
        # -log p(y)
        return -self.crf().log_likelihood(y_pred, tags, mask=tags >= 0)  # (B,)
