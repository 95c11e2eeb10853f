"""Positions as waves of many lengths, with no weights."""

import keras

from keras_richctx.transformer.positions import add_positions, default_positions


def sinusoids(positions, width, max_wavelength=10_000):
    r"""Encodes positions as the phases of waves, from short to long.

    $$\mathrm{PE}_{p,\,2i} = \sin(p\, \omega_i), \qquad \mathrm{PE}_{p,\,2i+1} = \cos(p\, \omega_i), \qquad \omega_i = 10000^{-2i / D}$$

    A step of $k$ turns each pair by the angle $k\, \omega_i$, whatever the position: that is how a layer can learn to look $k$ words back. Computed in float32;
    half precision could not tell positions beyond some hundreds apart.

    Args:
        positions: integer tensor of any shape.
        width: integer, D.
        max_wavelength: number, the base of the wavelengths, $2 \pi$ to about $2 \pi$ times this. Defaults to `10000`.

    Returns:
        A float32 tensor of the shape of `positions`, and one more axis of `width`.

    Example:
        >>> sinusoids(np.array([0, 1]), 4).numpy().round(3)
        array([[0.   , 1.   , 0.   , 1.   ],
               [0.841, 0.54 , 0.01 , 1.   ]], dtype=float32)

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5.
    """
    feature = keras.ops.arange(width, dtype="int32")
    pair = keras.ops.cast(feature // 2, "float32")
    # omega_i = 10000^(-2 i / D)
    frequency = keras.ops.exp(pair * (-2.0 / width) * keras.ops.log(keras.ops.convert_to_tensor(float(max_wavelength), dtype="float32")))
    angle = keras.ops.cast(positions, "float32")[..., None] * frequency  # (..., D)
    return keras.ops.where(feature % 2 == 0, keras.ops.sin(angle), keras.ops.cos(angle))


@keras.saving.register_keras_serializable("keras_richctx")
class SinusoidalPositions(keras.layers.Layer):
    """Adds the encoding of each position, `sinusoids`, to the vectors there; it has no weights and knows no longest position.

    Args:
        max_wavelength: number, as in `sinusoids`. Defaults to `10000`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        positions: integer tensor of shape `(T,)` or `(B, T)`, or `None` for 0 to T - 1. With pads on the left, count from the first real one.

    Returns:
        A float tensor of shape `(B, T, D)`.

    Example:
        >>> SinusoidalPositions()(np.zeros((1, 2, 4), "float32")).numpy()[0, 0]
        array([0., 1., 0., 1.], dtype=float32)

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5.
    """

    def __init__(self, max_wavelength=10_000, **kwargs):
        super().__init__(**kwargs)
        if not 0 < max_wavelength < float("inf"):
            raise ValueError(f"max_wavelength is a number above zero. Received: max_wavelength={max_wavelength!r}")
        self.max_wavelength = max_wavelength
        self.supports_masking = True

    def build(self, input_shape):
        pass

    def call(self, inputs, positions=None):
        positions = default_positions(inputs) if positions is None else positions
        return add_positions(inputs, sinusoids(positions, inputs.shape[-1], self.max_wavelength))

    def compute_output_shape(self, input_shape, *_):
        return input_shape

    def compute_mask(self, inputs, previous_mask):
        return previous_mask[0] if isinstance(previous_mask, list | tuple) else previous_mask

    def get_config(self):
        return {**super().get_config(), "max_wavelength": self.max_wavelength}
