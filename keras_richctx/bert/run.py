"""Runs a model over texts of many lengths."""

import numpy as np

STEP = 16  # rows are padded to multiples of this, so that few shapes are compiled


def run(model, bert, texts, read, batch_size=32, max_length=None):
    """Runs a model over texts, those of like length together, and returns what it says of each in their order.

    Args:
        model: `keras.Model` that takes a dict of `token_ids` and `padding_mask`.
        bert: the `Bert` that is in it, or the model itself.
        texts: list of strings.
        read: function from the outputs for a batch, as NumPy arrays, and its mask, `(B, T)`, to one result for each row.
        batch_size: integer, B. The last batch is filled up with rows of its own.
        max_length: integer, the most tokens of a text; or `None` for an error where the model reads fewer.

    Returns:
        A list.

    Raises:
        ValueError: if there is no tokenizer, or a text is too long.
    """
    return run_ids(model, bert, encode(bert, texts, max_length), read, batch_size)


def encode(bert, texts, max_length=None):
    """Turns texts into lists of ids, from the beginning symbol to the end symbol."""
    tokenizer = tokenizer_of(bert)
    rows = tokenizer(list(texts), bos=True, eos=True)
    if max_length is not None:
        rows = [row if len(row) <= max_length else [*row[: max_length - 1], tokenizer.eos_id] for row in rows]
    longest = max(map(len, rows), default=0)
    if longest > bert.max_length:
        raise ValueError(f"The model reads {bert.max_length} tokens. Received: a text of {longest}. Cut it with max_length={bert.max_length}, or split it.")
    return rows


def run_ids(model, bert, rows, read, batch_size=32, segments=None):
    """Does what `run` does, with lists of ids in the place of texts, and with lists of their segments."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    results = [None] * len(rows)
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        batch += batch[-1:] * (min(batch_size, len(rows)) - len(batch))
        lengths = np.array([len(rows[i]) for i in batch])
        width = min(bert.max_length, -(-lengths.max() // STEP) * STEP)
        mask = np.arange(width) < lengths[:, None]  # (B, T)
        inputs = {"token_ids": np.full(mask.shape, bert.pad_id, "int32"), "padding_mask": mask}
        inputs["token_ids"][mask] = np.concatenate([rows[i] for i in batch])
        if segments is not None:
            inputs["segment_ids"] = np.zeros(mask.shape, "int32")
            inputs["segment_ids"][mask] = np.concatenate([segments[i] for i in batch])
        for i, result in zip(batch, read(model.predict_on_batch(inputs), mask)):
            results[i] = result
    return results


def tokenizer_of(bert):
    """Returns the tokenizer, which must be there."""
    if bert.tokenizer is None:
        raise ValueError("To read texts, the model needs its tokenizer. Received: a Bert with tokenizer=None. Give it one, or call the model on token ids.")
    return bert.tokenizer
