"""All steps of a long short-term memory at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, scan, sum_of_products, transposed
from keras_richctx.recurrent.lstm_step import lstm_update


def lstm_scan(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep=None, real=None, training=True):
    r"""Runs a long short-term memory over a sequence, vectors in columns as in the equations.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first:

    $$\begin{aligned}
    \delta c_t &\mathrel{+}= \delta h_t \odot o_t \odot (1 - \tanh^2 c_t) \\
    \delta z_t &= \begin{pmatrix} \delta c_t \odot g_t \odot i_t (1 - i_t) \\ \delta c_t \odot c_{t-1} \odot f_t (1 - f_t) \\
    \delta c_t \odot i_t \odot (1 - g_t^2) \\ \delta h_t \odot \tanh c_t \odot o_t (1 - o_t) \end{pmatrix} \\
    \delta c_{t-1} &= \delta c_t \odot f_t, \qquad \begin{pmatrix} \delta h_{t-1} \\ \delta x_t \end{pmatrix} = W^\top \delta z_t
    \end{aligned}$$

    The cell's line has no matrix in it: that is the uninterrupted gradient flow. The weights wait until all $\delta z_t$ are there, and take one product
    for all steps: $\delta W = \sum_t \delta z_t \binom{h_{t-1}}{x_t}^\top$.

    Args:
        inputs: float tensor of shape `(T, D, B)`, finite at pads too.
        hidden: float tensor of shape `(U, B)`, $h_0$.
        cell: float tensor of shape `(U, B)`, $c_0$.
        kernel: float tensor of shape `(D, 4 * U)`, $W_x^\top$.
        recurrent_kernel: float tensor of shape `(U, 4 * U)`, $W_h^\top$.
        bias: float tensor of shape `(4 * U,)`.
        keep: float tensor of shape `(U, B)`, what the hidden state is multiplied by before each product (recurrent dropout), or `None`.
        real: float tensor of shape `(T, 1, B)`, positive at real positions and zero at pads, which leave the state as it is, or `None`.
        training: boolean, whether to keep the gates for a derivative, which can be had without too, at twice the cost. Defaults to `True`.

    Returns:
        A float tensor of shape `(T, 2 * U, B)`: the hidden states, and below them the cells.
    """
    return with_gradient(_forward, _backward, save=training)(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep=keep, real=real)


def _forward(inputs, hidden, cell, kernel, recurrent_kernel, bias, keep, real, save):
    units = hidden.shape[0]
    w, b = transposed(keras.ops.concatenate([recurrent_kernel, kernel], axis=0)), bias[:, None]  # (4 U, U + D), (4 U, 1)

    def step(carry, at_t):
        state = carry[0]
        hidden, cell = state[:units], state[units:]
        hidden = hidden if keep is None else hidden * keep
        # z_t = W (h_{t-1}, x_t) + b
        maps = keras.ops.matmul(w, keras.ops.concatenate([hidden, at_t["x"]], axis=0)) + b  # (4 U, B)
        new = lstm_update(maps, cell, axis=0)
        state = hold(at_t["real"], keras.ops.concatenate([new["hidden"], new["cell"]], axis=0), state)
        gates = [new[name] for name in ("input_gate", "forget_gate", "candidate", "output_gate")]
        return (state,), (state, keras.ops.concatenate(gates, axis=0)) if save else (state,)

    first = keras.ops.concatenate([hidden, cell], axis=0)  # (2 U, B)
    _, (states, *gates) = scan(step, (first,), {"x": inputs, "real": real})
    return states, (states, *gates)


def _backward(saved, upstream, inputs, hidden, cell, kernel, recurrent_kernel, bias, keep, real):
    states, gates = saved  # (T, 2 U, B), (T, 4 U, B)
    units = hidden.shape[0]
    hiddens, cells = before(states[:, :units], hidden), before(states[:, units:], cell)  # h_{t-1}, c_{t-1}
    w_transposed = keras.ops.concatenate([recurrent_kernel, kernel], axis=0)  # (U + D, 4 U)

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
        # dc_{t-1} = dc_t . f_t,  (dh_{t-1}, dx_t) = W^T dz_t
        d_both = keras.ops.matmul(w_transposed, d_maps)  # (U + D, B)
        d_hidden = d_both[:units] if keep is None else d_both[:units] * keep
        d_before = hold(at_t["real"], keras.ops.concatenate([d_hidden, d_cell * f], axis=0), d_after)
        return (d_before,), (d_maps, d_both[units:])

    at_each = {"gates": gates, "cell": states[:, units:], "previous": cells, "upstream": upstream, "real": real}
    (d_first,), (d_maps, d_inputs) = scan(step, (keras.ops.zeros_like(states[0]),), at_each, reverse=True)
    seen = keras.ops.concatenate([hiddens if keep is None else hiddens * keep, inputs], axis=1)  # (T, U + D, B)
    d_weights = sum_of_products(seen, d_maps)  # (U + D, 4 U)
    return d_inputs, d_first[:units], d_first[units:], d_weights[units:], d_weights[:units], keras.ops.sum(d_maps, axis=(0, 2))
