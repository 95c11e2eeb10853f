"""All steps of a vanilla recurrent network at once, with its backpropagation through time written out."""

import keras

from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.recurrent.columns import before, hold, scan, sum_of_products, transposed


def rnn_scan(inputs, hidden, kernel, recurrent_kernel, bias, keep=None, real=None):
    r"""Runs a vanilla recurrent network over a sequence, vectors in columns as in the equations.

    Backwards, $\delta v = \partial L / \partial v$ goes from the last step to the first, and each step multiplies by the same matrix:

    $$\delta z_t = \delta h_t \odot (1 - h_t^2), \qquad \begin{pmatrix} \delta h_{t-1} \\ \delta x_t \end{pmatrix} = W^\top \delta z_t$$

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


def _forward(inputs, hidden, kernel, recurrent_kernel, bias, keep, real, save):
    w, b = transposed(keras.ops.concatenate([recurrent_kernel, kernel], axis=0)), bias[:, None]  # (U, U + D), (U, 1)

    def step(carry, at_t):
        hidden = carry[0]
        seen = hidden if keep is None else hidden * keep
        # h_t = tanh(W (h_{t-1}, x_t) + b)
        new = keras.ops.tanh(keras.ops.matmul(w, keras.ops.concatenate([seen, at_t["x"]], axis=0)) + b)
        hidden = hold(at_t["real"], new, hidden)
        return (hidden,), (hidden,)

    _, (states,) = scan(step, (hidden,), {"x": inputs, "real": real})
    return states, states  # all that the derivative needs, saved or not


def _backward(states, upstream, inputs, hidden, kernel, recurrent_kernel, bias, keep, real):
    units = hidden.shape[0]
    w_transposed = keras.ops.concatenate([recurrent_kernel, kernel], axis=0)  # (U + D, U)

    def step(carry, at_t):
        d_after = carry[0] + at_t["upstream"]
        # dz_t = dh_t . (1 - h_t^2)
        d_maps = hold(at_t["real"], d_after * (1 - at_t["hidden"] * at_t["hidden"]), keras.ops.zeros_like(d_after))
        # (dh_{t-1}, dx_t) = W^T dz_t
        d_both = keras.ops.matmul(w_transposed, d_maps)  # (U + D, B)
        d_before = hold(at_t["real"], d_both[:units] if keep is None else d_both[:units] * keep, d_after)
        return (d_before,), (d_maps, d_both[units:])

    at_each = {"hidden": states, "upstream": upstream, "real": real}
    (d_first,), (d_maps, d_inputs) = scan(step, (keras.ops.zeros_like(hidden),), at_each, reverse=True)
    hiddens = before(states, hidden)  # h_{t-1}
    seen = keras.ops.concatenate([hiddens if keep is None else hiddens * keep, inputs], axis=1)  # (T, U + D, B)
    d_weights = sum_of_products(seen, d_maps)  # (U + D, U)
    return d_inputs, d_first, d_weights[units:], d_weights[:units], keras.ops.sum(d_maps, axis=(0, 2))
