"""The normalisation of a block."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("keras_richctx")
class LayerNorm(keras.layers.LayerNormalization):
    r"""`keras.layers.LayerNormalization` over the last axis, whose statistics JAX takes in one pass.

    $$\mu = c + \mathbb{E}[x - c], \qquad \sigma^2 = \mathbb{E}[(x - c)^2] - \mathbb{E}[x - c]^2, \qquad c = x_1$$

    Keras' variance waits for the mean, which is one more program of a GPU for each of the two normalisations of a block: a twelfth of the time of a token that
    GPT-2 writes. Both hold for any $c$, and with the first feature for it, little is lost by the difference, however far from zero the features lie: as
    $(\mu - x_1)^2 \le (D - 1)\,\sigma^2$, at most $D$ times the rounding of float32. On other backends it is Keras' own.

    Masking: it is passed on.

    Args:
        **kwargs: arguments of `keras.layers.LayerNormalization`, but for `axis`, `rms_scaling`, `center` and `scale`, which keep their defaults.

    Call arguments:
        inputs: float tensor of shape `(..., D)`.

    Returns:
        A float tensor of the same shape.

    Raises:
        ValueError: if one of those is given another value.

    Example:
        >>> LayerNorm()(np.array([[1.0, 3.0]])).numpy().round(2)
        array([[-1.,  1.]], dtype=float32)

    References:
        [Ba et al., 2016](https://arxiv.org/abs/1607.06450).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if self.axis not in (-1, [-1]) or self.rms_scaling or not (self.center and self.scale):
            raise ValueError(f"axis, rms_scaling, center and scale keep their defaults. Received: {sorted(kwargs)}. Take keras.layers.LayerNormalization.")

    def call(self, inputs):
        if keras.backend.backend() != "jax":
            return super().call(inputs)
        x = ops.cast(inputs, keras.backend.result_type(inputs.dtype, "float32"))
        x = x - ops.stop_gradient(x[..., :1])  # the result does not depend on it
        mean = ops.mean(x, axis=-1, keepdims=True)
        variance = ops.maximum(ops.mean(ops.square(x), axis=-1, keepdims=True) - ops.square(mean), 0.0)
        gamma, beta = ops.cast(self.gamma, x.dtype), ops.cast(self.beta, x.dtype)
        # gamma (x - mu) / sqrt(sigma^2 + epsilon) + beta
        return ops.cast((x - mean) * (ops.rsqrt(variance + self.epsilon) * gamma) + beta, self.compute_dtype)
