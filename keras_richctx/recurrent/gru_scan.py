"""All steps of a gated recurrent unit at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, products, scan, sum_of_products, transposed
from keras_richctx.recurrent.gru_step import gru_update


def gru_scan(inputs, hidden, kernel, recurrent_kernel, bias, recurrent_bias, keep=None, real=None, training=True):
    r"""Runs a gated recurrent unit over a sequence, vectors in columns as in the equations; the reset gate comes after the product.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first. With $m_t = W_{hh} h_{t-1} + b'_h$, what the reset gate multiplies,

    $$\begin{aligned}
    \delta \tilde a_t &= \delta h_t \odot (1 - z_t) \odot (1 - \tilde h_t^2), \qquad
    \delta a^z_t = \delta h_t \odot (h_{t-1} - \tilde h_t) \odot z_t (1 - z_t), \qquad
    \delta a^r_t = \delta \tilde a_t \odot m_t \odot r_t (1 - r_t) \\
    \delta h_{t-1} &= \delta h_t \odot z_t + W_h^\top (\delta a^z_t, \delta a^r_t, \delta \tilde a_t \odot r_t)
    \end{aligned}$$

    where $a$ are the maps before their sigmoid or tanh. The first summand of the last line is the way without a matrix, as open as the update gate.

    Args:
        inputs: float tensor of shape `(T, D, B)`, finite at pads too.
        hidden: float tensor of shape `(U, B)`, $h_0$.
        kernel: float tensor of shape `(D, 3 * U)`, $W_x^\top$.
        recurrent_kernel: float tensor of shape `(U, 3 * U)`, $W_h^\top$.
        bias: float tensor of shape `(3 * U,)`, $b$.
        recurrent_bias: float tensor of shape `(3 * U,)`, $b'$.
        keep: float tensor of shape `(U, B)`, what the state is multiplied by before each product (recurrent dropout), or `None`.
        real: float tensor of shape `(T, 1, B)`, positive at real positions and zero at pads, which leave the state as it is, or `None`.
        training: boolean, whether to keep the gates for a derivative, which can be had without too, at twice the cost. Defaults to `True`.

    Returns:
        A float tensor of shape `(T, U, B)`, the states.
    """
    return with_gradient(_forward, _backward, save=training)(inputs, hidden, kernel, recurrent_kernel, bias, recurrent_bias, keep=keep, real=real)


def _forward(inputs, hidden, kernel, recurrent_kernel, bias, recurrent_bias, keep, real, save):
    units = hidden.shape[0]
    w_x, w_h = transposed(kernel), transposed(recurrent_kernel)  # (3 U, D), (3 U, U)
    b_x, b_h = bias[:, None], recurrent_bias[:, None]  # (3 U, 1)

    def step(carry, at_t):
        hidden = carry[0]
        seen = hidden if keep is None else hidden * keep
        # W_x x_t + b and W_h h_{t-1} + b'
        of_input = keras.ops.matmul(w_x, at_t["x"]) + b_x  # (3 U, B)
        of_state = keras.ops.matmul(w_h, seen) + b_h  # (3 U, B)
        new = gru_update(of_input, of_state, hidden, axis=0)
        hidden = hold(at_t["real"], new["hidden"], hidden)
        gates = [new["update_gate"], new["reset_gate"], new["candidate"], of_state[2 * units :]]  # z, r, h~, m
        return (hidden,), (hidden, keras.ops.concatenate(gates, axis=0)) if save else (hidden,)

    _, (states, *gates) = scan(step, (hidden,), {"x": inputs, "real": real})
    return states, (states, *gates)


def _backward(saved, upstream, inputs, hidden, kernel, recurrent_kernel, bias, recurrent_bias, keep, real):
    states, gates = saved  # (T, U, B), (T, 4 U, B)
    hiddens = before(states, hidden)  # h_{t-1}

    def step(carry, at_t):
        d_after = carry[0] + at_t["upstream"]
        d_hidden = hold(at_t["real"], d_after, keras.ops.zeros_like(d_after))
        z, r, candidate, m = keras.ops.split(at_t["gates"], 4, axis=0)
        d_candidate = d_hidden * (1 - z) * (1 - candidate * candidate)
        d_update = d_hidden * (at_t["hidden"] - candidate) * z * (1 - z)
        d_reset = d_candidate * m * r * (1 - r)
        d_state_maps = keras.ops.concatenate([d_update, d_reset, d_candidate * r], axis=0)  # (3 U, B)
        # dh_{t-1} = dh_t . z_t + W_h^T (...)
        through_matrix = keras.ops.matmul(recurrent_kernel, d_state_maps)
        through_matrix = through_matrix if keep is None else through_matrix * keep
        d_before = hold(at_t["real"], d_hidden * z + through_matrix, d_after)
        return (d_before,), (d_state_maps, keras.ops.concatenate([d_update, d_reset, d_candidate], axis=0))

    at_each = {"gates": gates, "hidden": hiddens, "upstream": upstream, "real": real}
    (d_first,), (of_state, of_input) = scan(step, (keras.ops.zeros_like(hidden),), at_each, reverse=True)  # (T, 3 U, B)
    return (
        products(kernel, of_input),
        d_first,
        sum_of_products(inputs, of_input),
        sum_of_products(hiddens if keep is None else hiddens * keep, of_state),
        keras.ops.sum(of_input, axis=(0, 2)),
        keras.ops.sum(of_state, axis=(0, 2)),
    )
