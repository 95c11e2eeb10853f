"""Sentence pairs and texts: data sets by name, a user's own files, a generator with gold alignments, and the batches that models train on."""

from keras_richctx.datasets.batches import source_batches, translation_batches
from keras_richctx.datasets.pairs import Pairs
from keras_richctx.datasets.phrasebook import load_phrasebook, phrasebook
from keras_richctx.datasets.read_pairs import read_pairs
from keras_richctx.datasets.stream_chunks import stream_chunks
from keras_richctx.datasets.tatoeba import load_tatoeba_fra
from keras_richctx.datasets.tinyshakespeare import load_tinyshakespeare
from keras_richctx.datasets.wikitext2 import load_wikitext2

__all__ = ["Pairs", "load", "names", "phrasebook", "read_pairs", "source_batches", "stream_chunks", "translation_batches"]

# read from files: take `split`, `data_dir` and options
_OFFICIAL = {"tatoeba-fra": load_tatoeba_fra, "tinyshakespeare": load_tinyshakespeare, "wikitext2": load_wikitext2}
_GENERATED = {"phrasebook": load_phrasebook}  # need no files: take `split` and options


def names():
    """Lists the data sets that `load` knows.

    Returns:
        A list of strings.

    Example:
        >>> names()
        ['phrasebook', 'tatoeba-fra', 'tinyshakespeare', 'wikitext2']
    """
    return sorted({**_OFFICIAL, **_GENERATED})


def load(name, split="train", data_dir=None, **options):
    """Loads one split of a data set.

    Args:
        name: string, one of `names()`: `"phrasebook"`, generated here, with gold alignments; `"tatoeba-fra"`, English-French pairs; `"tinyshakespeare"`, plays
            as one text; or `"wikitext2"`, articles of Wikipedia as one text.
        split: `"train"`, `"validation"` (or `"valid"`, the same) or `"test"`. Defaults to `"train"`.
        data_dir: string or path of a directory that holds the official files, or `None` for the one that the environment variable
            `KERAS_RICHCTX_DATA` names, or else a download. Data sets that are generated read no files. Defaults to `None`.
        **options: those of the data set's own function, `load_phrasebook` or `load_tatoeba_fra`, such as `size=5000` or `max_words=10`.

    Returns:
        `Pairs`, or a string for a text.

    Raises:
        ValueError: if there is no data set or no split of that name.

    Example:
        >>> len(load("phrasebook", "test", size=50))
        50
    """
    split = "validation" if split == "valid" else split
    if name in _OFFICIAL:
        return _OFFICIAL[name](split, data_dir=data_dir, **options)
    if name in _GENERATED:
        return _GENERATED[name](split, **options)
    raise ValueError(f"There is no such data set; there are {', '.join(names())}. Received: name={name!r}.")
