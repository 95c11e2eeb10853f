"""One long stream of tokens as batches whose rows each go on in the next batch."""

import operator

import numpy as np


def stream_chunks(stream, batch_size, chunk):
    """Lays a stream of tokens out as parallel rows and cuts these into chunks, for training with a carried state.

    The stream is split into `batch_size` rows, of lengths that differ by one at most, and the rows into chunks: batch k holds the k-th chunk of every row, so
    that row b of a batch goes on where row b of the batch before it ended. The target of each token is the token after it. Every token but the first is a
    target
    once: the last chunk is filled up with pads, id 0, whose weight is zero.

    Args:
        stream: integer array of shape `(N,)`.
        batch_size: integer, B, the number of rows.
        chunk: integer, C, the tokens of a chunk. No longer than a row, as long as that suffices.

    Returns:
        A triple of inputs, targets and weights as `keras.Model.fit` takes them, with `batch_size=B` and `shuffle=False`, for K batches of B examples each: the
        inputs are a dict of `token_ids`, int32 `(K B, C)`, and `begins`, boolean `(K B,)`, `True` where a row begins; the targets are int32 `(K B, C)`; the
        weights are float32 `(K B, C)`, one at real targets and zero at pads.

    Raises:
        TypeError: if `batch_size` or `chunk` is no integer.
        ValueError: if `batch_size` or `chunk` is not positive, or `stream` is no 1-D integer array or too short to give each row a token and its target.

    Example:
        >>> inputs, targets, weights = stream_chunks(np.arange(8), batch_size=2, chunk=3)
        >>> inputs["token_ids"].reshape(2, 2, 3)  # two batches of two rows
        array([[[0, 1, 2],
                [4, 5, 6]],
               [[3, 0, 0],
                [0, 0, 0]]], dtype=int32)
        >>> targets[0], int(weights.sum())
        (array([1, 2, 3], dtype=int32), 7)
    """
    for name, value in (("batch_size", batch_size), ("chunk", chunk)):
        if operator.index(value) < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    stream = np.asarray(stream)
    if stream.ndim != 1 or stream.dtype.kind not in "iu":
        raise ValueError(f"A stream is one 1-D array of token ids. Received: stream of shape {stream.shape} and dtype {stream.dtype}.")
    pairs = len(stream) - 1  # of a token and the one after it
    if pairs < batch_size:
        raise ValueError(f"Each of {batch_size} rows needs a token and its target. Received: a stream of {len(stream)} tokens. Pass a smaller batch_size.")
    length = -(-pairs // batch_size)  # of the longest row
    chunk = min(chunk, length)
    count = -(-length // chunk)  # K
    sizes = pairs // batch_size + (np.arange(batch_size) < pairs % batch_size)  # (B,)
    starts = np.cumsum(sizes) - sizes  # (B,)
    places = np.arange(count * chunk)  # (K C,), within a row
    real = places < sizes[:, None]  # (B, K C)
    places = np.where(real, starts[:, None] + places, 0)  # (B, K C), within the stream

    def cut(rows):
        return rows.reshape(batch_size, count, chunk).swapaxes(0, 1).reshape(-1, chunk)  # (B, K C) -> (K B, C)

    token_ids, targets = (np.where(real, stream[places + shift], 0).astype("int32") for shift in (0, 1))
    inputs = {"token_ids": cut(token_ids), "begins": np.arange(count * batch_size) < batch_size}
    return inputs, cut(targets), cut(real).astype("float32")
