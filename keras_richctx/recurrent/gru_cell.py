"""The gated recurrent cell."""

import keras

from keras_richctx.recurrent.gru_scan import gru_scan
from keras_richctx.recurrent.gru_step import gru_step
from keras_richctx.recurrent.recurrent_cell import RecurrentCell


@keras.saving.register_keras_serializable("keras_richctx")
class GRUCell(RecurrentCell):
    """One step of a gated recurrent unit: two gates, and no memory apart from the hidden state.

    The weights are those of `keras.layers.GRUCell`, and interchangeable with them.

    Args:
        units: integer, U, the width of the hidden state.
        reset_after: boolean, whether the reset gate multiplies after the product with the state (one product for all maps, a second bias; what cuDNN and
            PyTorch compute) or before it (the published equation). Defaults to `True`.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        kernel_initializer: initializer of the input's weights. Defaults to `"glorot_uniform"`.
        recurrent_initializer: initializer of the state's weights. Defaults to `"orthogonal"`.
        bias_initializer: initializer of the bias. Defaults to `"zeros"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, D)`, one step's input.
        states: the previous hidden state, `(B, U)`, alone or in a list of one.

    Returns:
        A pair: the output, `(B, U)`, and the new state in the form of `states` (the same tensor).

    Raises:
        ValueError: if `units` is not a positive integer.

    Example:
        >>> output, state = GRUCell(3)(np.ones((2, 5)), np.zeros((2, 3)))
        >>> output.shape
        TensorShape([2, 3])

    References:
        [Cho et al., 2014](https://arxiv.org/abs/1406.1078).
    """

    kind = "gru"
    gates = 3

    def __init__(self, units, reset_after=True, **kwargs):
        super().__init__(units, **kwargs)
        self.reset_after = reset_after

    def add_bias(self, width):
        shape = (2, width) if self.reset_after else (width,)  # with reset_after: one for the input, one for the state
        return self.add_weight(shape=shape, initializer=self.bias_initializer, name="bias")

    def project(self, inputs):
        projection = keras.ops.matmul(inputs, self.kernel)
        if self.bias is None:
            return projection
        return projection + keras.ops.cast(self.bias[0] if self.reset_after else self.bias, projection.dtype)

    @property
    def has_scan(self):
        """Whether all steps can be run at once: with the reset gate after the product only."""
        return self.reset_after

    def bias_or_zeros(self):
        return keras.ops.zeros((2, 3 * self.units)) if self.bias is None else self.bias

    def update(self, projection, states, recurrent_kernel, keep=None):
        recurrent_bias = self.bias[1] if self.use_bias and self.reset_after else None
        return gru_step(projection, states[0], recurrent_kernel, recurrent_bias, self.reset_after, keep)

    def scan(self, inputs, states, recurrent_kernel, keep, real, training):
        kernel, recurrent_kernel, bias = (keras.ops.cast(w, inputs.dtype) for w in (self.kernel, recurrent_kernel, self.bias_or_zeros()))
        return gru_scan(inputs, *states, kernel, recurrent_kernel, bias[0], bias[1], keep=keep, real=real, training=training)

    def get_config(self):
        return {**super().get_config(), "reset_after": self.reset_after}
