"""How a byte-level vocabulary spells bytes."""

import re


def byte_alphabet():
    """Returns the printable character that stands for each byte in a byte-level vocabulary.

    A printable byte of Latin-1 stands for itself, the 68 others (spaces, controls) follow from U+0100 on: the space is `Ġ`, U+0120.

    Returns:
        A dictionary from characters to bytes, of 256 entries.

    References:
        [GPT-2's `encoder.py`](https://github.com/openai/gpt-2/blob/master/src/encoder.py), `bytes_to_unicode`.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


def show_bytes(content):
    """Decodes UTF-8 for a reader: a byte that is no part of a whole character shows as `<0xE2>`.

    Args:
        content: bytes.

    Returns:
        A string.

    Example:
        >>> show_bytes("né".encode()[:2])
        'n<0xC3>'
    """
    text = content.decode("utf-8", "surrogateescape")  # a stray byte b becomes U+DC00 + b
    return re.sub("[\udc80-\udcff]", lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", text)
