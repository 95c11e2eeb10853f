"""What a decoding begins from: one kind of prompt, whatever it came as."""

import dataclasses
import numbers

import numpy as np

BUCKET = 16  # lengths are rounded up to a multiple, so that a new one rarely needs a new program


@dataclasses.dataclass(frozen=True)
class Prompts:
    """The inputs of a search, and what stands before its result.

    Attributes:
        inputs: dict of arrays with leading axis B, what `model.start` takes. The token ids of a prompt have a length of a multiple of `BUCKET` there, with pads
            on the left.
        before: integer array of shape `(B, T - 1)`, all of the prompts but their last tokens, in the length that they came in; `(B, 0)` for a model whose lines
            begin by themselves.
    """

    inputs: dict
    before: np.ndarray

    @property
    def batch(self):
        """B, the number of rows."""
        return len(self.before)


def round_up(length):
    """Rounds a length up to a multiple of `BUCKET`."""
    return -(-int(length) // BUCKET) * BUCKET


def read_prompts(model, inputs, max_new_tokens):
    """Reads what a caller of `greedy`, `beam` or `sample` gave.

    Args:
        model: the model; with a `max_length` it reads no more tokens than that, prompt and continuation together.
        inputs: list of lists of token ids, or integer array `(B, T)`: prompts; or a dict of arrays with leading axis B, in which `token_ids` is a prompt.
        max_new_tokens: integer, the largest limit.

    Returns:
        `Prompts`.

    Raises:
        ValueError: if a prompt is empty, too long, or not made of token ids.
    """
    if isinstance(inputs, dict) and "token_ids" not in inputs:
        inputs = {name: np.asarray(value) for name, value in inputs.items()}
        return Prompts(inputs, np.zeros((len(next(iter(inputs.values()))), 0), "int32"))
    rest = {name: np.asarray(value) for name, value in inputs.items() if name not in ("token_ids", "padding_mask")} if isinstance(inputs, dict) else {}
    rows = list(_rows(inputs, model))
    longest = max(map(len, rows), default=0)
    for i, row in enumerate(rows):
        if not len(row):
            raise ValueError(f"A prompt needs a token to go on from. Received: none in row {i}. Begin with one, such as the end symbol of the text before.")
        vocab_size = getattr(model, "vocab_size", None)
        if row.min() < 0 or (vocab_size is not None and row.max() >= vocab_size):
            wrong = row.min() if row.min() < 0 else row.max()
            raise ValueError(f"The model knows token ids from 0 to {vocab_size - 1}. Received: {wrong} in row {i}. Is the tokenizer the model's own?")
    room = getattr(model, "max_length", None)
    if room is not None and longest + max_new_tokens > room:
        raise ValueError(
            f"The model reads {room} tokens, prompt and continuation together. Received: a prompt of {longest} tokens and max_new_tokens={max_new_tokens}. "
            "Cut the prompt from its left, or write fewer tokens."
        )
    length = round_up(max(longest, 1))
    token_ids, mask = np.full((len(rows), length), model.pad_id, "int32"), np.zeros((len(rows), length), bool)
    for i, row in enumerate(rows):
        token_ids[i, length - len(row) :] = row
        mask[i, length - len(row) :] = True
    return Prompts({**rest, "token_ids": token_ids, "padding_mask": mask}, token_ids[:, length - longest : -1])


def _rows(inputs, model):
    """Yields the real token ids of each row, an int32 array."""
    mask, given = None, inputs
    if isinstance(inputs, dict):
        given, mask = inputs["token_ids"], inputs.get("padding_mask")
    if isinstance(given, list | tuple):
        if any(isinstance(row, str | numbers.Number) for row in given):
            raise ValueError(f"Prompts are lists of token ids, one for each row; tokenize texts first, and put one prompt in a list. Received: {given!r}")
        rows = [np.asarray(row) for row in given]
    else:
        rows = np.asarray(given)
        if rows.ndim != 2:
            raise ValueError(f"Prompts are lists of token ids or an array of shape (B, T). Received: an array of shape {rows.shape}")
    if mask is not None:
        mask = np.asarray(mask).astype(bool)
        if [row.shape for row in mask] != [row.shape for row in rows]:
            raise ValueError(f"padding_mask has the shape of token_ids. Received: {mask.shape} for {len(rows)} rows of {len(rows[0]) if len(rows) else 0}")
    # a pad that is the end symbol too may be a real token, and is told by the mask alone
    by_id = mask is None and not isinstance(given, list | tuple) and model.pad_id != model.eos_id
    for i, row in enumerate(rows):
        if row.size and row.dtype.kind not in "iu":
            raise ValueError(f"Prompts are made of token ids, integers. Received: row {i} of dtype {row.dtype}")
        row = row.astype("int32")
        yield row[mask[i]] if mask is not None else row[row != model.pad_id] if by_id else row
