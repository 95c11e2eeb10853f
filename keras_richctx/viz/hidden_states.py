"""What each layer of a model makes of its inputs, by name."""

import collections
import contextlib
import fnmatch
from collections.abc import Mapping

import keras
import numpy as np

from keras_richctx.training.changed import changed
from keras_richctx.viz.attention_maps import joined, joined_streams, run
from keras_richctx.viz.reading import readings
from keras_richctx.viz.watching import as_array, name_of_call, named, walk, watcher


class HiddenStates(Mapping):
    """A mapping from the names of layers to what they put out, float32 arrays `(B, T, D)`.

    Args:
        states: dict from names to arrays.
        tokens: list of B lists of T strings, or `None`. Defaults to `None`.
        mask: boolean array of shape `(B, T)`, `True` at real positions, or `None`. Defaults to `None`.
        mixes: dict from the names of layers that mix others, such as `krc.layers.ScalarMix`, to the weights of these, arrays `(L + 1,)`; or `None`. Defaults to
            `None`.
    """

    def __init__(self, states, tokens=None, mask=None, mixes=None):
        self._states = states
        self.tokens = tokens
        self.mask = mask
        self.mixes = mixes or {}

    def __getitem__(self, name):
        return self._states[name]

    def __iter__(self):
        return iter(self._states)

    def __len__(self):
        return len(self._states)

    def __repr__(self):
        return f"HiddenStates({', '.join(f'{name!r}: {array.shape}' for name, array in self.items())})"


def hidden_states(model, inputs, layers=None, batch_size=None):
    """Gives what the layers of a model put out, as a call computes it outside of training. It changes nothing, as `attention_maps` does not.

    The gates of recurrent layers are in [`krc.traces`][keras_richctx.recurrent.traces.traces].

    Args:
        model: `keras.Model` or layer.
        inputs: as in `attention_maps`.
        layers: ends of paths of layers, a string or a list of strings, with `*` for anything between two slashes, such as `"encoder/block_*"`. `None` for the
            blocks, the layers that have an attention layer in them; in a model that has its attention layers side by side with the others, for all of its
            layers. Defaults to `None`.
        batch_size: integer, how many rows to compute at once, or `None` for all. Defaults to `None`.

    Returns:
        A `HiddenStates`: a mapping, in the order of the calls, from the path of each layer, without what all have in common at the front, to a float32 array;
        from a layer's second call on, a number stands behind it. Of a layer that puts out several tensors, the first is taken.

    Raises:
        ValueError: if no such layer was called.

    Example:
        >>> model = krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37)
        >>> states = krc.hidden_states(model, np.array([[5, 9, 6, 0]]))
        >>> {name: array.shape for name, array in states.items()}
        {'block_0': (1, 4, 12), 'block_1': (1, 4, 12)}
        >>> list(krc.hidden_states(model, np.array([[5, 9, 6, 0]]), ["embedding_norm", "block_1"]))
        ['embedding_norm', 'encoder/block_1']
    """
    everything = [(path, layer) for path, layer in walk(model) if path]
    patterns = [layers] if isinstance(layers, str) else layers
    if patterns is None:
        chosen = _blocks(model, everything)
    else:
        chosen = [(path, layer) for path, layer in everything if any(_ends(path, pattern.split("/")) for pattern in patterns)]
    found = named(chosen)
    batches = [(reading, run(model, reading.inputs, lambda: _noting(found))) for reading in readings(model, inputs, batch_size)]
    if not batches[0][1]:
        raise ValueError(f"No such layer was called. Received: layers={layers!r}. There are {', '.join('/'.join(path) for path, _ in everything)}")
    tokens, masks, _ = joined_streams([reading for reading, _ in batches])
    mixes = named((path, layer) for path, layer in everything if hasattr(layer, "weights_of_layers"))
    return HiddenStates(
        {name: joined([seen[name] for _, seen in batches]) for name in batches[0][1]},
        tokens=tokens.get("source"),
        mask=masks.get("source"),
        mixes={name: np.array(keras.ops.convert_to_numpy(mix.weights_of_layers)) for name, mix in mixes.items()},
    )


def _blocks(model, everything):
    """Returns the layers that hold an attention layer; if the model itself does, all that it holds."""

    def attends(layer):
        return any(watcher(child) is not None for child in layer._flatten_layers(include_self=False, recursive=False))

    if attends(model):
        return [(path, layer) for path, layer in everything if len(path) == 1]
    return [(path, layer) for path, layer in everything if watcher(layer) is None and attends(layer)]


def _ends(path, pattern):
    """Whether a path ends as a pattern says, part by part."""
    return len(path) >= len(pattern) and all(map(fnmatch.fnmatchcase, path[-len(pattern) :], pattern))


@contextlib.contextmanager
def _noting(layers):
    """Writes down what layers put out while the context lasts; gives a dict, in the order of the calls."""
    seen, calls = {}, collections.Counter()

    def noted(name, call):
        def call_and_note(*args, **kwargs):
            result = call(*args, **kwargs)
            tensors = [x for x in keras.tree.flatten(result) if "float" in keras.backend.standardize_dtype(x.dtype)]
            if tensors:
                seen[name_of_call(name, calls)] = as_array(tensors[0], name)
            return result

        return call_and_note

    with contextlib.ExitStack() as stack:
        for name, layer in layers.items():
            stack.enter_context(changed(layer, call=noted(name, layer.call)))
        yield seen
