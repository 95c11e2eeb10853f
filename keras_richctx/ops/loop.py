"""The loop over time: one step function, applied to every position, with the state carried from each to the next."""

import keras

from keras_richctx.ops.masks import as_mask


class _StepAsCell:
    """A function of one time step, in the shape that `keras.layers.RNN` takes for a cell."""

    def __init__(self, step):
        self.step = step
        self.state_size = 1  # read by the constructor of RNN alone; the loop goes by the tensors of the initial state

    def __call__(self, inputs, states):
        return self.step(inputs, states)

    call = __call__


def loop(step, inputs, state, mask=None, reverse=False, zero_output_for_mask=False):
    r"""Unrolls a recurrence over time: $(y_t, s_t) = f(x_t, s_{t-1})$ for $t = 1, \dots, T$.

    It is Keras' own loop, which every backend has in its fastest form: a `while_loop` over tensor arrays on TensorFlow (with XLA too), `lax.scan` on
    JAX, a Python loop on PyTorch. Whatever `step` closes over (an encoder's memory, say) stays the same for all steps and receives its gradient.

    At a masked position the state is carried on unchanged; the output there is the one before it, or zero.

    Args:
        step: function `(inputs_t, state) -> (output_t, state)`. `inputs_t` is `(B, D)`; `state` and the new state are lists of tensors `(B, ...)` of
            the same shapes; `output_t` is a tensor `(B, ...)`, or without a mask a tuple of them.
        inputs: float tensor of shape `(B, T, D)`.
        state: list of tensors `(B, ...)`, the state before the first step.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        reverse: boolean, whether to run from the last position to the first; the outputs then come in the order of the run.
        zero_output_for_mask: boolean, whether masked positions put out zeros.

    Returns:
        A pair: the outputs, `(B, T, ...)` each, and the list of final states.

    Example:
        >>> running_sum = lambda x, state: (x + state[0], [x + state[0]])
        >>> outputs, _ = loop(running_sum, np.array([[[1.0], [2.0], [3.0]]]), [np.zeros((1, 1))])
        >>> outputs.numpy().ravel()
        array([1., 3., 6.])
    """
    rnn = keras.layers.RNN(_StepAsCell(step), return_sequences=True, go_backwards=reverse, zero_output_for_mask=zero_output_for_mask, name="loop")
    inputs = keras.ops.convert_to_tensor(inputs)
    state = [keras.ops.convert_to_tensor(s) for s in state]
    mask = None if mask is None else as_mask(mask)
    _, outputs, state = rnn.inner_loop(inputs, state, mask)
    return outputs, list(state)
