"""English-French sentence pairs of the Tatoeba project, as manythings.org packs them."""

import hashlib
import re
import unicodedata
import warnings

from keras_richctx.datasets.archive import read_member
from keras_richctx.datasets.download import file_sha256
from keras_richctx.datasets.locate import locate
from keras_richctx.datasets.pairs import Pairs
from keras_richctx.datasets.read_pairs import decode_lines, drop_empty, split_columns

URL = "https://www.manythings.org/anki/fra-eng.zip"
RELEASE = "2017-09-29"
KNOWN = {  # the release that the documented figures were measured on: the archive, and the list in it
    "16c4f7d0df9e7c5e6c54cdb0447f3f4a18a55052ff5e2e0b27dd4a06c0e49d04",
    "2546838ae46e0eac4c02ab7032ea0a02a006074a5340077a36a9444f41e02888",
}
PLACES = ("tatoeba_fra/fra-eng.zip", "fra-eng.zip", "tatoeba_fra/fra.txt", "fra.txt")
SPLITS = {"train": (0.04, 1.0), "validation": (0.02, 0.04), "test": (0.0, 0.02)}  # ranges of `split_position`


def load_tatoeba_fra(split="train", data_dir=None, max_words=None, max_sentences=None, sha256=None):
    """Loads one split of the English-French pairs of Tatoeba (CC BY 2.0 FR, [manythings.org/anki](https://www.manythings.org/anki/)).

    The archive is downloaded once into `cache_dir()`, unless there is a local copy: `fra-eng.zip`, or the `fra.txt` in it, in the data directory itself or
    in its folder `tatoeba_fra`. The site replaces the archive from time to time; any sound release is read, those with a third column for the
    attribution too, and a warning says so where it is not the release that the documented figures were measured on.

    Sentences are brought to Unicode's NFC, and the no-break and thin spaces of French typography become plain spaces.

    A pair falls into a split by a hash of its English sentence, letter case aside, so that no English sentence is in two splits and that a sentence stays
    in its split from release to release: 2 % test, 2 % validation, 96 % train. The pairs come in the order of that hash: the translations of a
    sentence together, and the sentences as if shuffled, so that a slice is a random sample.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the local copy, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.
        max_words: int, the most words that an English sentence may have, counted between spaces, or `None`. Defaults to `None`.
        max_sentences: int, how many different English sentences to keep, the first ones, each with all its translations, or `None` for all.
            Defaults to `None`.
        sha256: string, the checksum that the file must have, or `None` for any release. Defaults to `None`.

    Returns:
        `Pairs`, English to French.

    Raises:
        ConnectionError: if there is no local copy and the archive cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, if the file is damaged or not the one that `sha256` asks for, or if no sentence is short enough.

    Example:
        The documented evaluation takes a thousand short sentences that no training split holds, with all their translations as references:

        ```python
        references = load_tatoeba_fra("test", max_words=10, max_sentences=1000).references()  # {English: [French, …]}
        ```
    """
    if split not in SPLITS:
        raise ValueError(f"tatoeba-fra has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    path = locate(PLACES, URL, data_dir, sha256, check=lambda path: read_member(path, "fra.txt"))
    _verify(path, sha256)
    data = path.read_bytes() if path.suffix == ".txt" else read_member(path, "fra.txt")
    lines = _normalise("\n".join(decode_lines(data, path))).split("\n")
    pairs = drop_empty(*split_columns(lines, path), (path, path), on_empty="skip")
    return _select(pairs, split, max_words, max_sentences)


def split_position(sentence):
    """Computes where a sentence lies in the order that the splits are cut from.

    Args:
        sentence: string. Its letter case does not matter.

    Returns:
        A float in `[0, 1)`, uniform over sentences.

    Example:
        >>> split_position("Go on.") == split_position("GO ON.")
        True
    """
    key = unicodedata.normalize("NFC", sentence.casefold()).encode()
    return int.from_bytes(hashlib.sha256(key).digest()[:6], "big") / 2**48


def _select(pairs, split, max_words, max_sentences):
    """Returns the pairs of a split in the order of their position in it, those alone that the limits allow."""
    first, last = SPLITS[split]
    chosen = {}
    for source, target in zip(pairs.source, pairs.target):
        chosen.setdefault(source, []).append(target)
    placed = sorted((split_position(source), source) for source in chosen)
    short = [source for place, source in placed if first <= place < last and (max_words is None or len(source.split()) <= max_words)]
    if not short:
        raise ValueError(f"tatoeba-fra has no such sentences. Received: split={split!r}, max_words={max_words}.")
    if max_sentences is not None and not 1 <= max_sentences <= len(short):
        raise ValueError(f"The {split} split has {len(short):,} different sentences that are short enough. Received: max_sentences={max_sentences}.")
    kept = short[:max_sentences]
    return Pairs([source for source in kept for _ in chosen[source]], [target for source in kept for target in chosen[source]])


def _normalise(text):
    """Composes accents and turns U+00A0 (no-break space), U+202F (narrow no-break space) and U+2009 (thin space) into plain spaces."""
    return re.sub("[\u00a0\u202f\u2009]", " ", unicodedata.normalize("NFC", text))


def _verify(path, sha256):
    """Holds the file to the checksum asked for, or says that it is of a release that was not measured."""
    digest = file_sha256(path)
    if sha256 is not None and digest != sha256:
        raise ValueError(f"{path} is not the file that was asked for: its sha256 is {digest}. Received: sha256={sha256!r}.")
    if sha256 is None and digest not in KNOWN:
        warnings.warn(
            f"tatoeba-fra: {path} is not the release of {RELEASE} that the documented figures were measured on. Its sha256 is {digest}; pass "
            f"sha256={digest!r} to hold to it, and to silence this warning.",
            stacklevel=4,
        )
