"""What a run remembers besides the model: the history so far, and how long its callbacks have waited for an improvement."""

import keras
import numpy as np

_WATCHERS = (keras.callbacks.EarlyStopping, keras.callbacks.ModelCheckpoint, keras.callbacks.ReduceLROnPlateau)
_MEMORY = ("best", "best_epoch", "wait", "cooldown_counter")


class RunState:
    """The memory of a run's callbacks: Keras' `History`, and the best value that `EarlyStopping`, `ModelCheckpoint` and `ReduceLROnPlateau` have seen.

    Args:
        history: the run's `keras.callbacks.History`.
        callbacks: list of the run's other callbacks, of which those named are kept.
    """

    def __init__(self, history, callbacks):
        self.history = history
        self.watchers = [callback for callback in callbacks if isinstance(callback, _WATCHERS)]

    def capture(self):
        """Returns `(arrays, record)`: the best weights as a dict of NumPy arrays, and the rest as a dict that JSON can hold."""
        arrays = {
            f"best/{place}/{index:04d}": np.asarray(weight)
            for place, watcher in enumerate(self.watchers)
            for index, weight in enumerate(getattr(watcher, "best_weights", None) or [])
        }
        history = {name: [_plain(value) for value in values] for name, values in self.history.history.items()}
        return arrays, {"history": history, "epochs": list(self.history.epoch), "watchers": [_memory(watcher) for watcher in self.watchers]}

    def restore(self, arrays, record):
        """Puts captured state back; a watcher that watches something else than in the checkpoint starts afresh."""
        self.history.history = {name: list(values) for name, values in record["history"].items()}
        self.history.epoch = list(record["epochs"])
        for place, (watcher, memory) in enumerate(zip(self.watchers, record["watchers"])):
            if _identity(watcher) != memory["identity"]:
                continue
            for name in _MEMORY:
                if name in memory:
                    setattr(watcher, name, memory[name])
            best_weights = [array for name, array in arrays.items() if name.startswith(f"best/{place}/")]
            if best_weights:
                watcher.best_weights = best_weights

    def is_over(self, record):
        """Whether, by captured state, an `EarlyStopping` of this run has run out of its patience."""
        return any(
            isinstance(watcher, keras.callbacks.EarlyStopping) and _identity(watcher) == memory["identity"] and memory["wait"] >= max(watcher.patience, 1)
            for watcher, memory in zip(self.watchers, record["watchers"])
        )


def _identity(watcher):
    return [type(watcher).__name__, watcher.monitor]


def _memory(watcher):
    return {"identity": _identity(watcher), **{name: _plain(getattr(watcher, name)) for name in _MEMORY if hasattr(watcher, name)}}


def _plain(value):
    """A number, list of numbers or `None` as JSON holds it."""
    return value if value is None or isinstance(value, int | float) else np.asarray(keras.ops.convert_to_numpy(value)).tolist()
