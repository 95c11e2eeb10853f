"""What the two kinds of positions share."""

import keras


def default_positions(inputs):
    """Numbers the positions of `inputs`, `(B, T, D)`: 0 to T - 1, int32 `(T,)`."""
    return keras.ops.arange(inputs.shape[1] or keras.ops.shape(inputs)[1], dtype="int32")


def add_positions(inputs, encoding):
    """Adds an encoding, `(T, D)` or `(B, T, D)`, to `inputs`, `(B, T, D)`, in float32 at least: a sum rounded once."""
    wide = keras.backend.result_type(inputs.dtype, "float32")
    return keras.ops.cast(keras.ops.cast(inputs, wide) + keras.ops.cast(encoding, wide), inputs.dtype)


def positions_of(mask):
    """Counts the real positions: the n-th that is `True` in a row of `mask`, `(B, T)`, has the number n - 1, and pads before the first one have zero."""
    return keras.ops.maximum(keras.ops.cumsum(keras.ops.cast(mask, "int32"), axis=1) - 1, 0)  # (B, T)
