"""Sequences of tokens that end a line, besides the end symbol."""

import numbers

import keras
import numpy as np

ANY = -1


def stop_matrix(stop):
    """Lays stop sequences out in one matrix, so that a program serves all of the same size.

    Args:
        stop: list of sequences of token ids, none of them empty, or `None`.

    Returns:
        An int32 array of shape `(N, M)`, each row a sequence at its right end, `ANY` before it; M is a multiple of eight.

    Raises:
        ValueError: if a sequence is empty, or holds what is no token id.
    """
    rows = [] if stop is None else list(stop)
    for row in rows:
        wrong = isinstance(row, str) or not len(row) or not all(isinstance(i, numbers.Integral) and i >= 0 for i in row)
        if wrong:
            raise ValueError(f"stop is a list of sequences of token ids, such as [[198, 198]]; tokenize texts first. Received: one of {row!r}")
    longest = -(-max(map(len, rows), default=0) // 8) * 8
    return np.array([[ANY] * (longest - len(row)) + list(row) for row in rows], "int32").reshape(len(rows), longest)


def ends_with_stop(tokens, t, stops):
    """Says which lines have just completed a stop sequence.

    Args:
        tokens: int32 tensor of shape `(..., 1 + L)`, the lines with the token of step `t` in column `t + 1`. The prompt, column 0, takes no part.
        t: int32 tensor of shape `()`.
        stops: int32 tensor of shape `(N, M)`, of `stop_matrix`.

    Returns:
        A boolean tensor of shape `(...)`.
    """
    longest = stops.shape[-1]
    columns = t + 2 - longest + keras.ops.arange(longest, dtype="int32")  # (M,): the last M columns
    window = keras.ops.take(tokens, keras.ops.maximum(columns, 0), axis=-1)[..., None, :]  # (..., 1, M)
    same = keras.ops.logical_and(window == stops, columns > 0)  # (..., N, M)
    return keras.ops.any(keras.ops.all(keras.ops.logical_or(same, stops == ANY), axis=-1), axis=-1)
