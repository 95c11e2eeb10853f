"""The vanilla recurrent cell."""

import keras

from keras_richctx.recurrent.recurrent_cell import RecurrentCell
from keras_richctx.recurrent.rnn_scan import rnn_scan
from keras_richctx.recurrent.rnn_step import rnn_step


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

    kind = "rnn"

    def update(self, projection, states, recurrent_kernel, keep=None):
        seen = states[0] if keep is None else states[0] * keep
        return {"hidden": rnn_step(projection, seen, recurrent_kernel)}

    def scan(self, inputs, states, recurrent_kernel, keep, real, training):
        weights = (keras.ops.cast(w, inputs.dtype) for w in (self.kernel, recurrent_kernel, self.bias_or_zeros()))
        return rnn_scan(inputs, *states, *weights, keep=keep, real=real)
