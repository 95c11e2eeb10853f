"""Where a model attends: finding its attention layers, and writing down what each of them looks at while the model runs."""

import collections
import contextlib
import functools
import itertools
from typing import Protocol, runtime_checkable

import keras
import numpy as np

from keras_richctx.training.changed import changed
from keras_richctx.viz.keras_attention import watch_keras


@runtime_checkable
class Attending(Protocol):
    """What a layer has whose attention can be seen.

    These are the name of the method in which it attends, and a method that reads the attention off what that method gave and took. It gives a dict of
    `weights`, `(B, H, T, S)`, before dropout, zeros in rows that see nothing; where products were compared, of `queries`, `(B, H, T, K)`, and `keys`,
    `(B, H, S, K)`; and where there is something to say, of `note`, a string. `None` is no attention. What stands inside of such a layer is not watched.
    """

    attends_in: str

    def attention_of(self, result, *args, **kwargs): ...


def find_attention(model):
    """Finds the attention layers of a model, wherever they stand in it.

    Args:
        model: `keras.Model` or layer.

    Returns:
        A dict from names to layers. A name is the path from the model down, without what all of them have in common at the front.

    Example:
        >>> list(find_attention(krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37)))
        ['block_0/attention', 'block_1/attention']
    """
    return named((path or (model.name,), layer) for path, layer in walk(model) if watcher(layer) is not None)


def named(found):
    """Names layers by their paths, without what all of these have in common at the front.

    Args:
        found: iterable of pairs of a path, a tuple of names, and a layer.

    Returns:
        A dict from names to layers.
    """
    found = list(_numbered(found))
    parts = zip(*(path[:-1] for path, _ in found))
    shared = sum(1 for _ in itertools.takewhile(lambda names: len(set(names)) == 1, parts))
    return {"/".join(path[shared:]): layer for path, layer in found}


def walk(layer, path=(), seen=None):
    """Goes through a model and all layers in it, each once, but for what stands inside of attention layers.

    Args:
        layer: `keras.Model` or layer.
        path: tuple of names, where it stands.
        seen: set of the ids of layers that were there before.

    Yields:
        Pairs of a path, a tuple of names, and a layer.
    """
    seen = set() if seen is None else seen
    if id(layer) in seen:
        return
    seen.add(id(layer))
    yield path, layer
    if watcher(layer) is None:
        for child in layer._flatten_layers(include_self=False, recursive=False):
            yield from walk(child, (*path, child.name), seen)


def _numbered(found):
    """Gives a number to layers of the same path, from the second on."""
    counts = {}
    for path, layer in found:
        counts[path] = counts.get(path, 0) + 1
        yield (path if counts[path] == 1 else (*path[:-1], f"{path[-1]}_{counts[path]}")), layer


def watcher(layer):
    """Returns a function that makes, of a function to call with what was seen, the attributes to change; or `None` for a layer that does not attend."""
    if isinstance(layer, Attending):
        return None if layer.attends_in is None else functools.partial(_watch, layer)
    return watch_keras(layer)


def _watch(layer, see):
    method = getattr(layer, layer.attends_in)

    def attend(*args, **kwargs):
        result = method(*args, **kwargs)
        seen = layer.attention_of(result, *args, **kwargs)
        if seen is not None:
            see(**seen)
        return result

    return {layer.attends_in: attend}


@contextlib.contextmanager
def watching(layers, wanted=lambda name: True):
    """Writes down what attention layers look at while the context lasts; their outputs are what they are without it.

    Args:
        layers: dict from names to layers, from `find_attention`.
        wanted: function from the name of a map to a boolean, whether to keep it.

    Returns:
        A context manager that gives a dict, in the order of the calls, from the name of each layer, from its second call on with a number behind it, to what
        was seen: a dict of `weights`, and where there are such, `queries`, `keys` and `note`.
    """
    seen, calls = {}, collections.Counter()

    def see(name, note=None, **tensors):
        key = name_of_call(name, calls)
        if wanted(key):
            seen[key] = {**{what: as_array(tensor, name) for what, tensor in tensors.items()}, **({} if note is None else {"note": note})}

    with contextlib.ExitStack() as stack:
        for name, layer in layers.items():
            stack.enter_context(changed(layer, **watcher(layer)(functools.partial(see, name))))
        yield seen


def name_of_call(name, calls):
    """Returns the name of one more call of a layer, from the second on with its number; `calls` counts them, a `collections.Counter`."""
    calls[name] += 1
    return name if calls[name] == 1 else f"{name} {calls[name]}"


def as_array(tensor, name):
    """Returns a tensor as a float32 array of its own, or raises where it has no values yet; `name` is that of the layer."""
    try:
        return np.array(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")))
    except (NotImplementedError, TypeError) as error:
        raise ValueError(
            f"{name} is called inside a compiled function or a compiled loop of the backend, where there are no values to look at. Take it out of the "
            f"compiled part; for attention, or give the layer that holds the loop `attends_in` and `attention_of`. Received: {type(tensor).__name__}"
        ) from error
