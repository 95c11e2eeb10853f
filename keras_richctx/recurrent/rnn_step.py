"""One step of a vanilla recurrent network, as a function."""

import keras


def rnn_step(projection, hidden, recurrent_kernel):
    r"""One step of a vanilla (Elman) network.

    $$h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b_h)$$

    Args:
        projection: float tensor of shape `(B, U)`, $W_{xh} x_t + b_h$.
        hidden: float tensor of shape `(B, U)`, $h_{t-1}$.
        recurrent_kernel: float tensor of shape `(U, U)`, $W_{hh}^\top$: rows are inputs, as everywhere in Keras.

    Returns:
        A float tensor of shape `(B, U)`, $h_t$.

    References:
        [Elman, 1990](https://doi.org/10.1207/s15516709cog1402_1).
    """
    # h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h)
    return keras.ops.tanh(keras.ops.add(projection, keras.ops.matmul(hidden, recurrent_kernel)))
