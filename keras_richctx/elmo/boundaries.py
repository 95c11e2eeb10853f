"""The beginning and the end of sentences, put around them and taken off again."""

import keras


def add_boundaries(sentences, mask, begin, end):
    """Puts the beginning before the first word of each sentence, and the end behind its last, wherever its pads stand.

    A row without words becomes a sentence of the two marks alone, as in the published code.

    Args:
        sentences: tensor of shape `(B, T, N)`: what stands for each word.
        mask: boolean tensor of shape `(B, T)`, `True` at words.
        begin: tensor of shape `(N,)`, what stands for the beginning.
        end: tensor of shape `(N,)`, what stands for the end.

    Returns:
        A pair: `(B, T + 2, N)`, where each word stands one position further on than before, and its mask.
    """
    length = keras.ops.shape(mask)[1]
    places = keras.ops.arange(length, dtype="int32")[None]  # (1, T)
    words = keras.ops.any(mask, axis=1, keepdims=True)  # (B, 1)
    first = keras.ops.where(words, keras.ops.min(keras.ops.where(mask, places, length), axis=1, keepdims=True), 0)  # of the words
    last = keras.ops.max(keras.ops.where(mask, places, -1), axis=1, keepdims=True)
    places = keras.ops.arange(length + 2, dtype="int32")[None]  # (1, T + 2)
    begins, ends = places == first, places == last + 2  # (B, T + 2)
    wide = keras.ops.pad(sentences, [[0, 0], [1, 1], [0, 0]])  # (B, T + 2, N)
    wide = keras.ops.where(begins[..., None], begin, keras.ops.where(ends[..., None], end, wide))
    inside = keras.ops.pad(keras.ops.cast(mask, "int32"), [[0, 0], [1, 1]]) > 0
    return wide, keras.ops.logical_or(inside, keras.ops.logical_or(begins, ends))


def drop_boundaries(layers, mask):
    """Takes off what `add_boundaries` has put on.

    Args:
        layers: float tensor of shape `(B, L, T + 2, D)`.
        mask: boolean tensor of shape `(B, T)`, that of the words.

    Returns:
        A float tensor of shape `(B, L, T, D)`, zeros at pads.
    """
    inner = layers[:, :, 1:-1]
    return keras.ops.where(mask[:, None, :, None], inner, keras.ops.zeros_like(inner))
