"""Which tags may follow which, in the schemes that write spans as tags of words."""

import numpy as np

SCHEMES = {"IOB1": "IB", "BIO": "BI", "BIOES": "BIES"}


def split_tag(tag, scheme):
    """Takes a tag apart into its letter and its type.

    Args:
        tag: string, such as `"B-person"`, `"I"` or `"O"`.
        scheme: string, one of `"IOB1"`, `"BIO"` and `"BIOES"`.

    Returns:
        A pair of strings: the letter, and the type, empty where the tag has none.

    Raises:
        ValueError: if the scheme has no such tag.

    Example:
        >>> split_tag("B-creative-work", "BIO")
        ('B', 'creative-work')
    """
    letter, dash, kind = tag.partition("-")
    if tag == "O" or (letter in SCHEMES[scheme] and len(letter) == 1 and bool(dash) == bool(kind)):
        return letter, kind
    raise ValueError(
        f"A tag of {scheme} is O, or one of {', '.join(SCHEMES[scheme])} with a dash and a type, as in {SCHEMES[scheme][0]}-person. Received: {tag!r}"
    )


def allowed_transitions(tags, scheme="BIO"):
    """Says where a tag may start, what may follow it, and where it may end.

    - `"BIO"` (IOB2): a span begins with B and goes on with I of its type.
    - `"BIOES"`: as BIO, but it ends with E, and a span of one word is S.
    - `"IOB1"`: all words of a span are I; B begins a span right behind another of its type, and stands nowhere else.

    Args:
        tags: list of strings, K different tags.
        scheme: string. Defaults to `"BIO"`.

    Returns:
        Three boolean NumPy arrays: of shape `(K, K)`, whether the column's tag may follow the row's; of shape `(K,)`, whether a sequence may start with a tag;
        and of shape `(K,)`, whether it may end with it.

    Raises:
        ValueError: if the scheme is unknown, a tag is not of it, or a tag occurs twice.

    Example:
        >>> follow, start, end = allowed_transitions(["O", "B-person", "I-person", "I-place"])
        >>> follow.astype(int)
        array([[1, 1, 0, 0],
               [1, 1, 1, 0],
               [1, 1, 1, 0],
               [1, 1, 0, 1]])
        >>> start
        array([ True,  True, False, False])
    """
    if scheme not in SCHEMES:
        raise ValueError(f"The schemes are {', '.join(SCHEMES)}. Received: scheme={scheme!r}")
    tags = list(tags)
    if len(set(tags)) != len(tags):
        raise ValueError(f"Each tag stands once. Received: {sorted(tag for tag in set(tags) if tags.count(tag) > 1)} more than once")
    parts = [split_tag(tag, scheme) for tag in tags]
    outside = ("O", "")
    follow = np.array([[_may_follow(before, after, scheme) for after in parts] for before in parts], bool).reshape(len(tags), len(tags))
    start = np.array([_may_follow(outside, after, scheme) for after in parts], bool)
    end = np.array([_may_follow(before, outside, scheme) for before in parts], bool)
    return follow, start, end


def _may_follow(before, after, scheme):
    """Whether a tag, as `split_tag` takes it apart, may follow another; a sequence starts and ends as if O were around it."""
    (last, kind), (letter, new_kind) = before, after
    goes_on = kind == new_kind and last != "O"
    if scheme == "IOB1":
        return letter != "B" or goes_on
    if scheme == "BIO":
        return letter != "I" or goes_on
    is_open = last in ("B", "I")  # BIOES: what has begun goes on until E
    return (letter in ("I", "E") and kind == new_kind) if is_open else letter in ("O", "B", "S")
