"""Reading the texts that a tokenizer is trained on: strings as they come, files line by line."""

import os
import pathlib

from keras_richctx.text.checks import check_text


def read_texts(texts, keep_ends=False):
    """Yields the strings of a corpus, checked, from strings and from text files.

    Each item decides for itself: a `str` is a text, a `pathlib.Path` is a UTF-8 file with one text a line (a byte-order mark and the line ends, `\\n`
    or `\\r\\n`, are not part of a text). A text may be empty, a corpus may not.

    Args:
        texts: iterable of strings and paths, or one path.
        keep_ends: bool, whether the lines of files keep their ends, each as one `\\n`. Defaults to `False`.

    Yields:
        Strings.

    Raises:
        TypeError: if `texts` is a string (which could mean a text or a file name), or an item is neither a string nor a path.
        ValueError: if a file is not UTF-8 (the message names the file and the line), a string holds a lone surrogate, or no text holds anything but
            white space.

    Example:
        >>> list(read_texts(["un", "deux"]))
        ['un', 'deux']
    """
    if isinstance(texts, str | bytes):
        raise TypeError(f"A corpus is an iterable of strings or paths; give one text as [text], one file as pathlib.Path(name). Received: texts={texts[:80]!r}")
    empty = True
    for i, item in enumerate([texts] if isinstance(texts, os.PathLike) else texts):
        if isinstance(item, os.PathLike):
            found = read_lines(item, keep_ends)
        elif isinstance(item, str):
            found = [check_text(item)]
        else:
            raise TypeError(f"A corpus holds strings (texts) and pathlib.Path (files of texts). Received: item {i} of type {type(item).__name__}, {item!r}")
        for text in found:
            empty = empty and not text.strip()
            yield text
    if empty:
        raise ValueError("The corpus holds no text: it is empty, or white space only. Give at least one word to train on.")


def read_lines(path, keep_ends=False):
    """Yields the lines of a UTF-8 file without their ends.

    Args:
        path: path of the file.
        keep_ends: bool, whether a line keeps its end, `\\n` or `\\r\\n`, as `\\n`. Defaults to `False`.

    Yields:
        Strings.

    Raises:
        ValueError: if a line is not UTF-8; the message names the file, the line and the byte.
    """
    with pathlib.Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"A text file must be UTF-8; convert it, for example with `iconv -t UTF-8`. "
                    f"Received: byte 0x{error.object[error.start]:02X} at column {error.start + 1} of line {number} of {os.fspath(path)}"
                ) from error
            line = text.removesuffix("\n")
            yield line.removesuffix("\r") + ("\n" if keep_ends and line != text else "")
