"""The long short-term memory cell."""

import keras

from keras_richctx.recurrent.recurrent_cell import RecurrentCell


def lstm_step(projection, hidden, cell, recurrent_kernel):
    r"""One step of a long short-term memory.

    $$\begin{pmatrix} i_t \\ f_t \\ o_t \\ g_t \end{pmatrix} = \begin{pmatrix} \sigma \\ \sigma \\ \sigma \\ \tanh \end{pmatrix}
    \left( W \begin{pmatrix} h_{t-1} \\ x_t \end{pmatrix} + b_h \right), \qquad
    c_t = f_t \odot c_{t-1} + i_t \odot g_t, \qquad h_t = o_t \odot \tanh(c_t)$$

    The four maps stand side by side in one matrix, in Keras' order $i, f, g, o$ (PyTorch's too).

    Args:
        projection: float tensor of shape `(B, 4 * U)`, the part of $W$ that multiplies $x_t$, and the bias.
        hidden: float tensor of shape `(B, U)`, $h_{t-1}$.
        cell: float tensor of shape `(B, U)`, $c_{t-1}$.
        recurrent_kernel: float tensor of shape `(U, 4 * U)`, the part of $W$ that multiplies $h_{t-1}$.

    Returns:
        A dict of float tensors of shape `(B, U)`: `input_gate` (whether to write to the cell), `forget_gate` (whether to keep it), `candidate` (what to
        write), `output_gate` (how much to reveal), `cell` and `hidden`.

    References:
        [Hochreiter and Schmidhuber, 1997](https://doi.org/10.1162/neco.1997.9.8.1735); the forget gate:
        [Gers et al., 2000](https://doi.org/10.1162/089976600300015015).
    """
    maps = keras.ops.add(projection, keras.ops.matmul(hidden, recurrent_kernel))  # (B, 4 U)
    i, f, g, o = keras.ops.split(maps, 4, axis=-1)  # (B, U) each
    # (i, f, o, g) = (sigma, sigma, sigma, tanh)(W (h_{t-1}, x_t) + b)
    i, f, o, g = keras.ops.sigmoid(i), keras.ops.sigmoid(f), keras.ops.sigmoid(o), keras.ops.tanh(g)
    # c_t = f . c_{t-1} + i . g
    cell = keras.ops.multiply(f, cell) + i * g
    # h_t = o . tanh(c_t)
    hidden = o * keras.ops.tanh(cell)
    return {"input_gate": i, "forget_gate": f, "candidate": g, "output_gate": o, "cell": cell, "hidden": hidden}


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

    gates = 4
    states = 2

    def __init__(self, units, unit_forget_bias=True, **kwargs):
        super().__init__(units, **kwargs)
        self.unit_forget_bias = unit_forget_bias

    def add_bias(self, width):
        def with_forget_bias(shape, dtype=None):
            bias = self.bias_initializer(shape, dtype=dtype)
            forget = keras.ops.arange(width) // self.units == 1  # (4 U,): the second of the four maps
            return bias + keras.ops.cast(forget, bias.dtype)

        return self.add_weight(shape=(width,), initializer=with_forget_bias if self.unit_forget_bias else self.bias_initializer, name="bias")

    def step(self, projection, states):
        new = lstm_step(projection, *states, self.recurrent_kernel)
        return new["hidden"], [new["hidden"], new["cell"]]

    def get_config(self):
        return {**super().get_config(), "unit_forget_bias": self.unit_forget_bias}
