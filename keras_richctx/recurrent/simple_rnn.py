"""The vanilla recurrent layer."""

import keras

from keras_richctx.recurrent.recurrent_layer import RecurrentLayer
from keras_richctx.recurrent.rnn_cell import RNNCell


@keras.saving.register_keras_serializable("keras_richctx")
class SimpleRNN(RecurrentLayer):
    """A vanilla recurrent network over a sequence.

    Masked positions leave the state as it is, and the output there repeats the one before (zero, where there is none, and with `zero_output_for_mask`).
    The weights are those of `keras.layers.SimpleRNN` in its default form, and interchangeable with them by `set_weights`.

    Args:
        units: integer, U, the width of the hidden state.
        return_sequences: boolean, whether to return the output of every step or of the last one only. Defaults to `False`.
        return_state: boolean, whether to return the final state beside the output. Defaults to `False`.
        go_backwards: boolean, whether to read from the end; the outputs then come in that order. Defaults to `False`.
        stateful: boolean, whether each batch starts from the final state of the one before it. Defaults to `False`.
        zero_output_for_mask: boolean, whether to put out zeros at masked positions. Defaults to `False`.
        dropout: float, the share of input features that are dropped in training, the same at all steps. Defaults to `0.0`.
        recurrent_dropout: float, the share of the hidden state that is dropped before each product with it, the same at all steps. Defaults to `0.0`.
        weight_dropout: float, the share of the recurrent weights that are dropped in training, the same at all steps. Defaults to `0.0`.
        learn_initial_state: boolean, whether the state before the first step is a weight rather than zero. Defaults to `False`.
        use_cudnn: `"auto"` or `False`, whether a fused kernel of the backend may be used (cuDNN; PyTorch's own). Defaults to `"auto"`. On TensorFlow XLA has
            no cuDNN: what it compiles goes without.
        seed: integer, the seed of the dropout, or `None`.
        **kwargs: arguments of `RNNCell`, such as `use_bias`, and of `keras.layers.Layer`.

    Call arguments:
        sequences: float tensor of shape `(B, T, D)`.
        initial_state: list of tensors of shape `(B, U)`, or `None` for zeros, or for what was learnt.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, T, U)`, or `(B, U)` without `return_sequences`; with `return_state` followed by the final hidden state, `(B, U)`.

    Raises:
        ValueError: if `units` is not a positive integer, or a share is not in 0 ... 1.

    Example:
        >>> SimpleRNN(3, return_sequences=True)(np.ones((2, 7, 5))).shape
        TensorShape([2, 7, 3])

    References:
        [Elman, 1990](https://doi.org/10.1207/s15516709cog1402_1).
    """

    cell_class = RNNCell
