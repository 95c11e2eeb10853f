"""Reads sentence pairs from a user's own files, and says exactly where a file is not what it should be."""

import gzip
import warnings
import zlib
from pathlib import Path

from keras_richctx.datasets.pairs import Pairs


def read_pairs(path, target_path=None, on_empty="error"):
    r"""Reads sentence pairs from a file of tab-separated columns, or from two files whose lines correspond.

    The text is UTF-8, with or without a byte order mark, plain or compressed with gzip. A line ends at `\n` or `\r\n` and at nothing else, so the
    other line separators of Unicode may stand within a sentence. Spaces around a sentence are dropped; nothing else is changed. There is no header
    line and no quoting: a quotation mark is a character like any other.

    Args:
        path: string or path. With `target_path=None`, a file with a source sentence, a tab and a target sentence on each line; further columns are
            ignored. Otherwise a file with a source sentence on each line.
        target_path: string or path of the file with the target sentences, line by line, or `None`. Defaults to `None`.
        on_empty: string, what to do where a sentence is empty: `"error"`, or `"skip"` to leave the pair out, with a warning that says how many.
            Defaults to `"error"`.

    Returns:
        `Pairs`, in the order of the file.

    Raises:
        FileNotFoundError, IsADirectoryError: if there is no such file.
        ValueError: if a file is empty, is binary, is not UTF-8, is a damaged gzip file, has a line without a tab, or has an empty sentence; if the
            two files have different numbers of lines; or if `on_empty` is neither `"error"` nor `"skip"`. The message names the file and the line.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "pairs.tsv")
        >>> _ = path.write_text("Go on.\tContinue.\tfrom a friend\nThank you.\tMerci.\n", encoding="utf-8")
        >>> list(read_pairs(path))
        [('Go on.', 'Continue.'), ('Thank you.', 'Merci.')]
    """
    if on_empty not in ("error", "skip"):
        raise ValueError(f'on_empty must be "error" or "skip". Received: on_empty={on_empty!r}.')
    source_lines = decode_lines(_read_bytes(path), path)
    if target_path is None:
        source, target = split_columns(source_lines, path)
        return drop_empty(source, target, (path, path), on_empty)
    target_lines = decode_lines(_read_bytes(target_path), target_path)
    if len(source_lines) != len(target_lines):
        counts = f"{len(source_lines):,} lines in {path}, {len(target_lines):,} in {target_path}"
        raise ValueError(f"The lines of two aligned files must correspond. Received: {counts}.")
    return drop_empty(source_lines, target_lines, (path, target_path), on_empty)


def decode_lines(data, name):
    r"""Decodes the bytes of a text file and splits them at `\n` and `\r\n`.

    Args:
        data: bytes, the whole file.
        name: string or path, what to call the file in errors.

    Returns:
        A list of strings, the lines without their ends.

    Raises:
        ValueError: if the file is empty, holds a NUL byte, is not UTF-8, or ends its lines with `\r` alone; the message names the line.
    """
    if not data:
        raise ValueError(f"{name} is empty.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16. Save it as UTF-8.")
    if (place := data.find(b"\0")) >= 0:
        raise ValueError(f"{name}, line {_line_number(data, place)}: a NUL byte, so this is a binary file, not UTF-8 text.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = error.start + (len(data) - len(error.object))  # the codec has cut a byte order mark off
        column = place - data.rfind(b"\n", 0, place)
        raise ValueError(
            f"{name}, line {_line_number(data, place)}: byte 0x{data[place]:02x}, the {column:,}th of the line, is not UTF-8. "
            "Convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8`."
        ) from error
    if "\n" not in text and "\r" in text.rstrip("\r"):
        raise ValueError(f"{name} ends its lines with \\r alone. Save it with line ends \\n or \\r\\n.")
    lines = text.split("\n")  # not splitlines(), which also splits at U+2028, U+0085, \x0b and others
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise ValueError(f"{name} is empty.")
    return [line.removesuffix("\r") for line in lines]


def split_columns(lines, name):
    """Splits lines into their first two tab-separated columns.

    Args:
        lines: list of strings.
        name: string or path, what to call the file in errors.

    Returns:
        A tuple of two lists of strings. A blank line counts as two empty columns.

    Raises:
        ValueError: if a line that is not blank has one column only.
    """
    source, target = [], []
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t", 2)
        if len(columns) < 2 and line.strip():
            raise ValueError(f"{name}, line {number}: one column, where source and target with a tab between are needed. Received: {line[:80]!r}.")
        source.append(columns[0])
        target.append(columns[1] if len(columns) > 1 else "")
    return source, target


def drop_empty(source, target, names, on_empty):
    """Makes pairs of sentences, without the spaces around them, and refuses or leaves out the pairs with an empty side.

    Args:
        source: list of strings.
        target: list of strings, as many.
        names: tuple of two strings or paths, what to call the file of each side in errors.
        on_empty: `"error"` or `"skip"`.

    Returns:
        `Pairs`.

    Raises:
        ValueError: if a sentence is empty and `on_empty` is `"error"`, or if no pair is left.
    """
    source, target = [line.strip() for line in source], [line.strip() for line in target]
    empty = [number for number, pair in enumerate(zip(source, target), start=1) if "" in pair]
    where = " and ".join(dict.fromkeys(map(str, names)))
    if empty and on_empty == "error":
        side = 0 if not source[empty[0] - 1] else 1
        more = f", and {len(empty) - 1:,} more pairs have an empty one" if len(empty) > 1 else ""
        what = f"the {('source', 'target')[side]} sentence is empty{more}"
        raise ValueError(f'{names[side]}, line {empty[0]}: {what}. Mend the file, or leave such pairs out with on_empty="skip".')
    if len(empty) == len(source):
        raise ValueError(f"{where}: each of the {len(source):,} pairs has an empty sentence.")
    if empty:
        lines = ", ".join(map(str, empty[:5])) + (", …" if len(empty) > 5 else "")
        warnings.warn(f"{where}: {len(empty):,} of {len(source):,} pairs skipped for an empty sentence, at line {lines}.", stacklevel=3)
        source, target = zip(*(pair for pair in zip(source, target) if "" not in pair))
    return Pairs(source, target)


def _read_bytes(path):
    """Reads a whole file, unpacked if it is gzip."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"A file of sentences is needed, not a directory. Received: {str(path)!r}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no such file. Received: {str(path)!r}, in the directory {str(Path.cwd())!r}.")
    data = path.read_bytes()
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is a damaged gzip file: {error}.") from error


def _line_number(data, place):
    return data.count(b"\n", 0, place) + 1
