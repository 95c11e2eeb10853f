"""Rows of different lengths as one array."""

import numpy as np


def pad_rows(rows, value=0, multiple=1):
    """Makes an int32 array `(N, W)` of lists of integers, W a multiple, filled up with `value` at their ends.

    Example:
        >>> pad_rows([[5, 9], [7]], multiple=4).tolist()
        [[5, 9, 0, 0], [7, 0, 0, 0]]
    """
    mask = row_mask(rows, multiple)
    array = np.full(mask.shape, value, "int32")
    array[mask] = np.concatenate(rows)
    return array


def row_mask(rows, multiple=1):
    """Says where the rows are in that array: boolean `(N, W)`.

    Example:
        >>> row_mask([[5, 9], [7]]).tolist()
        [[True, True], [True, False]]
    """
    lengths = np.array([len(row) for row in rows])
    return np.arange(-(-lengths.max() // multiple) * multiple) < lengths[:, None]
