"""The vanilla recurrent cell."""

import keras

from keras_richctx.recurrent.recurrent_cell import RecurrentCell


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


@keras.saving.register_keras_serializable("keras_richctx")
class RNNCell(RecurrentCell):
    """One step of a vanilla recurrent network, whose state is a single hidden vector.

    The same weights are used at every step. They are those of `keras.layers.SimpleRNNCell`, and interchangeable with them.

    Args:
        units: integer, U, the width of the hidden state.
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
        >>> output, state = RNNCell(3)(np.ones((2, 5)), np.zeros((2, 3)))
        >>> output.shape
        TensorShape([2, 3])

    References:
        [Elman, 1990](https://doi.org/10.1207/s15516709cog1402_1).
    """

    def step(self, projection, states):
        hidden = rnn_step(projection, states[0], self.recurrent_kernel)
        return hidden, [hidden]
