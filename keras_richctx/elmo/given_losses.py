"""A loss and a metric for a model that computes the loss of each token itself."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class GivenLoss(keras.losses.Loss):
    """The mean of what the model puts out, over real positions: the sum with the sample weights, divided by their sum.

    A sampled softmax needs the target before it is computed, so it is part of the model. The target that Keras hands over is not looked at.

    Args:
        name: string.
    """

    def __init__(self, name="given_loss", **kwargs):
        super().__init__(name=name, reduction="mean_with_sample_weight")

    def call(self, y_true, y_pred):
        return y_pred

    def get_config(self):
        return {"name": self.name}


@keras.saving.register_keras_serializable("keras_richctx")
class GivenPerplexity(keras.metrics.Mean):
    r"""$e^L$ of the mean L of the losses that the model puts out, over real positions.

    Args:
        name: string. Defaults to `"perplexity"`.
    """

    def __init__(self, name="perplexity", dtype="float32"):
        super().__init__(name=name, dtype=dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_pred, sample_weight=sample_weight)

    def result(self):
        return keras.ops.exp(super().result())
