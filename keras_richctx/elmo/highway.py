"""A layer that passes its input on, as far as it has nothing better."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class Highway(keras.layers.Layer):
    r"""Mixes what a dense layer makes of its input with the input itself, feature by feature.

    $$y = T(x) \odot \mathrm{relu}(W_H x + b_H) + (1 - T(x)) \odot x, \qquad T(x) = \sigma(W_T x + b_T)$$

    The bias of the gate starts at $-2$, so that at first nearly everything is carried. In the files of ELMo the gate's weights are called `W_carry`, though it
    opens the transform, as here; other code has the gate the other way round, and negates them. Any leading axes; pads are features like any other.

    Args:
        activation: string or function, in the place of relu. Defaults to `"relu"`.
        gate_bias: float, what $b_T$ starts at. Defaults to `-2.0`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(..., D)`.

    Returns:
        A float tensor of shape `(..., D)`.

    Example:
        >>> Highway()(np.ones((2, 7, 5))).shape
        TensorShape([2, 7, 5])

    References:
        [Srivastava et al., 2015](https://arxiv.org/abs/1505.00387), equation 3.
    """

    def __init__(self, activation="relu", gate_bias=-2.0, **kwargs):
        super().__init__(**kwargs)
        self.activation = keras.activations.get(activation)
        self.gate_bias = gate_bias
        self.supports_masking = True

    def build(self, input_shape):
        width = input_shape[-1]
        initializer = keras.initializers.RandomNormal(stddev=width**-0.5)
        self.transform_kernel = self.add_weight(shape=(width, width), initializer=initializer, name="transform_kernel")
        self.transform_bias = self.add_weight(shape=(width,), initializer="zeros", name="transform_bias")
        self.gate_kernel = self.add_weight(shape=(width, width), initializer=keras.initializers.RandomNormal(stddev=width**-0.5), name="gate_kernel")
        self.gate_bias_vector = self.add_weight(shape=(width,), initializer=keras.initializers.Constant(self.gate_bias), name="gate_bias")

    def call(self, inputs):
        # T(x) = sigma(W_T x + b_T)
        gate = keras.ops.sigmoid(keras.ops.matmul(inputs, self.gate_kernel) + self.gate_bias_vector)
        transformed = self.activation(keras.ops.matmul(inputs, self.transform_kernel) + self.transform_bias)
        # y = T(x) . H(x) + (1 - T(x)) . x
        return gate * transformed + (1 - gate) * inputs

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "activation": keras.activations.serialize(self.activation), "gate_bias": self.gate_bias}
