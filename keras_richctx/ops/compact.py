"""Sequences with gaps, without them: kernels that know no masks run over the real positions, wherever those stand."""

import keras


def to_front(sequences, mask):
    """Moves the real positions of each row to its front, in their order.

    Args:
        sequences: tensor of shape `(B, T, D)`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions.

    Returns:
        A tensor of shape `(B, T, D)`; the pads follow.
    """
    length = keras.ops.shape(mask)[1]
    place = keras.ops.arange(length, dtype="int32")[None] + keras.ops.where(mask, 0, length)  # (B, T): every pad behind every real position
    return take_positions(sequences, keras.ops.argsort(place, axis=1))


def from_front(outputs, mask):
    """Gives each position the last output at or before it, and zeros where there is none: what a recurrent layer puts out at pads.

    Args:
        outputs: tensor of shape `(B, T, U)`, of the positions that `to_front` has moved.
        mask: boolean tensor of shape `(B, T)`.

    Returns:
        A tensor of shape `(B, T, U)`.
    """
    count = keras.ops.cumsum(keras.ops.cast(mask, "int32"), axis=1)  # (B, T): real positions so far
    return keras.ops.where(count[..., None] > 0, take_positions(outputs, keras.ops.maximum(count - 1, 0)), keras.ops.zeros_like(outputs))


def take_positions(x, places):
    """Picks positions row by row.

    Args:
        x: tensor of shape `(B, T, D)`.
        places: integer tensor of shape `(B, W)`, each from 0 to T - 1.

    Returns:
        A tensor of shape `(B, W, D)`.

    Example:
        >>> take_positions(np.arange(6.0).reshape(1, 3, 2), np.array([[2, 0]])).numpy()
        array([[[4., 5.],
                [0., 1.]]])
    """
    if keras.backend.backend() == "jax":  # which knows then that each row is a matter of its own, so that devices which share a batch do not ask one another
        return keras.ops.take_along_axis(x, keras.ops.cast(places, "int32")[..., None], axis=1)
    batch, length = keras.ops.shape(x)[0], keras.ops.shape(x)[1]
    flat = keras.ops.arange(batch, dtype="int32")[:, None] * length + keras.ops.cast(places, "int32")  # (B, W) of 0 .. B T - 1
    return keras.ops.take(keras.ops.reshape(x, (-1, x.shape[-1])), flat, axis=0)  # (B T, D) -> (B, W, D)
