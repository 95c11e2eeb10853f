"""The checks of the tokenizers' arguments, and their messages."""

import operator

import numpy as np


def check_text(text):
    """Returns `text`, or raises where it is no string that has a UTF-8 form.

    Args:
        text: string, to be checked.

    Returns:
        `text` itself.

    Raises:
        TypeError: if `text` is not a string.
        ValueError: if `text` holds a lone surrogate; the message names it and its position.
    """
    if not isinstance(text, str):
        raise TypeError(f"A text is a string. Received: {describe(text)}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"A text must be valid Unicode; a lone surrogate comes from a wrong decoding, read the source again as UTF-8. "
            f"Received: U+{ord(text[error.start]):04X} at position {error.start} of {text[:80]!r}"
        ) from error
    return text


def check_ids(ids, vocab_size):
    """Returns `ids` as a list of ints, or raises where one is none or not in the vocabulary.

    Args:
        ids: iterable of ints, to be checked.
        vocab_size: int, the number of ids.

    Returns:
        A list of ints.

    Raises:
        TypeError: if an id is not an integer.
        ValueError: if an id is below 0 or not below `vocab_size`; the message names it and its position.
    """
    checked = []
    for position, i in enumerate(ids):
        try:
            checked.append(operator.index(i))
        except TypeError:
            raise TypeError(f"Ids are integers. Received: {i!r} of type {type(i).__name__} at position {position}") from None
        if not 0 <= checked[-1] < vocab_size:
            raise ValueError(f"Ids lie in 0 ... {vocab_size - 1}, the vocabulary of this tokenizer. Received: id {i} at position {position}")
    return checked


def check_vocab_size(vocab_size, minimum, why):
    """Returns `vocab_size` as an int, or raises where it is none or below `minimum`.

    Args:
        vocab_size: int, to be checked.
        minimum: int, the smallest that is allowed.
        why: string, what the minimum consists of.

    Returns:
        An int.

    Raises:
        TypeError: if `vocab_size` is not an integer.
        ValueError: if it is below `minimum`.
    """
    try:
        size = operator.index(vocab_size)
    except TypeError:
        raise TypeError(f"vocab_size must be an integer. Received: vocab_size={vocab_size!r}") from None
    if size < minimum:
        raise ValueError(f"vocab_size must be at least {minimum}: {why}. Received: vocab_size={size}")
    return size


def to_lists(ids):
    """Returns `ids` as a list, of lists where they are of rank 2.

    Args:
        ids: list, array, tensor or `tf.RaggedTensor`.

    Returns:
        A list.

    Raises:
        TypeError: if `ids` is a scalar.
    """
    if hasattr(ids, "to_list"):  # tf.RaggedTensor
        return ids.to_list()
    ids = ids if isinstance(ids, list | tuple) else np.asarray(ids).tolist()
    if not isinstance(ids, list | tuple):
        raise TypeError(f"Ids are a list of ints, a list of such lists, or an array of rank 1 or 2. Received: {ids!r}")
    return [to_lists(row) if isinstance(row, list | tuple | np.ndarray) else row for row in ids]


def describe(value):
    """Says what `value` is, where strings were wanted; of a list, what its first wrong item is.

    Args:
        value: any object.

    Returns:
        A string, for an error message.
    """
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            if not isinstance(item, str):
                return f"a {type(value).__name__} with {item!r} of type {type(item).__name__} at position {i}"
    return f"{str(value)[:80]!r} of type {type(value).__name__}"
