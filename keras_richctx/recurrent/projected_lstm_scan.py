"""All steps of a long short-term memory with a projection at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, scan
from keras_richctx.recurrent.lstm_step import lstm_update


def projected_lstm_scan(projections, hidden, cell, recurrent_kernel, projection_kernel, real=None, cell_clip=None, projection_clip=None, training=True):
    r"""Runs a long short-term memory with a projection over a sequence whose products with the input are there already.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first, as in `lstm_scan`, with one more line before the others,

    $$\delta p_t \leftarrow \delta p_t \odot [\,|p_t| < \mathrm{clip}\,], \qquad \delta h_t = W_p^\top\, \delta p_t$$

    and $\delta c_t$ is zero where the cell was clipped. The weights wait until the $\delta$ of all steps are there, and take one product for all.
    Cells are wide here, and vectors stand in rows, which multiplies faster than columns at this width.

    Args:
        projections: float tensor of shape `(T, B, 4 * U)`, $W_x x_t + b$ of all steps, finite at pads too.
        hidden: float tensor of shape `(B, P)`, $p_0$.
        cell: float tensor of shape `(B, U)`, $c_0$.
        recurrent_kernel: float tensor of shape `(P, 4 * U)`.
        projection_kernel: float tensor of shape `(U, P)`, $W_p^\top$.
        real: float tensor of shape `(T, B, 1)`, positive at real positions and zero at pads, which leave the state as it is, or `None`.
        cell_clip: positive float, the largest absolute value in the cell, or `None`.
        projection_clip: positive float, the largest absolute value in the output, or `None`.
        training: boolean, whether to keep the gates for a derivative, which can be had without too, at twice the cost. Defaults to `True`.

    Returns:
        A float tensor of shape `(T, B, P + U)`: the outputs, and beside them the cells.
    """

    def forward(projections, hidden, cell, recurrent_kernel, projection_kernel, real, save):
        width = hidden.shape[-1]

        def step(carry, at_t):
            state = carry[0]
            # z_t = W_h p_{t-1} + (W_x x_t + b)
            maps = keras.ops.matmul(state[:, :width], recurrent_kernel) + at_t["z"]  # (B, 4 U)
            new = lstm_update(maps, state[:, width:], cell_clip)
            # p_t = clip(W_p h_t)
            projected = clip(keras.ops.matmul(new["hidden"], projection_kernel), projection_clip)  # (B, P)
            state = hold(at_t["real"], keras.ops.concatenate([projected, new["cell"]], axis=-1), state)
            gates = [new[name] for name in ("input_gate", "forget_gate", "candidate", "output_gate")]
            return (state,), (state, keras.ops.concatenate(gates, axis=-1)) if save else (state,)

        first = keras.ops.concatenate([hidden, cell], axis=-1)  # (B, P + U)
        _, (states, *gates) = scan(step, (first,), {"z": projections, "real": real})
        return states, (states, *gates)

    def backward(saved, upstream, projections, hidden, cell, recurrent_kernel, projection_kernel, real):
        states, gates = saved  # (T, B, P + U), (T, B, 4 U)
        width, units = hidden.shape[-1], cell.shape[-1]
        by_hidden, by_projection = keras.ops.transpose(recurrent_kernel), keras.ops.transpose(projection_kernel)  # (4 U, P), (P, U)

        def step(carry, at_t):
            d_after = carry[0] + at_t["upstream"]
            d_state = hold(at_t["real"], d_after, keras.ops.zeros_like(d_after))
            projected, cell = at_t["state"][:, :width], at_t["state"][:, width:]
            # dp_t where it was not clipped,  dh_t = W_p^T dp_t
            d_projected = where_free(projected, d_state[:, :width], projection_clip)
            d_hidden = keras.ops.matmul(d_projected, by_projection)  # (B, U)
            i, f, g, o = keras.ops.split(at_t["gates"], 4, axis=-1)
            tanh_c = keras.ops.tanh(cell)
            # dc_t += dh_t . o . (1 - tanh^2 c_t), where it was not clipped
            d_cell = where_free(cell, d_state[:, width:] + d_hidden * o * (1 - tanh_c * tanh_c), cell_clip)
            d_maps = [d_cell * g * i * (1 - i), d_cell * at_t["previous"] * f * (1 - f), d_cell * i * (1 - g * g), d_hidden * tanh_c * o * (1 - o)]
            d_maps = keras.ops.concatenate(d_maps, axis=-1)  # (B, 4 U)
            # dc_{t-1} = dc_t . f_t,  dp_{t-1} = W_h^T dz_t
            d_before = keras.ops.concatenate([keras.ops.matmul(d_maps, by_hidden), d_cell * f], axis=-1)
            return (hold(at_t["real"], d_before, d_after),), (d_maps, d_projected)

        at_each = {"gates": gates, "state": states, "previous": before(states[..., width:], cell), "upstream": upstream, "real": real}
        (d_first,), (d_maps, d_projected) = scan(step, (keras.ops.zeros_like(states[0]),), at_each, reverse=True)
        # h_t = o_t . tanh(c_t); at pads, where it is another one, dp_t is zero
        hiddens = gates[..., 3 * units :] * keras.ops.tanh(states[..., width:])  # (T, B, U)
        d_recurrent_kernel = outer_products(before(states[..., :width], hidden), d_maps)  # (P, 4 U)
        return d_maps, d_first[:, :width], d_first[:, width:], d_recurrent_kernel, outer_products(hiddens, d_projected)

    run = with_gradient(forward, backward, save=training)
    return run(projections, hidden, cell, recurrent_kernel, projection_kernel, real=real)


def clip(x, limit):
    """Clips to `-limit ... limit`, where there is a limit."""
    return x if limit is None else keras.ops.clip(x, -limit, limit)


def where_free(x, gradient, limit):
    """The gradient by a clipped `x` where it lies within the limit, and zero where it was clipped."""
    return gradient if limit is None else keras.ops.where(keras.ops.abs(x) < limit, gradient, keras.ops.zeros_like(gradient))


def outer_products(left, right):
    r"""The outer products of all steps and rows, summed: `(T, B, D)` and `(T, B, G)` give `(D, G)`."""
    left, right = (keras.ops.reshape(x, (-1, x.shape[-1])) for x in (left, right))  # (T B, D), (T B, G)
    return keras.ops.matmul(keras.ops.transpose(left), right)
