"""Cross-entropy against labels that are not quite sure."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class SmoothedCrossentropy(keras.losses.Loss):
    r"""The cross-entropy of logits against integer labels, of which a part $\varepsilon$ is shared out over all classes.

    $$L = -\sum_v q_v \log p_v = -\log p_y + \varepsilon\, \Bigl(z_y - \frac{1}{V} \sum_v z_v\Bigr), \qquad
    q_v = (1 - \varepsilon)\, [\,v = y\,] + \frac{\varepsilon}{V}$$

    It is `keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=...)` without the one-hot labels, a tensor as large as the logits. A model is
    kept from being ever surer; its perplexity grows a little and its translations get better.

    Args:
        label_smoothing: float of at least zero and below one, $\varepsilon$. Defaults to `0.1`, the paper's.
        reduction: as in Keras' losses. Defaults to `"mean_with_sample_weight"`: with weights of zero at pads, the sum over real positions divided by their
            number.
        name: string. Defaults to `"smoothed_crossentropy"`.
        **kwargs: passed to `keras.losses.Loss`.

    Raises:
        ValueError: if `label_smoothing` is out of its range.

    Example:
        >>> loss = SmoothedCrossentropy(0.1)
        >>> round(float(loss(np.array([[0]]), np.array([[[2.0, 0.0]]]))), 4)
        0.2269

    References:
        [Szegedy et al., 2016](https://arxiv.org/abs/1512.00567), section 7; [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 5.4.
    """

    def __init__(self, label_smoothing=0.1, reduction="mean_with_sample_weight", name="smoothed_crossentropy", **kwargs):
        super().__init__(name=name, reduction=reduction, **kwargs)
        if not 0 <= label_smoothing < 1:
            raise ValueError(f"A part of the label is shared out, at least zero and below one. Received: label_smoothing={label_smoothing!r}")
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        logits = keras.ops.convert_to_tensor(y_pred, dtype="float32")
        loss = keras.ops.sparse_categorical_crossentropy(y_true, logits, from_logits=True)  # -log p_y
        if not self.label_smoothing:
            return loss
        right = keras.ops.take_along_axis(logits, keras.ops.cast(y_true, "int32")[..., None], axis=-1)[..., 0]
        # L = -log p_y + epsilon (z_y - mean_v z_v)
        return loss + self.label_smoothing * (right - keras.ops.mean(logits, axis=-1))

    def get_config(self):
        return {**super().get_config(), "label_smoothing": self.label_smoothing}
