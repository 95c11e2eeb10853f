"""WikiText-2: articles of Wikipedia, split into words."""

import hashlib
from pathlib import Path

from keras_richctx.datasets.archive import read_member
from keras_richctx.datasets.locate import locate

URL = "https://wikitext.smerity.com/wikitext-2-v1.zip"
SPLITS = {"train": "train", "validation": "valid", "test": "test"}  # as the files spell them
SHA1 = {  # of the files in the archive
    "train": "863f29c46ef9d167fff4940ec821195882fe29d1",
    "validation": "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422",
    "test": "c7b8ce0aa086fb34dab808c5c49224211eb2b172",
}


def load_wikitext2(split="train", data_dir=None):
    r"""Loads one split of WikiText-2, as it is in its file (CC BY-SA 3.0).

    The archive is downloaded once into `cache_dir()` from the site of one of its authors, unless there is a local copy: `wikitext-2-v1.zip`, or single files,
    `wiki.valid.tokens` or `valid.txt` for the validation split and so on, in the data directory's folder `wikitext2` or `wikitext-2`.

    The text is split into words already, with one space between any two; rare ones are `<unk>`, and a sign within a word or number stands between at signs
    (`@-@`, `@,@`). A line is a paragraph or a heading (` = Title = `), or empty. Word models put an end symbol in the place of each `\n`:
    `text.replace("\n", " <eos> ").split()` gives 2,088,628, 217,646 and 245,569 tokens for the three splits, of 33,278 kinds.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the local copy, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.

    Returns:
        A string.

    Raises:
        ConnectionError: if there is no local copy of the split and the archive cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy of the split, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or the file is damaged or another one.

    Example:
        ```python
        load_wikitext2("validation")[:24]  # " \n = Homarus gammarus = \n"
        ```

    References:
        [Merity et al., 2017](https://arxiv.org/abs/1609.07843), section 4.
    """
    if split not in SPLITS:
        raise ValueError(f"wikitext2 has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    try:
        path = locate(_places(split), URL, data_dir, check=lambda path: _verify(_read(path, split), path, split))
    except (ConnectionError, FileNotFoundError) as error:
        error.add_note(f"That is where the {split} split of wikitext2 would come from. A data directory may hold some splits only, each as a file of its own.")
        raise
    return _verify(_read(path, split), path, split).decode("utf-8")


def _places(split):
    """Where a split may be in a data directory: the archive first, which has them all."""
    name = SPLITS[split]
    files = (f"wiki.{name}.tokens", f"{name}.txt")
    archives = ["wikitext2/wikitext-2-v1.zip", "wikitext-2-v1.zip"]
    return archives + [f"{folder}/{file}" for folder in ("wikitext2", "wikitext-2") for file in files]


def _read(path, split):
    """Returns the bytes of a split, from the archive or from its own file."""
    return read_member(path, f"wikitext-2/wiki.{SPLITS[split]}.tokens") if Path(path).suffix in (".zip", ".part") else Path(path).read_bytes()


def _verify(data, path, split):
    """Returns `data`, or raises where it is not that of the split."""
    digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()
    if digest != SHA1[split]:
        raise ValueError(f"{path} does not hold the {split} split of wikitext2: its sha1 is {digest}, not {SHA1[split]}. Get it again from {URL}.")
    return data
