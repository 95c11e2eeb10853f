"""All steps of a vanilla recurrent network at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, products, scan, sum_of_products, transposed


def rnn_scan(inputs, hidden, kernel, recurrent_kernel, bias, keep=None, real=None):
    r"""Runs a vanilla recurrent network over a sequence, vectors in columns as in the equations.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first, and each step multiplies by the same matrix:

    $$\delta z_t = \delta h_t \odot (1 - h_t^2), \qquad \delta h_{t-1} = W_h^\top \delta z_t$$

    Args:
        inputs: float tensor of shape `(T, D, B)`, finite at pads too.
        hidden: float tensor of shape `(U, B)`, $h_0$.
        kernel: float tensor of shape `(D, U)`, $W_x^\top$.
        recurrent_kernel: float tensor of shape `(U, U)`, $W_h^\top$.
        bias: float tensor of shape `(U,)`.
        keep: float tensor of shape `(U, B)`, what the state is multiplied by before each product (recurrent dropout), or `None`.
        real: float tensor of shape `(T, 1, B)`, positive at real positions and zero at pads, which leave the state as it is, or `None`.

    Returns:
        A float tensor of shape `(T, U, B)`, the states.

    References:
        [Pascanu et al., 2013](https://arxiv.org/abs/1211.5063), equations 3 to 5.
    """
    return with_gradient(_forward, _backward)(inputs, hidden, kernel, recurrent_kernel, bias, keep=keep, real=real)


def _forward(inputs, hidden, kernel, recurrent_kernel, bias, keep, real):
    w_x, w_h, b = transposed(kernel), transposed(recurrent_kernel), bias[:, None]  # (U, D), (U, U), (U, 1)

    def step(hidden, at_t):
        seen = hidden if keep is None else hidden * keep
        # h_t = tanh(W_x x_t + W_h h_{t-1} + b)
        new = keras.ops.tanh(keras.ops.matmul(w_x, at_t["x"]) + keras.ops.matmul(w_h, seen) + b)
        hidden = hold(at_t["real"], new, hidden)
        return hidden, hidden

    _, states = scan(step, hidden, {"x": inputs, "real": real})
    return states, states


def _backward(states, upstream, inputs, hidden, kernel, recurrent_kernel, bias, keep, real):
    def step(carry, at_t):
        d_after = carry[0] + at_t["upstream"]
        # dz_t = dh_t . (1 - h_t^2)
        d_maps = hold(at_t["real"], d_after * (1 - at_t["hidden"] ** 2), keras.ops.zeros_like(d_after))
        # dh_{t-1} = W_h^T dz_t
        d_hidden = keras.ops.matmul(recurrent_kernel, d_maps)
        d_before = hold(at_t["real"], d_hidden if keep is None else d_hidden * keep, d_after)
        return (d_before, d_maps), (d_before, d_maps)

    nothing = keras.ops.zeros_like(hidden)
    at_each = {"hidden": states, "upstream": upstream, "real": real}
    (d_first, _), (_, d_maps) = scan(step, (nothing, nothing), at_each, reverse=True)
    hiddens = before(states, hidden)  # h_{t-1}
    return (
        products(kernel, d_maps),
        d_first,
        sum_of_products(inputs, d_maps),
        sum_of_products(hiddens if keep is None else hiddens * keep, d_maps),
        keras.ops.sum(d_maps, axis=(0, 2)),
    )
