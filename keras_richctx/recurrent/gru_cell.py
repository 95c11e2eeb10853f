"""The gated recurrent unit."""

import keras

from keras_richctx.recurrent.recurrent_cell import RecurrentCell


def gru_step(projection, hidden, recurrent_kernel, recurrent_bias=None, reset_after=False):
    r"""One step of a gated recurrent unit.

    $$\begin{aligned}
    r_t &= \sigma(W_{xr} x_t + W_{hr} h_{t-1} + b_r) \\
    z_t &= \sigma(W_{xz} x_t + W_{hz} h_{t-1} + b_z) \\
    \tilde h_t &= \tanh(W_{xh} x_t + W_{hh} (r_t \odot h_{t-1}) + b_h) \\
    h_t &= z_t \odot h_{t-1} + (1 - z_t) \odot \tilde h_t
    \end{aligned}$$

    With `reset_after` the reset gate comes after the product, $\tilde h_t = \tanh(W_{xh} x_t + b_h + r_t \odot (W_{hh} h_{t-1} + b'_h))$, so that one
    product serves all three maps; this is the form of the first version of the paper, of cuDNN and of PyTorch, and Keras' default. The paper's $z$ and
    $1 - z$ change places from version to version; here $z$ keeps the old state. The maps stand in Keras' order $z, r, h$.

    Args:
        projection: float tensor of shape `(B, 3 * U)`, the products with $x_t$, and the biases.
        hidden: float tensor of shape `(B, U)`, $h_{t-1}$.
        recurrent_kernel: float tensor of shape `(U, 3 * U)`.
        recurrent_bias: float tensor of shape `(3 * U,)`, $b'$, with `reset_after` only, or `None`.
        reset_after: boolean, whether the reset gate multiplies after the product with $W_{hh}$.

    Returns:
        A dict of float tensors of shape `(B, U)`: `update_gate` ($z$), `reset_gate` ($r$), `candidate` ($\tilde h$) and `hidden`.

    References:
        [Cho et al., 2014](https://arxiv.org/abs/1406.1078), equations 5 to 8.
    """
    units = hidden.shape[-1]
    x_z, x_r, x_h = keras.ops.split(projection, 3, axis=-1)  # (B, U) each
    if reset_after:
        maps = keras.ops.matmul(hidden, recurrent_kernel)  # (B, 3 U)
        maps = maps if recurrent_bias is None else maps + keras.ops.cast(recurrent_bias, maps.dtype)
        h_z, h_r, h_h = keras.ops.split(maps, 3, axis=-1)
    else:
        h_z, h_r = keras.ops.split(keras.ops.matmul(hidden, recurrent_kernel[:, : 2 * units]), 2, axis=-1)
    # r_t = sigma(W_xr x_t + W_hr h_{t-1} + b_r), and z_t alike
    r, z = keras.ops.sigmoid(x_r + h_r), keras.ops.sigmoid(x_z + h_z)
    # h~_t = tanh(W_xh x_t + W_hh (r_t . h_{t-1}) + b_h)
    inner = r * h_h if reset_after else keras.ops.matmul(r * hidden, recurrent_kernel[:, 2 * units :])
    candidate = keras.ops.tanh(x_h + inner)
    # h_t = z_t . h_{t-1} + (1 - z_t) . h~_t
    hidden = z * hidden + (1 - z) * candidate
    return {"update_gate": z, "reset_gate": r, "candidate": candidate, "hidden": hidden}


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

    def step(self, projection, states):
        recurrent_bias = self.bias[1] if self.use_bias and self.reset_after else None
        new = gru_step(projection, states[0], self.recurrent_kernel, recurrent_bias, self.reset_after)
        return new["hidden"], [new["hidden"]]

    def get_config(self):
        return {**super().get_config(), "reset_after": self.reset_after}
