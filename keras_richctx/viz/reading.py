"""What a model reads: its inputs, batch by batch, and the tokens that stand at their positions."""

import dataclasses
import operator
from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import keras
import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Reading:
    """A batch as a model takes it, and what stands at its positions.

    A stream is a sequence of tokens that attention goes from or to: `"source"` is what there is by default.

    Attributes:
        inputs: what the model is called with.
        tokens: dict from the names of streams to lists of B lists of strings, one for each position, pads too.
        masks: dict from the names of streams to boolean arrays `(B, S)`, `True` at real positions.
        segments: list of B lists of integers, 0 for the first text of a pair and 1 for the second, in the stream `"source"`; or `None`.
        sides: function from the name of a map to its two streams, of queries and of keys; or `None` where all is `"source"`.
    """

    inputs: object
    tokens: dict = dataclasses.field(default_factory=dict)
    masks: dict = dataclasses.field(default_factory=dict)
    segments: list | None = None
    sides: Callable | None = None


@runtime_checkable
class Reads(Protocol):
    """What a model has that knows the tokens of its inputs.

    It is a method that takes token ids, as its `call` takes them, or a list of texts or pairs of texts, and gives a `Reading`.
    """

    def reading(self, inputs) -> Reading: ...


def readings(model, inputs, batch_size=None):
    """Goes through what a model is to read.

    Args:
        model: `keras.Model` or layer.
        inputs: what the model is called with; or a text, a pair of texts (a tuple), or a list of either, for a model that reads texts; or a
            `tf.data.Dataset`, a `keras.utils.PyDataset` or an iterator of batches, of which targets and sample weights are left aside.
        batch_size: integer, how many rows to take at once; `None` for all. A dataset has batches of its own.

    Yields:
        A `Reading` for each batch.

    Raises:
        ValueError: if there is no batch, `batch_size` is no positive integer or comes with a dataset, or texts are given to a model that does not read them.
    """
    if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
        raise ValueError(f"batch_size is a positive integer. Received: batch_size={batch_size!r}")
    batches = _batches(inputs)
    if batches is not None and batch_size is not None:
        raise ValueError(f"A dataset has batches of its own. Received: batch_size={batch_size!r} with a {type(inputs).__name__}. Leave it out.")
    empty = True
    for batch in [inputs] if batches is None else batches:
        for part in [batch] if batch_size is None else _parts(_as_texts(batch), batch_size):
            empty = False
            yield _read(model, part)
    if empty:
        raise ValueError(f"There is nothing to read. Received: a {type(inputs).__name__} without a batch")


def _batches(inputs):
    """Returns an iterable of the inputs of each batch of a dataset, or `None` for what is no dataset."""
    if isinstance(inputs, keras.utils.PyDataset):
        return (keras.utils.unpack_x_y_sample_weight(inputs[i])[0] for i in range(inputs.num_batches))
    if isinstance(inputs, Iterator) or hasattr(inputs, "element_spec"):
        return (keras.utils.unpack_x_y_sample_weight(batch)[0] for batch in inputs)
    return None


def is_text(item):
    """Whether it is a text, or a pair of texts in a tuple."""
    return isinstance(item, str) or (isinstance(item, tuple) and len(item) == 2 and all(isinstance(text, str) for text in item))


def are_pairs(texts, what="texts"):
    """Whether all of these are pairs, tuples; raises where some are and some are not. `what` says what a pair is of."""
    pairs = [isinstance(text, tuple) for text in texts]
    if any(pairs) != all(pairs):
        raise ValueError(f"Either all are pairs of {what} or none. Received: {sum(pairs)} pairs among {len(texts)}")
    return all(pairs)


def _as_texts(inputs):
    """Returns one text or one pair as a list of it, all else as it is."""
    return [inputs] if is_text(inputs) else inputs


def _parts(inputs, size):
    """Cuts inputs into pieces of so many rows."""
    if isinstance(inputs, list) and inputs and all(map(is_text, inputs)):
        count = len(inputs)
        return (inputs[start : start + size] for start in range(0, count, size))
    rows = {len(array) for array in keras.tree.flatten(inputs)}
    if len(rows) != 1:
        raise ValueError(f"All inputs have as many rows. Received: arrays of {sorted(rows)} rows")
    pieces = (slice(start, start + size) for start in range(0, rows.pop(), size))
    return (keras.tree.map_structure(operator.itemgetter(piece), inputs) for piece in pieces)


def _read(model, inputs):
    """Makes a `Reading` of the inputs of one batch."""
    inputs = _as_texts(inputs)
    texts = isinstance(inputs, list) and bool(inputs) and all(map(is_text, inputs))
    if isinstance(model, Reads):
        reading = model.reading(inputs)
    elif texts and getattr(model, "preprocessor", None) is not None:
        reading = _preprocessed(model.preprocessor, inputs)
    elif texts:
        raise ValueError(
            f"A {type(model).__name__} does not read texts: give it what it is called with. Received: {inputs[0]!r}, and {len(inputs) - 1} more. "
            "Models of keras_richctx with a tokenizer read texts, and tasks of KerasHub with a preprocessor."
        )
    else:
        reading = Reading(inputs)
    return dataclasses.replace(reading, inputs=keras.tree.map_structure(_as_tensor, reading.inputs))


def _preprocessed(preprocessor, texts):
    """Reads texts as a task of KerasHub does, by its preprocessor."""
    pairs = are_pairs(texts)
    packed = preprocessor((tuple(map(list, zip(*texts))), None) if pairs else texts)  # a tuple is taken for inputs and targets: none here
    inputs = keras.utils.unpack_x_y_sample_weight(packed)[0]
    ids, mask = (keras.ops.convert_to_numpy(inputs[name]) for name in ("token_ids", "padding_mask"))
    tokens = [[preprocessor.tokenizer.id_to_token(int(i)) for i in row] for row in ids]
    segments = keras.ops.convert_to_numpy(inputs["segment_ids"]).tolist() if pairs and "segment_ids" in inputs else None
    return Reading(inputs, {"source": tokens}, {"source": mask.astype(bool)}, segments)


def _as_tensor(array):
    return keras.ops.convert_to_tensor(np.asarray(array) if isinstance(array, list | tuple) else array)
