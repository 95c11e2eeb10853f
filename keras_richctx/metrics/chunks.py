"""Spans of words, read from tags as conlleval reads them."""

BEHIND_A_SPAN = ("O", "E", "S")  # an I or E that follows one of these begins a span of its own
OPENS = ("B", "S")


def chunks(tags):
    """Reads the spans out of a sentence's tags, in whatever scheme they are: IOB1, BIO (IOB2) or BIOES.

    The rules are those of the CoNLL shared tasks' scorer, conlleval, with S for a span of one word beside its B, I, E and O, and take ill-formed sequences too:

    - a span begins at B and S; at I and E behind O, E or S, or at the start; and wherever the type changes,
    - it ends behind E and S; before B, S and O; wherever the type changes; and at the end of the sentence.

    Args:
        tags: list of strings, such as `"O"`, `"B-person"` or `"I"`: a letter of B, I, E, S, O, and, with a dash, a type; a tag without one is of the type `""`.

    Returns:
        A list of tuples `(type, start, end)`: words `start` to `end - 1`, in their order.

    Raises:
        ValueError: if a tag begins with another letter.

    Example:
        >>> chunks(["B-person", "I-person", "O", "I-place", "B-place"])
        [('person', 0, 2), ('place', 3, 4), ('place', 4, 5)]
        >>> chunks(["I-person", "I-place", "E-place", "E-place"])
        [('person', 0, 1), ('place', 1, 3), ('place', 3, 4)]

    References:
        [Tjong Kim Sang and De Meulder, 2003](https://aclanthology.org/W03-0419/), section 2.3.
    """
    found, start, last, last_kind = [], None, "O", ""
    for place, tag in enumerate([*tags, "O"]):
        letter, dash, kind = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        if letter not in ("B", "I", "E", "S", "O") or (dash and not kind):
            raise ValueError(f"A tag is O, or B, I, E or S with a dash and a type. Received: tags[{place}]={tag!r}")
        begins = letter != "O" and (letter in OPENS or last in BEHIND_A_SPAN or kind != last_kind)
        if start is not None and (begins or letter == "O" or last in ("E", "S")):
            found.append((last_kind, start, place))
            start = None
        if begins:
            start = place
        last, last_kind = letter, kind
    return found
