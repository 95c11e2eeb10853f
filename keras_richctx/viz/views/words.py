"""Which tokens are no words of the text, and which belong to one word."""

import re

from keras_richctx.text.byte_alphabet import byte_alphabet, show_bytes
from keras_richctx.viz.labels import visible

# What frames a text rather than being in it. A masked or unknown word stands for one of the text, and stays.
FRAMES = {"[CLS]", "[SEP]", "[PAD]", "[BOS]", "[EOS]", "<s>", "</s>", "<pad>", "<bos>", "<eos>", "<cls>", "<sep>", "<|endoftext|>"}
SPECIAL = FRAMES | {"[MASK]", "[UNK]", "<mask>", "<unk>"}
_BYTES = byte_alphabet()


def frames_text(token):
    """Returns whether a token frames the text, such as `[CLS]`, `[SEP]` or a pad, and holds none of it."""
    return token in FRAMES


def join_words(tokens):
    r"""Finds the words that a sub-word tokenizer took apart.

    WordPiece marks what goes on with a word (`##ing`); byte-level BPE (`Ġ`, or a space) and SentencePiece (`▁`) mark what begins one. Under these, signs
    without a letter or figure stand alone too. Special tokens always do.

    Args:
        tokens: list of strings.

    Returns:
        A list of pairs, the word as a label and the number of its tokens, in order; or `None` if no token is marked as a part of a word.

    Example:
        >>> join_words(["[CLS]", "un", "##believ", "##able", "!"])
        [('[CLS]', 1), ('unbelievable', 3), ('!', 1)]
        >>> join_words(["Ġcaf", "Ã©", "Ġis", "."])
        [('café', 2), ('is', 1), ('.', 1)]
        >>> join_words(["a", "b"]) is None
        True
    """
    marks = next((mark for mark in ("##", "Ġ", "▁", " ") if any(token.startswith(mark) and len(token) > len(mark) for token in tokens)), None)
    if marks is None:
        return None
    words = []
    for token, before in zip(tokens, [None, *tokens]):
        if before is not None and _continues(token, before, marks):
            words[-1].append(token)
        else:
            words.append([token])
    return [(visible(_spell(word, marks)), len(word)) for word in words]


def _continues(token, before, mark):
    """Returns whether a token goes on with the word of the one before it."""
    if token in SPECIAL or before in SPECIAL:
        return False
    if mark == "##":
        return token.startswith("##") and len(token) > 2
    # a sign without letter or figure, and what follows one, are words of their own
    spelt, last = _spell([token], mark, strip=False), _spell([before], mark, strip=False)
    return not token.startswith(mark) and not token[:1].isspace() and bool(re.search(r"[\w\ufffd<]", spelt)) and bool(re.search(r"[\w\ufffd<]", last))


def _spell(word, mark, strip=True):
    """Returns the tokens of one word, joined and without marks."""
    if len(word) == 1 and word[0] in SPECIAL:
        return word[0]
    if mark == "##":
        return word[0] + "".join(token.removeprefix("##") for token in word[1:])
    text = "".join(word)
    if mark == "Ġ" and _BYTES.keys() >= set(text):
        text = show_bytes(bytes(_BYTES[c] for c in text))
    text = text.replace("▁", " ") if mark == "▁" else text
    return text.strip(" ") or text if strip else text
