"""All steps of a long short-term memory at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, products, scan, sum_of_products, transposed
from keras_richctx.recurrent.lstm_step import lstm_update


def lstm_scan(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep=None, real=None):
    r"""Runs a long short-term memory over a sequence, vectors in columns as in the equations.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first:

    $$\begin{aligned}
    \delta c_t &\mathrel{+}= \delta h_t \odot o_t \odot (1 - \tanh^2 c_t) \\
    \delta z_t &= \begin{pmatrix} \delta c_t \odot g_t \odot i_t (1 - i_t) \\ \delta c_t \odot c_{t-1} \odot f_t (1 - f_t) \\
    \delta c_t \odot i_t \odot (1 - g_t^2) \\ \delta h_t \odot \tanh c_t \odot o_t (1 - o_t) \end{pmatrix} \\
    \delta c_{t-1} &= \delta c_t \odot f_t, \qquad \delta h_{t-1} = W_h^\top \delta z_t
    \end{aligned}$$

    The cell's line has no matrix in it: that is the uninterrupted gradient flow. The weights wait until all $\delta z_t$ are there, and take one product
    for all steps: $\delta W_h = \sum_t \delta z_t h_{t-1}^\top$.

    Args:
        inputs: float tensor of shape `(T, D, B)`, finite at pads too.
        hidden: float tensor of shape `(U, B)`, $h_0$.
        cell: float tensor of shape `(U, B)`, $c_0$.
        kernel: float tensor of shape `(D, 4 * U)`, $W_x^\top$.
        recurrent_kernel: float tensor of shape `(U, 4 * U)`, $W_h^\top$.
        bias: float tensor of shape `(4 * U,)`.
        keep: float tensor of shape `(U, B)`, what the hidden state is multiplied by before each product (recurrent dropout), or `None`.
        real: float tensor of shape `(T, 1, B)`, positive at real positions and zero at pads, which leave the state as it is, or `None`.

    Returns:
        A float tensor of shape `(T, 2 * U, B)`: the hidden states, and below them the cells.
    """
    return with_gradient(_forward, _backward)(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep=keep, real=real)


def _forward(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep, real):
    units = hidden.shape[0]
    w_x, w_h, b = transposed(kernel), transposed(recurrent_kernel), bias[:, None]  # (4 U, D), (4 U, U), (4 U, 1)

    def step(carry, at_t):
        state, _ = carry
        hidden, cell = state[:units], state[units:]
        hidden = hidden if keep is None else hidden * keep
        # z_t = W_x x_t + W_h h_{t-1} + b
        maps = keras.ops.matmul(w_x, at_t["x"]) + keras.ops.matmul(w_h, hidden) + b  # (4 U, B)
        new = lstm_update(maps, cell, axis=0)
        state = hold(at_t["real"], keras.ops.concatenate([new["hidden"], new["cell"]], axis=0), state)
        gates = keras.ops.concatenate([new[name] for name in ("input_gate", "forget_gate", "candidate", "output_gate")], axis=0)
        return (state, gates), (state, gates)

    first = keras.ops.concatenate([hidden, cell], axis=0)  # (2 U, B)
    _, (states, gates) = scan(step, (first, keras.ops.tile(first, (2, 1))), {"x": inputs, "real": real})
    return states, (states, gates)


def _backward(saved, upstream, inputs, hidden, cell, kernel, recurrent_kernel, bias, keep, real):
    states, gates = saved  # (T, 2 U, B), (T, 4 U, B)
    units = hidden.shape[0]
    hiddens, cells = before(states[:, :units], hidden), before(states[:, units:], cell)  # h_{t-1}, c_{t-1}

    def step(carry, at_t):
        d_after = carry[0] + at_t["upstream"]
        d_state = hold(at_t["real"], d_after, keras.ops.zeros_like(d_after))
        d_hidden, d_cell = d_state[:units], d_state[units:]
        i, f, g, o = keras.ops.split(at_t["gates"], 4, axis=0)
        tanh_c = keras.ops.tanh(at_t["cell"])
        # dc_t += dh_t . o . (1 - tanh^2 c_t)
        d_cell = d_cell + d_hidden * o * (1 - tanh_c * tanh_c)
        d_maps = [d_cell * g * i * (1 - i), d_cell * at_t["previous"] * f * (1 - f), d_cell * i * (1 - g * g), d_hidden * tanh_c * o * (1 - o)]
        d_maps = keras.ops.concatenate(d_maps, axis=0)  # (4 U, B)
        # dc_{t-1} = dc_t . f_t,  dh_{t-1} = W_h^T dz_t
        d_hidden = keras.ops.matmul(recurrent_kernel, d_maps)
        d_hidden = d_hidden if keep is None else d_hidden * keep
        d_before = hold(at_t["real"], keras.ops.concatenate([d_hidden, d_cell * f], axis=0), d_after)
        return (d_before, d_maps), (d_before, d_maps)

    nothing = keras.ops.zeros_like(states[0])  # (2 U, B)
    at_each = {"gates": gates, "cell": states[:, units:], "previous": cells, "upstream": upstream, "real": real}
    (d_first, _), (_, d_maps) = scan(step, (nothing, keras.ops.tile(nothing, (2, 1))), at_each, reverse=True)
    return (
        products(kernel, d_maps),
        d_first[:units],
        d_first[units:],
        sum_of_products(inputs, d_maps),
        sum_of_products(hiddens if keep is None else hiddens * keep, d_maps),
        keras.ops.sum(d_maps, axis=(0, 2)),
    )
