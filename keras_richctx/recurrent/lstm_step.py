"""One step of a long short-term memory, as a function."""

import keras


def lstm_step(projection, hidden, cell, recurrent_kernel, cell_clip=None):
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
        cell_clip: float, the largest absolute value that is left in $c_t$, or `None`.

    Returns:
        A dict of float tensors of shape `(B, U)`: `input_gate` (whether to write to the cell), `forget_gate` (whether to keep it), `candidate` (what to
        write), `output_gate` (how much to reveal), `cell` and `hidden`.

    References:
        [Hochreiter and Schmidhuber, 1997](https://doi.org/10.1162/neco.1997.9.8.1735); the forget gate:
        [Gers et al., 2000](https://doi.org/10.1162/089976600300015015).
    """
    # W (h_{t-1}, x_t) + b
    maps = keras.ops.add(projection, keras.ops.matmul(hidden, recurrent_kernel))  # (B, 4 U)
    return lstm_update(maps, cell, cell_clip)


def lstm_update(maps, cell, cell_clip=None, axis=-1):
    r"""What the gates do with the cell: the element-wise half of `lstm_step`.

    Args:
        maps: float tensor of shape `(B, 4 * U)`, $W (h_{t-1}, x_t) + b$.
        cell: float tensor of shape `(B, U)`, $c_{t-1}$.
        cell_clip: float, the largest absolute value that is left in $c_t$, or `None`.
        axis: integer, the axis of the units; `0` where vectors stand in columns.

    Returns:
        The dict of `lstm_step`.
    """
    i, f, g, o = keras.ops.split(maps, 4, axis=axis)  # (B, U) each
    # (i, f, o, g) = (sigma, sigma, sigma, tanh)(W (h_{t-1}, x_t) + b)
    i, f, o, g = keras.ops.sigmoid(i), keras.ops.sigmoid(f), keras.ops.sigmoid(o), keras.ops.tanh(g)
    # c_t = f . c_{t-1} + i . g
    cell = keras.ops.multiply(f, cell) + i * g
    cell = cell if cell_clip is None else keras.ops.clip(cell, -cell_clip, cell_clip)
    # h_t = o . tanh(c_t)
    hidden = o * keras.ops.tanh(cell)
    return {"input_gate": i, "forget_gate": f, "candidate": g, "output_gate": o, "cell": cell, "hidden": hidden}
