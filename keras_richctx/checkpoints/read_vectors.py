"""Files of word vectors: word2vec's text and binary, GloVe's, fastText's `.vec`."""

import codecs
import mmap
import os
import pathlib
import warnings

import numpy as np


def read_vectors(path, limit=None, mapped=False):
    """Reads a file of word vectors.

    A text file has a line for each word: the word, and its numbers, with one space between any two. Word2vec's and fastText's begin with a line that says how
    many words and how many numbers; GloVe's does not. Word2vec's binary file begins with that line too, and each word is followed by a space and its float32
    numbers. Which of these a file is, is seen from its content; a byte order mark before it is left out.

    Args:
        path: path of the file.
        limit: integer, how many words to read, the first ones, which are the most frequent in published files; or `None` for all, and nothing may follow
            them. Defaults to `None`.
        mapped: boolean, whether to write the matrix beside the file as `NAME.npy`, with the words in `NAME.words`, and to map it into memory from there: it
            then takes memory only as it is used, and the next call is done at once. Written anew where the file has changed. Defaults to `False`.

    Returns:
        A pair: a list of V words, and a float32 array of shape `(V, D)`.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is not what it should be, is cut off, or holds more words than it announces; the message names the line, or the word.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "glove.txt")
        >>> _ = path.write_text("the 0.5 1\\nof -1 2\\n")
        >>> read_vectors(path)
        (['the', 'of'], array([[ 0.5,  1. ],
               [-1. ,  2. ]], dtype=float32))

    References:
        [Mikolov et al., 2013](https://code.google.com/archive/p/word2vec/); [Pennington et al., 2014](https://nlp.stanford.edu/projects/glove/);
        [Bojanowski et al., 2017](https://fasttext.cc/docs/en/english-vectors.html).
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no such file of word vectors. Received: path={str(path)!r}")
    if limit is not None and (not isinstance(limit, int | np.integer) or limit < 1):
        raise ValueError(f"limit must be a positive integer, or None. Received: limit={limit!r}")
    if not mapped:
        rows, shape = _open(path, limit)
        matrix = np.empty(shape, "float32")
        return _fill(rows, matrix, path), matrix
    names, changed = [path.with_name(path.name + ending) for ending in (".npy", ".words")], path.stat().st_mtime_ns
    if not all(name.is_file() and name.stat().st_mtime_ns == changed for name in names):
        _write_mapped(path, changed, *names)
    words = names[1].read_bytes().decode("utf-8").split("\n")[:-1]
    return words[:limit], np.load(names[0], mmap_mode="r")[:limit]


def _write_mapped(path, changed, matrix_name, words_name):
    """Writes the matrix and the words beside a file, each in one step and with the time of the file: an older file in its place is another one too."""
    rows, shape = _open(path, None)
    part = matrix_name.with_name(f"{matrix_name.name}.{os.getpid()}.part")
    try:
        matrix = np.lib.format.open_memmap(part, "w+", "float32", shape)
        words = _fill(rows, matrix, path)
        matrix.flush()
        del matrix
        os.utime(part, ns=(changed, changed))
        part.replace(matrix_name)
        part.write_bytes("".join(f"{word}\n" for word in words).encode())
        os.utime(part, ns=(changed, changed))
        part.replace(words_name)
    finally:
        part.unlink(missing_ok=True)


def _fill(rows, matrix, path):
    """Puts the rows into the matrix and returns the words, or raises where a word comes twice or there are too few."""
    words = {}
    for place, (word, numbers) in enumerate(rows):
        if word in words:
            raise ValueError(f"A word has one vector. Received: {word!r} as the words {words[word] + 1} and {place + 1} of {path}")
        words[word] = place
        matrix[place] = numbers
    if len(words) < len(matrix):
        raise ValueError(f"{path} ends after {len(words):,} words, where {len(matrix):,} are announced or expected. Get it again.")
    return list(words)


def _open(path, limit):
    """Returns an iterator over words and their numbers, and the shape of the matrix."""
    with path.open("rb") as file:
        header = file.readline().removeprefix(codecs.BOM_UTF8).split()
        sample = file.read(4096)
    if len(header) == 2 and all(number.isdigit() for number in header):
        (count, width), binary, first = map(int, header), _is_binary(sample), 2
    else:
        count, width, binary, first = _count_lines(path), len(header) - 1, False, 1
    if not count or width < 1:
        raise ValueError(
            f"{path}, line 1: a file of word vectors begins with a word and its numbers, or with how many of each. Received: {b' '.join(header)[:80]!r}"
        )
    whole, count = limit is None, min(count, limit or count)
    if first == 2 and count * width * (4 if binary else 2) > path.stat().st_size:  # before memory is asked for; in text a number takes two bytes
        raise ValueError(f"{path}, line 1: {count:,} words of {width:,} numbers are announced, and the file is too short to hold them. Get it again.")
    return _binary_rows(path, count, width, whole) if binary else _text_rows(path, count, width, first, whole), (count, width)


def _is_binary(sample):
    """Whether what follows the header is neither the beginning of a line with numbers nor text at all."""
    line, end, _ = sample.partition(b"\n")
    pieces = line.strip(b" \r").split(b" ")[1:]
    try:
        if [float(piece) for piece in (pieces if end else pieces[:-1])]:  # the last one may be cut
            return False
    except ValueError:
        pass
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(sample)  # so may a character
    except UnicodeDecodeError:
        return True
    return any(character < " " and character not in "\t\r\n" for character in text)


def _count_lines(path):
    """Returns the number of lines of a file, the last of which may lack its end."""
    count, last = 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


def _text_rows(path, count, width, first, whole):
    """Yields words and numbers of a text file, from line `first` on; where it is to be read whole, nothing may follow."""
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy's word for what is no number
        for number, line in enumerate(file, start=1):
            if number < first:
                continue
            if number >= first + count:
                if not whole:
                    return
                if line.strip():
                    raise ValueError(f"{path}, line {number}: {count:,} words are announced, and here is another one. Received: {line[:80]!r}")
                continue
            line = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).rstrip(b" \r\n")
            # a word may hold spaces, as some of GloVe's do: the numbers are the last of the line
            pieces = line.rsplit(b" ", width)
            try:
                values = np.fromstring(line[len(pieces[0]) + 1 :], "float32", sep=" ")
                if len(pieces) != width + 1 or pieces[0][:1] in (b"", b" ") or len(values) != width or not np.isfinite(values).all():
                    raise ValueError
                if b" " in pieces[0] and _is_number(pieces[0].rpartition(b" ")[2]):  # no part of a word, but of a row that is too long
                    raise ValueError
                yield pieces[0].decode("utf-8"), values
            except UnicodeDecodeError:
                raise ValueError(f"{path}, line {number}: the word is not UTF-8. Received: {pieces[0][:40]!r}") from None
            except (ValueError, DeprecationWarning):
                raise ValueError(f"{path}, line {number}: a word and {width} finite numbers are needed. Received: {line[:80]!r}") from None


def _is_number(piece):
    """Whether bytes are a number in text."""
    try:
        return bool(np.isfinite(float(piece)))
    except ValueError:
        return False


def _binary_rows(path, count, width, whole):
    """Yields words and numbers of word2vec's binary file; where it is to be read whole, nothing may follow."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = content.find(b"\n") + 1
        for number in range(1, count + 1):
            space = content.find(b" ", place, place + 4096)
            end = space + 1 + 4 * width
            if space < 0 or end > len(content):
                raise ValueError(f"{path}, word {number}: a word, a space and {width} float32 numbers are needed, and the file ends, or holds something else.")
            word = content[place:space].lstrip(b"\n")  # the released code ends each vector with a line end, others do not
            if not word or b"\n" in word or b"\0" in word:
                raise ValueError(f"{path}, word {number}: this is no word, so that rows may have other than {width} numbers. Received: {word[:40]!r}")
            try:
                text = word.decode("utf-8")
            except UnicodeDecodeError:
                raise ValueError(f"{path}, word {number}: the word is not UTF-8. Received: {word[:40]!r}") from None
            values = np.frombuffer(content[space + 1 : end], "<f4")
            if not np.isfinite(values).all():
                raise ValueError(f"{path}, word {number}: {width} finite numbers are needed. Received: {text!r} with {values[~np.isfinite(values)][0]}")
            yield text, values
            place = end
        if whole and content[place:].strip(b"\r\n "):
            raise ValueError(f"{path} goes on after the {count:,} words that are announced. Received: {content[place : place + 40]!r}")
