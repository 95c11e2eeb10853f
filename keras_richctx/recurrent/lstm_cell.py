"""The long short-term memory cell."""

import keras

from keras_richctx.recurrent.lstm_scan import lstm_scan
from keras_richctx.recurrent.lstm_step import lstm_step
from keras_richctx.recurrent.recurrent_cell import RecurrentCell


@keras.saving.register_keras_serializable("keras_richctx")
class LSTMCell(RecurrentCell):
    """One step of a long short-term memory, whose state is a hidden vector and a cell that gates write to and erase.

    The weights are those of `keras.layers.LSTMCell`, and interchangeable with them.

    Args:
        units: integer, U, the width of the hidden state and of the cell.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        unit_forget_bias: boolean, whether the bias of the forget gate starts one higher than the others, so that an untrained cell remembers. Defaults
            to `True`.
        kernel_initializer: initializer of the input's weights. Defaults to `"glorot_uniform"`.
        recurrent_initializer: initializer of the state's weights. Defaults to `"orthogonal"`.
        bias_initializer: initializer of the bias. Defaults to `"zeros"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, D)`, one step's input.
        states: list of the previous hidden state and cell, `(B, U)` each.

    Returns:
        A pair: the output, `(B, U)`, and the list of the new hidden state (the same tensor) and cell.

    Raises:
        ValueError: if `units` is not a positive integer.

    Example:
        >>> output, (hidden, cell) = LSTMCell(3)(np.ones((2, 5)), [np.zeros((2, 3)), np.zeros((2, 3))])
        >>> cell.shape
        TensorShape([2, 3])

    References:
        [Hochreiter and Schmidhuber, 1997](https://doi.org/10.1162/neco.1997.9.8.1735); the bias of the forget gate:
        [Jozefowicz et al., 2015](https://proceedings.mlr.press/v37/jozefowicz15.html).
    """

    kind = "lstm"
    gates = 4
    state_names = ("hidden", "cell")

    def __init__(self, units, unit_forget_bias=True, **kwargs):
        super().__init__(units, **kwargs)
        self.unit_forget_bias = unit_forget_bias

    def add_bias(self, width):
        return self.add_bias_with_open_forget_gate(width) if self.unit_forget_bias else super().add_bias(width)

    def update(self, projection, states, recurrent_kernel, keep=None):
        hidden, cell = states
        return lstm_step(projection, hidden if keep is None else hidden * keep, cell, recurrent_kernel)

    def scan(self, inputs, states, recurrent_kernel, keep, real, training):
        weights = (keras.ops.cast(w, inputs.dtype) for w in (self.kernel, recurrent_kernel, self.bias_or_zeros()))
        return lstm_scan(inputs, *states, *weights, keep=keep, real=real, training=training)

    def get_config(self):
        return {**super().get_config(), "unit_forget_bias": self.unit_forget_bias}
