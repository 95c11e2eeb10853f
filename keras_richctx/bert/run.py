"""Runs a model over texts of many lengths."""

import keras
import numpy as np

from keras_richctx.text import pack_pairs


def run(model, bert, first, second, read, batch_size=32, max_length=None):
    """Runs a model over texts or pairs of texts, those of like length together, and returns what it says of each in their order.

    Args:
        model: `keras.Model` that takes what `pack_pairs` gives.
        bert: the `Bert` that is in it, or the model itself.
        first: list of strings.
        second: list of strings, the second text of each pair, or `None`.
        read: function from the outputs for a batch, as NumPy arrays, and its mask, `(B, T)`, to one result for each row.
        batch_size: integer, B. The last batch is filled up with rows of its own.
        max_length: integer, the most tokens of a row, to which longer ones are cut; or `None` for an error where a row is longer than the model can read.

    Returns:
        A list.

    Raises:
        ValueError: if there is no tokenizer, a row is too long, or there are not as many second texts as first ones.
    """
    tokenizer = tokenizer_of(bert)
    if second is not None and len(first) != len(second):
        raise ValueError(f"Each first text has its second one. Received: {len(first)} first and {len(second)} second texts")
    first, second = tokenizer(list(first)), None if second is None else tokenizer(list(second))
    specials = 2 if second is None else 2 + tokenizer.pair_separators
    lengths = [len(ids) + (len(second[i]) if second else 0) + specials for i, ids in enumerate(first)]
    longest = max(lengths, default=0)
    if longest > bert.max_length and max_length is None:
        raise ValueError(f"The model reads {bert.max_length} tokens. Received: a text of {longest}. Cut it with max_length={bert.max_length}, or split it.")
    results = [None] * len(first)
    for batch in length_batches(lengths, batch_size):
        pairs = [None if texts is None else [texts[i] for i in batch] for texts in (first, second)]
        inputs = pack_pairs(tokenizer, *pairs, pad_to_multiple=padding_step(), max_length=min(max_length or bert.max_length, bert.max_length))
        for i, result in zip(batch, read(model.predict_on_batch(inputs), inputs["padding_mask"])):
            results[i] = result
    return results


def run_rows(model, inputs, read, batch_size=32):
    """Runs a model over rows that are packed already, those of like length together, each batch cut to its longest row.

    Args:
        model: `keras.Model` that takes `inputs`.
        inputs: dict of arrays `(N, T)`, among them `padding_mask`, boolean, whose pads stand at the end of each row.
        read: function from the outputs for a batch, as NumPy arrays, and the places of its rows, an integer array `(B,)`, to one result for each row.
        batch_size: integer, B. The last batch is filled up with rows of its own.

    Returns:
        A list of N results.
    """
    lengths = inputs["padding_mask"].sum(axis=1)
    results = [None] * len(lengths)
    for batch in length_batches(lengths, batch_size):
        for i, result in zip(batch, read(model.predict_on_batch(cut(inputs, batch, lengths, padding_step())), np.array(batch))):
            results[i] = result
    return results


def length_batches(lengths, batch_size):
    """Lists the places of rows, batch by batch, from the shortest row to the longest; the last batch names its last row again until it is full.

    Args:
        lengths: list or array of N integers.
        batch_size: integer.

    Returns:
        A list of lists of integers.

    Example:
        >>> length_batches([5, 2, 9], 2)
        [[1, 0], [2, 2]]
    """
    order = np.argsort(lengths, kind="stable").tolist()
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    return [batch + batch[-1:] * (min(batch_size, len(order)) - len(batch)) for batch in batches]


def cut(inputs, rows, lengths, multiple):
    """Takes some rows of arrays `(N, T)`, as far as the longest of them reaches, rounded up to a multiple."""
    width = -(-int(max(lengths[i] for i in rows)) // multiple) * multiple
    return {name: array[rows, :width] for name, array in inputs.items()}


def padding_step():
    """Says of what the lengths of batches are multiples: of more where each shape is a program that XLA compiles."""
    return 16 if keras.backend.backend() == "tensorflow" else 64


def tokenizer_of(bert):
    """Returns the tokenizer, which must be there."""
    if bert.tokenizer is None:
        raise ValueError("To read texts, the model needs its tokenizer. Received: a Bert with tokenizer=None. Give it one, or call the model on token ids.")
    return bert.tokenizer
