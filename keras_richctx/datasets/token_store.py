"""A corpus as numbers on the disk: tokenized once, then read at any place without being in memory."""

import array
import hashlib
import itertools
import json
import os
import shutil
from pathlib import Path

import filelock
import numpy as np

from keras_richctx.datasets.download import cache_dir
from keras_richctx.text.corpus import read_lines

LINES = 8192  # tokenized at once
FORMAT = 1
NAMES = ("ids", "starts", "ends", "documents")


class TokenStore:
    """The token ids of the sentences and documents of text files, as arrays that the system maps into memory.

    Args:
        folder: path of a directory that `token_store` has written.

    Attributes:
        ids: integer array `(N,)`, the tokens of all sentences, and a separator behind each document.
        starts: int64 array `(S,)`, where in `ids` each sentence starts.
        ends: int64 array `(S,)`, where it ends.
        documents: int64 array `(D + 1,)`, the numbers of the first sentence of each document, and S.
    """

    def __init__(self, folder):
        for name in NAMES:
            setattr(self, name, np.load(Path(folder) / f"{name}.npy", mmap_mode="r"))

    def __len__(self):
        return len(self.ids)


def token_store(files, tokenizer, folder=None):
    """Tokenizes text files, unless it has been done: one sentence a line, an empty line between documents, and each file begins a document.

    A store is known by the paths, sizes and times of the files and by the fingerprint of the tokenizer. It takes 2 bytes a token on the disk, or 4 where
    there are more than 65,536 ids, and 16 bytes a sentence. Processes that want the same store wait for each other.

    Args:
        files: list of paths of UTF-8 files.
        tokenizer: tokenizer with an `eos_id`.
        folder: path of the directory of all stores, or `None` for `masked_lm` in `cache_dir()`. Defaults to `None`.

    Returns:
        A `TokenStore`.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if a file is not UTF-8, or there is no token in any.
    """
    files = [Path(file) for file in ([files] if isinstance(files, str | os.PathLike) else files)]
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"There is no such file. Received: {str(file)!r}, in the directory {str(Path.cwd())!r}.")
    known = [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    name = hashlib.sha256(json.dumps([FORMAT, tokenizer.fingerprint, known]).encode()).hexdigest()[:24]
    folder = Path(folder) if folder is not None else cache_dir() / "masked_lm"
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / name
    with filelock.FileLock(f"{store}.lock"):
        if not store.is_dir():
            part = folder / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            _write(files, tokenizer, part)
            part.replace(store)
    return TokenStore(store)


def _write(files, tokenizer, folder):
    """Writes the arrays of a store."""
    dtype = np.dtype("uint16" if tokenizer.vocab_size <= 2**16 else "int32")
    lengths, gaps, documents = array.array("q"), array.array("q"), array.array("q", [0])  # gaps: how many separators stand before a sentence
    with (folder / "ids.raw").open("wb") as raw:
        for lines in _blocks(files):
            rows, ids = iter(tokenizer([line for line in lines if line is not None])), []
            for line in lines:
                row = next(rows) if line is not None else []
                if row:
                    ids += row
                    lengths.append(len(row))
                    gaps.append(len(documents) - 1)
                elif line is None and len(lengths) > documents[-1]:  # the end of a document with a token in it
                    ids.append(tokenizer.eos_id)
                    documents.append(len(lengths))
            np.array(ids, dtype).tofile(raw)
    if not lengths:
        raise ValueError(f"A corpus holds a token at least. Received: none in {', '.join(map(str, files))}")
    lengths = np.array(lengths, "int64")
    ends = np.cumsum(lengths) + np.array(gaps, "int64")
    for name, values in (("starts", ends - lengths), ("ends", ends), ("documents", np.array(documents, "int64"))):
        np.save(folder / f"{name}.npy", values)
    total = int(ends[-1]) + 1
    ids = np.lib.format.open_memmap(folder / "ids.npy", "w+", dtype, (total,))
    raw = np.memmap(folder / "ids.raw", dtype, "r", shape=(total,))
    for start in range(0, total, 2**24):
        ids[start : start + 2**24] = raw[start : start + 2**24]
    ids.flush()
    del raw
    (folder / "ids.raw").unlink()


def _blocks(files):
    """Yields lists of lines, `None` for each end of a document."""
    lines = (line for file in files for line in itertools.chain((line if line.strip() else None for line in read_lines(file)), [None]))
    while block := list(itertools.islice(lines, LINES)):
        yield block
