"""Word vectors, written as word2vec, GloVe and fastText have them."""

import os
import pathlib

import numpy as np

FORMATS = ("word2vec", "word2vec-binary", "glove", "fasttext")


def write_vectors(path, words, matrix, format="word2vec"):
    """Writes a file of word vectors. A file that is there is replaced in one step, or left as it was.

    Args:
        path: path of the file; its directory is made if needed.
        words: list of V strings without white space.
        matrix: float array of shape `(V, D)`.
        format: string, `"word2vec"` for text with a first line that says how many words and numbers, `"word2vec-binary"`, `"glove"` for text without it, or
            `"fasttext"`, which is word2vec's text. Numbers are written so that the same float32 is read again. Defaults to `"word2vec"`.

    Raises:
        ValueError: if the format is unknown, there is not one vector for each word, a word comes twice, is empty, holds white space or cannot be written in
            UTF-8, or a number is not finite.
        OSError: if the file cannot be written.

    Example:
        >>> import tempfile
        >>> write_vectors(f"{tempfile.mkdtemp()}/vectors.txt", ["the", "of"], [[0.5, 1.0], [-1.0, 2.0]], format="glove")
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}. Received: format={format!r}")
    path, matrix = pathlib.Path(path), np.asarray(matrix)
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"Vectors are of real numbers. Received: a matrix of type {matrix.dtype}")
    matrix = matrix.astype("<f4", copy=False)
    if matrix.ndim != 2 or 0 in matrix.shape or len(matrix) != len(words) or len(set(words)) < len(words):
        raise ValueError(
            "There is one vector for each word, one word at least, and no word twice. "
            f"Received: {len(words)} words, {len(set(words))} different, matrix of shape {matrix.shape}"
        )
    for word in words:
        if not isinstance(word, str) or word.split() != [word]:
            raise ValueError(f"A word in a file of vectors is not empty and holds no white space. Received: {word!r}")
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"A word in a file of vectors can be written in UTF-8. Received: {word!r}") from error
    if format == "glove" and words[0].startswith("\ufeff"):
        raise ValueError(f"A file that begins with a byte order mark is read without it. Received: {words[0]!r} as the first word. Use another format.")
    if not np.isfinite(matrix).all():
        raise ValueError(f"Vectors are finite. Received: {words[int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])]!r} with a number that is not")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            if format != "glove":
                file.write(f"{len(words)} {matrix.shape[1]}\n".encode())
            for word, row in zip(words, matrix):
                numbers = row.tobytes() if format == "word2vec-binary" else " ".join(map(str, row)).encode()
                file.write(word.encode() + b" " + numbers + b"\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
