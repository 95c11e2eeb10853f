"""Where any model looks: the attention weights of all its layers, by name."""

import fnmatch

import numpy as np

from keras_richctx.viz.maps import AttentionMaps
from keras_richctx.viz.reading import readings
from keras_richctx.viz.undisturbed import undisturbed
from keras_richctx.viz.watching import find_attention, watching

PARTS = ("weights", "queries", "keys")


def attention_maps(model, inputs, layers=None, tokens=None, target_tokens=None, segments=None, batch_size=None):
    r"""Gives the attention weights of every attention layer of a model, as a call computes them outside of training.

    Works on any Keras model, functional, sequential or subclassed, with models and layers nested in it in any way; before and after `fit`, `predict` and
    loading; on every backend and under every dtype policy. It changes nothing: each layer computes what it always does, and hands on its own output; the
    attention is read beside that. Weights, states, seeds and compiled functions are as they were.

    The attention layers are those of `krc.layers`, in them the decoders with an alignment inside of their loop, which give one map of all steps;
    `keras.layers.MultiHeadAttention`, `GroupQueryAttention`, `Attention` and `AdditiveAttention`; classes that are built on these, as KerasHub's are; and every
    layer with `attends_in` and `attention_of`, such as one of your own.

    The weights are those before dropout. A row that may look nowhere is zero in the map, whatever the layer puts out there: some of Keras' give the average of
    all values. A layer that takes a fused kernel has no weights; they are computed again from its own queries, keys and masks, by the softmax of this library,
    and `maps.notes` says so.

    Args:
        model: `keras.Model`, or a layer.
        inputs: what the model is called with, `(B, ...)`; a `tf.data.Dataset`, `keras.utils.PyDataset` or iterator of batches; or, for a model of this library
            with a tokenizer or a task of KerasHub with a preprocessor, a text, a pair of texts (a tuple), or a list of them. A translation model that is given
            a text alone translates it, greedily, and shows the pass over text and translation. What a decoder looked at step by step is what it looks at in one
            pass over the finished text: give that.
        layers: names of maps to keep, a string or a list of strings, with `*` for anything, such as `"encoder/*"`; or `None` for all. Defaults to `None`.
        tokens: list of S strings, what stands at the keys, or a list of B such lists; `None` for what the model itself knows. Defaults to `None`.
        target_tokens: list of T strings, or a list of B such lists, what stands at the queries where that is another sequence; or `None`. Defaults to `None`.
        segments: list of S integers, or a list of B such lists: 0 for the first text, 1 for the second; or `None`. Defaults to `None`.
        batch_size: integer, how many rows to compute at once, or `None` for all of them. Defaults to `None`.

    Returns:
        An `AttentionMaps`: a mapping, in the order of the calls, from the name of each layer to a float32 array of shape `(B, H, T, S)`. A name is the path of
        the layer from the model down, without what all have in common at the front; from a layer's second call on, a number stands behind it. Batches of other
        lengths are filled up with zeros.

    Raises:
        ValueError: if no attention layer was called, `layers` names none of them, tokens are not as many as positions, texts are given to a model that does not
            read them, or a layer attends inside a compiled loop, where nothing can be seen.

    Example:
        >>> model = krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37)
        >>> maps = krc.attention_maps(model, np.array([[5, 9, 6, 0]]), tokens=["the", "cat", "sat", "[PAD]"])
        >>> {name: weights.shape for name, weights in maps.items()}
        {'block_0/attention': (1, 3, 4, 4), 'block_1/attention': (1, 3, 4, 4)}
        >>> inputs = keras.Input((7, 8))
        >>> model = keras.Model(inputs, keras.layers.MultiHeadAttention(2, 4, name="look")(inputs, inputs))
        >>> krc.attention_maps(model, np.ones((3, 7, 8)))["look"].shape
        (3, 2, 7, 7)
    """
    found, patterns = find_attention(model), [layers] if isinstance(layers, str) else layers
    batches, wanted = [], (lambda name: patterns is None or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
    for reading in readings(model, inputs, batch_size):
        seen = run(model, reading.inputs, lambda: watching(found, wanted))
        if not seen:
            _explain(model, found, layers)
        batches.append((reading, seen))
    names = list(batches[0][1])
    different = next((list(seen) for _, seen in batches if list(seen) != names), None)
    if different:
        raise ValueError(f"Each batch goes through the same layers. Received: {names} in the first, {different} in another. Give the batches one by one.")
    first = batches[0]
    parts = {part: {name: joined([seen[name][part] for _, seen in batches]) for name in names if part in first[1][name]} for part in PARTS}
    streams, masks, read_segments = joined_streams([reading for reading, _ in batches])
    return AttentionMaps(
        parts["weights"],
        query_vectors=parts["queries"],
        key_vectors=parts["keys"],
        tokens=tokens if tokens is not None else streams.pop("source", None),
        target_tokens=target_tokens if target_tokens is not None else streams.pop("written", None),
        segments=segments if segments is not None else read_segments,
        notes={name: seen["note"] for name, seen in first[1].items() if "note" in seen},
        streams=streams,
        masks=masks,
        sides=None if first[0].sides is None else {name: first[0].sides(name) for name in names},
    )


def run(model, inputs, watching):
    """Calls a model once outside of training, watched, and leaves its state as it was.

    Args:
        model: `keras.Model` or layer.
        inputs: nest of tensors.
        watching: function that gives a context manager.

    Returns:
        What the context manager gave.
    """
    if not model.built:
        model(inputs, training=False)
    while True:
        count = len(model.variables)
        with undisturbed(), watching() as seen:
            model(inputs, training=False)
        if len(model.variables) == count:  # else some layer was built on the way, with passing values
            return seen


def _explain(model, found, layers):
    """Raises, since there is nothing to show."""
    if not found:
        hint = "Attention layers are those of krc.layers and of Keras, what is built on them, and layers with attends_in and attention_of."
        raise ValueError(f"There is no attention layer in the model. Received: model={model.name}. {hint}")
    if layers is None:
        raise ValueError(f"No attention layer was called. Received: model={model.name}, whose attention layers are {', '.join(found)}")
    raise ValueError(f"No map has such a name. Received: layers={layers!r}. The attention layers are {', '.join(found)}")


def joined(arrays):
    """Puts the arrays of several batches under one another, filled up with zeros at the ends of rows."""
    sizes = np.max([array.shape for array in arrays], axis=0)
    return np.concatenate([np.pad(array, [(0, 0), *((0, size - n) for size, n in zip(sizes[1:], array.shape[1:]))]) for array in arrays])


def joined_streams(batches):
    """Joins the tokens, masks and segments of the readings of several batches."""

    def filled(rows, length, nothing):
        return [[*row, *[nothing] * (length - len(row))] for row in rows]

    tokens, masks = {}, {}
    for name in batches[0].tokens:
        length = max(len(row) for reading in batches for row in reading.tokens[name])
        tokens[name] = [row for reading in batches for row in filled(reading.tokens[name], length, "")]
        masks[name] = np.array([row for reading in batches for row in filled(np.asarray(reading.masks[name]).tolist(), length, False)], bool)
    if any(reading.segments is None for reading in batches):
        return tokens, masks, None
    length = max(len(row) for reading in batches for row in reading.segments)
    return tokens, masks, [row for reading in batches for row in filled(reading.segments, length, 0)]
