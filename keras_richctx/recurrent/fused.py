"""The kernels that a backend has for a whole recurrent layer: cuDNN on TensorFlow, PyTorch's own on PyTorch."""

import functools
import types

import keras


@functools.cache
def has_kernel(kind):
    """Says whether the backend has a kernel for a kind of layer on the devices at hand.

    Args:
        kind: string, `"rnn"`, `"lstm"` or `"gru"` (whose reset gate comes after the product).

    Returns:
        A boolean. On TensorFlow cuDNN needs a GPU, and serves the LSTM and the GRU. PyTorch has a kernel everywhere. JAX needs none: there our scan, which XLA
        compiles, is faster than cuDNN.
    """
    backend = keras.backend.backend()
    if backend == "torch":
        return True
    return backend == "tensorflow" and kind in ("lstm", "gru") and bool(keras.distribution.list_devices("gpu"))


def is_traced_for_xla():
    """Whether what is called now is traced for XLA on TensorFlow, where that has no cuDNN."""
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf
    from tensorflow.python.ops import control_flow_util  # TensorFlow has no public name for it

    return control_flow_util.GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph())


def run_kernel(kind, sequences, states, kernel, recurrent_kernel, bias):
    """Runs the backend's kernel over sequences without pads, in float32, which all of them take.

    Args:
        kind: string, `"rnn"`, `"lstm"` or `"gru"`.
        sequences: float tensor of shape `(B, T, D)`.
        states: list of float tensors of shape `(B, U)`.
        kernel: float tensor of shape `(D, gates * U)`.
        recurrent_kernel: float tensor of shape `(U, gates * U)`.
        bias: float tensor of shape `(gates * U,)`, or `(2, 3 * U)` for a GRU.

    Returns:
        A pair: the hidden states, `(B, T, U)`, and the list of final states.
    """
    dtype = sequences.dtype
    *weights, sequences = (keras.ops.cast(x, "float32") for x in (kernel, recurrent_kernel, bias, sequences))
    states = [keras.ops.cast(state, "float32") for state in states]
    run = _run_torch if keras.backend.backend() == "torch" else _run_cudnn
    outputs, states = run(kind, sequences, states, *weights)
    return keras.ops.cast(outputs, dtype), [keras.ops.cast(state, dtype) for state in states]


def _run_cudnn(kind, sequences, states, kernel, recurrent_kernel, bias):
    # Keras' own layers know the way to cuDNN; what they read of themselves there is this
    cell = types.SimpleNamespace(
        kernel=kernel, recurrent_kernel=recurrent_kernel, bias=bias, activation=keras.ops.tanh, recurrent_activation=keras.ops.sigmoid, reset_after=True
    )
    switches = dict.fromkeys(("go_backwards", "unroll", "dropout", "recurrent_dropout"), False)
    layer = types.SimpleNamespace(cell=cell, use_cudnn=True, return_sequences=True, **switches)
    theirs = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}[kind]
    _, outputs, states = theirs.inner_loop(layer, sequences, states, None)
    return outputs, list(states)


def _run_torch(kind, sequences, states, kernel, recurrent_kernel, bias):
    import torch

    def arrange(weight):
        if kind != "gru":
            return weight
        z, r, h = weight.chunk(3, dim=-1)
        return torch.cat([r, z, h], dim=-1)  # z, r, h here and r, z, h there

    biases = bias if kind == "gru" else torch.stack([bias, torch.zeros_like(bias)])  # (2, gates * U)
    weights = [arrange(kernel).t(), arrange(recurrent_kernel).t(), *arrange(biases)]
    flat = torch.cat([weight.reshape(-1) for weight in weights])  # in one piece of memory, as cuDNN wants them
    weights = [piece.view(weight.shape) for piece, weight in zip(flat.split([weight.numel() for weight in weights]), weights)]
    first = [state[None].contiguous() for state in states]  # (1, B, U): one layer
    run = {"rnn": torch.rnn_tanh, "lstm": torch.lstm, "gru": torch.gru}[kind]
    # with biases, one layer, no dropout, ready for a gradient, one direction, batch first
    outputs, *final = run(sequences, first if kind == "lstm" else first[0], weights, True, 1, 0.0, torch.is_grad_enabled(), False, True)
    return outputs, [state[0] for state in final]
