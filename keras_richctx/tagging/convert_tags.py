"""The same spans in another scheme."""

from keras_richctx.metrics import chunks
from keras_richctx.tagging.transitions import SCHEMES


def convert_tags(tags, scheme):
    """Writes the spans of a sentence in another scheme.

    The spans are read as `krc.metrics.chunks` reads them, whatever scheme the tags are in, and well-formed or not: what comes out is well-formed, and means the
    same to conlleval.

    Args:
        tags: list of strings, the tags of one sentence, in IOB1, BIO or BIOES.
        scheme: string, `"IOB1"`, `"BIO"` or `"BIOES"`.

    Returns:
        A list of strings, as many.

    Raises:
        ValueError: if the scheme is unknown, or a tag is none.

    Example:
        >>> convert_tags(["I-person", "I-person", "O", "I-place"], "BIOES")
        ['B-person', 'E-person', 'O', 'S-place']
    """
    if scheme not in SCHEMES:
        raise ValueError(f"The schemes are {', '.join(SCHEMES)}. Received: scheme={scheme!r}")
    converted, behind = ["O"] * len(tags), (None, None)
    for kind, start, end in chunks(tags):
        letters = ["B"] + ["I"] * (end - start - 1)
        if scheme == "IOB1" and behind != (kind, start):  # B is for a span right behind another of its type
            letters[0] = "I"
        if scheme == "BIOES":
            letters[-1] = "S" if end - start == 1 else "E"
        converted[start:end] = [f"{letter}-{kind}" if kind else letter for letter in letters]
        behind = (kind, end)
    return converted
