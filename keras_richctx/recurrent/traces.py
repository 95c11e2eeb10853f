"""What recurrent layers hold inside at each step, written down while a model runs."""

import contextlib
import contextvars

import keras
import numpy as np

_RECORDS = contextvars.ContextVar("records", default=None)
_STATES = contextvars.ContextVar("states", default=None)  # of stateful layers, as they were before


def traces(model, inputs):
    """Gives the gates and states of every recurrent layer of a model, as a call computes them outside of training.

    Works on any Keras model with recurrent layers of `keras_richctx` in it, alone, stacked, in `keras.layers.Bidirectional` or in a model within the model,
    before and after training and on a loaded one. It changes nothing: neither weights nor later calls.

    Args:
        model: a `keras.Model` or layer.
        inputs: what the model is called with: an array, or a nest of arrays.

    Returns:
        A dict, in the order of the calls, from the name of each recurrent layer (from its second call on with a number behind it) to its trace: a dict of
        float NumPy arrays of shape `(B, T, U)`, as `keras_richctx.layers.LSTM.trace` gives it.

    Raises:
        ValueError: if no recurrent layer of `keras_richctx` was called.

    Example:
        >>> model = keras.Sequential([keras.Input((7, 5)), krc.layers.LSTM(3, return_sequences=True, name="low"), krc.layers.GRU(2, name="high")])
        >>> found = krc.traces(model, np.ones((2, 7, 5), "float32"))
        >>> {name: list(trace) for name, trace in found.items()}["high"]
        ['update_gate', 'reset_gate', 'candidate', 'hidden']
        >>> found["low"]["forget_gate"].shape
        (2, 7, 3)
    """
    with recording() as records:
        model(keras.tree.map_structure(keras.ops.convert_to_tensor, inputs), training=False)
    if not records:
        raise ValueError(f"No recurrent layer of keras_richctx was called. Received: model={model!r}. Keras' own layers keep their gates to themselves.")
    found = {}
    for name, trace in records:
        calls = sum(key == name or key.startswith(f"{name} ") for key in found)
        found[f"{name} {calls + 1}" if calls else name] = trace
    return found


@contextlib.contextmanager
def recording():
    """Collects a pair of name and trace for each call of a recurrent layer while the context lasts; gives the list."""
    records, states = [], []
    tokens = _RECORDS.set(records), _STATES.set(states)
    try:
        yield records
    finally:
        _RECORDS.reset(tokens[0])
        _STATES.reset(tokens[1])
        for variable, before in reversed(states):
            variable.assign(before)


def is_recording():
    """Whether a call is to be written down."""
    return _RECORDS.get() is not None


def record(layer, trace, mask):
    """Writes down a call of a layer: states as they are, gates as NaN at pads, which nothing passed."""
    if layer.stateful:
        _STATES.get().extend((variable, keras.ops.convert_to_numpy(variable)) for variable in layer.states)
    arrays = {key: keras.ops.convert_to_numpy(keras.ops.cast(value, "float32")) for key, value in trace.items()}
    if mask is not None:
        real = keras.ops.convert_to_numpy(mask)[..., None]  # (B, T, 1)
        arrays = {key: array if key in layer.cell.state_names else np.where(real, array, np.float32("nan")) for key, array in arrays.items()}
    _RECORDS.get().append((layer.name, arrays))
