"""One step of a gated recurrent unit, as a function."""

import keras


def gru_step(projection, hidden, recurrent_kernel, recurrent_bias=None, reset_after=False, keep=None):
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
        keep: float tensor of shape `(B, U)`, what the state is multiplied by before each product (recurrent dropout), or `None`.

    Returns:
        A dict of float tensors of shape `(B, U)`: `update_gate` ($z$), `reset_gate` ($r$), `candidate` ($\tilde h$) and `hidden`.

    References:
        [Cho et al., 2014](https://arxiv.org/abs/1406.1078), equations 5 to 8.
    """
    seen = hidden if keep is None else hidden * keep
    if reset_after:
        # W_h h_{t-1} + b'
        maps = keras.ops.matmul(seen, recurrent_kernel)  # (B, 3 U)
        maps = maps if recurrent_bias is None else maps + keras.ops.cast(recurrent_bias, maps.dtype)
        return gru_update(projection, maps, hidden)
    units = hidden.shape[-1]
    x_z, x_r, x_h = keras.ops.split(projection, 3, axis=-1)  # (B, U) each
    h_z, h_r = keras.ops.split(keras.ops.matmul(seen, recurrent_kernel[:, : 2 * units]), 2, axis=-1)
    # r_t = sigma(W_xr x_t + W_hr h_{t-1} + b_r), and z_t alike
    r, z = keras.ops.sigmoid(x_r + h_r), keras.ops.sigmoid(x_z + h_z)
    # h~_t = tanh(W_xh x_t + W_hh (r_t . h_{t-1}) + b_h)
    candidate = keras.ops.tanh(x_h + keras.ops.matmul(r * seen, recurrent_kernel[:, 2 * units :]))
    # h_t = z_t . h_{t-1} + (1 - z_t) . h~_t
    hidden = z * hidden + (1 - z) * candidate
    return {"update_gate": z, "reset_gate": r, "candidate": candidate, "hidden": hidden}


def gru_update(of_input, of_state, hidden, axis=-1):
    r"""What the gates do with the state where the reset gate comes after the product: the element-wise half of `gru_step`.

    Args:
        of_input: float tensor of shape `(B, 3 * U)`, $W_x x_t + b$.
        of_state: float tensor of shape `(B, 3 * U)`, $W_h h_{t-1} + b'$.
        hidden: float tensor of shape `(B, U)`, $h_{t-1}$.
        axis: integer, the axis of the units; `0` where vectors stand in columns.

    Returns:
        The dict of `gru_step`.
    """
    x_z, x_r, x_h = keras.ops.split(of_input, 3, axis=axis)  # (B, U) each
    h_z, h_r, h_h = keras.ops.split(of_state, 3, axis=axis)
    # r_t = sigma(W_xr x_t + W_hr h_{t-1} + b_r), and z_t alike
    r, z = keras.ops.sigmoid(x_r + h_r), keras.ops.sigmoid(x_z + h_z)
    # h~_t = tanh(W_xh x_t + b_h + r_t . (W_hh h_{t-1} + b'_h))
    candidate = keras.ops.tanh(x_h + r * h_h)
    # h_t = z_t . h_{t-1} + (1 - z_t) . h~_t
    hidden = z * hidden + (1 - z) * candidate
    return {"update_gate": z, "reset_gate": r, "candidate": candidate, "hidden": hidden}
