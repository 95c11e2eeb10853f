"""Masks: boolean, `True` where a position is real or may be attended; combined with "and", applied with `where`."""

import numbers

import keras


def as_mask(mask, name="mask"):
    """Returns `mask` as a boolean tensor, and refuses a mask of floats.

    A float mask is usually an additive one (zeros where attention is allowed, large negative numbers elsewhere), whose truth values say the opposite
    of what is meant.

    Args:
        mask: boolean or integer tensor, or lists of such values; nonzero means real.
        name: string, what the error calls the mask.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        ValueError: if `mask` holds floats.

    Example:
        >>> as_mask(np.array([1, 1, 0])).dtype
        tf.bool
    """
    if not hasattr(mask, "dtype"):
        mask = keras.ops.convert_to_tensor(mask)
    dtype = keras.backend.standardize_dtype(mask.dtype)
    if "float" in dtype:
        raise ValueError(
            f"A mask is boolean here: True where a position is real or may be attended. Received: {name} of dtype {dtype}. "
            "Turn an additive mask into one with `mask == 0`, a 0/1 mask of floats with `mask != 0`."
        )
    return keras.ops.cast(mask, "bool")


def padding_mask(token_ids, pad_id=0):
    """Marks the real positions of a padded batch of token ids.

    Args:
        token_ids: integer tensor of shape `(B, T)`.
        pad_id: integer, the id that fills up short rows. Defaults to `0`.

    Returns:
        A boolean tensor of shape `(B, T)`, `True` where the id is not `pad_id`.

    Example:
        >>> padding_mask(np.array([[5, 3, 0]])).numpy()
        array([[ True,  True, False]])
    """
    return keras.ops.not_equal(token_ids, pad_id)


def causal_mask(target_length, source_length=None):
    r"""Lets position $t$ attend to positions up to its own: $m_{ts} = [\,s \le t + S - T\,]$.

    Where the source is longer than the target (the last `T` of `S` positions, as in decoding with a cache) the last target position sees all of the
    source, and the first one sees `S - T` positions before its own.

    Args:
        target_length: integer, `T`, the number of queries.
        source_length: integer, `S`, the number of keys. Defaults to `target_length`.

    Returns:
        A boolean tensor of shape `(T, S)`.

    Raises:
        ValueError: if a length is no integer, or if there are fewer keys than queries, so that some query would see nothing.

    Example:
        >>> causal_mask(2, 3).numpy()
        array([[ True,  True, False],
               [ True,  True,  True]])
    """
    if source_length is None:
        source_length = target_length
    for name, length in (("target_length", target_length), ("source_length", source_length)):
        if isinstance(length, numbers.Real) and not isinstance(length, numbers.Integral):
            raise ValueError(f"A causal mask is over whole positions. Received: {name}={length!r}")
    known = isinstance(source_length, numbers.Integral) and isinstance(target_length, numbers.Integral)
    if known and source_length < target_length:
        raise ValueError(
            "A causal mask needs at least as many keys as queries, or its first queries see nothing. "
            f"Received: target_length={target_length}, source_length={source_length}"
        )
    t = keras.ops.arange(target_length)[:, None]  # (T, 1)
    s = keras.ops.arange(source_length)[None, :]  # (1, S)
    return s <= t + (source_length - target_length)  # (T, S)


def slots_mask(index, target_length, num_slots):
    r"""Lets the t-th of some new positions attend to the slots of a cache up to its own: $m_{ts} = [\,s \le i + t\,]$.

    Args:
        index: int32 tensor or integer, $i$, the number of slots that were filled before: the slot of the first new position.
        target_length: integer, `T`, the number of new positions.
        num_slots: integer, `S`.

    Returns:
        A boolean tensor of shape `(1, 1, T, S)`.

    Example:
        >>> slots_mask(1, 2, 4).numpy()[0, 0]
        array([[ True,  True, False, False],
               [ True,  True,  True, False]])
    """
    t = keras.ops.arange(target_length, dtype="int32")[:, None]  # (T, 1)
    s = keras.ops.arange(num_slots, dtype="int32")[None, :]  # (1, S)
    return (s <= index + t)[None, None]  # (1, 1, T, S)


def merge_masks(*masks):
    """Combines masks with a logical and; `None` stands for "everything is real" and is skipped.

    Args:
        *masks: boolean tensors that broadcast against each other, or `None`.

    Returns:
        A boolean tensor of the broadcast shape, or `None` if every mask is `None`.

    Example:
        >>> real = padding_mask(np.array([[5, 3, 0]]))
        >>> merge_masks(causal_mask(3), real[:, None, :], None).shape  # (T, S) and (B, 1, S)
        TensorShape([1, 3, 3])
    """
    merged = None
    for i, mask in enumerate(masks):
        if mask is None:
            continue
        mask = as_mask(mask, name=f"masks[{i}]")
        merged = mask if merged is None else keras.ops.logical_and(merged, mask)
    return merged
