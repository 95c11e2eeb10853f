"""Tests of word vectors: pairs of words that people have judged, and analogies."""

import dataclasses
import math
from pathlib import Path

from keras_richctx.datasets.archive import read_member
from keras_richctx.datasets.locate import locate
from keras_richctx.datasets.read_pairs import decode_lines

ANALOGIES_URL = "https://raw.githubusercontent.com/tmikolov/word2vec/master/questions-words.txt"
ANALOGIES_SHA256 = "8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36"
WORDSIM_URL = "http://www.cs.technion.ac.il/~gabr/resources/data/wordsim353/wordsim353.zip"
SIMLEX_URL = "https://fh295.github.io/SimLex-999.zip"


@dataclasses.dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of words with a number each, how alike people find them.

    Args:
        first: list of N strings.
        second: list of N strings.
        scores: list of N floats.

    Raises:
        ValueError: if the lists are not of one length, or a score is not finite.

    Example:
        >>> WordPairs(["tiger"], ["cat"], [7.35])[0]
        ('tiger', 'cat', 7.35)
    """

    first: list
    second: list
    scores: list

    def __post_init__(self):
        if not len(self.first) == len(self.second) == len(self.scores):
            raise ValueError(f"Each pair has two words and a score. Received: {len(self.first)} and {len(self.second)} words, {len(self.scores)} scores")
        for i, score in enumerate(self.scores):
            if not math.isfinite(score):
                raise ValueError(f"The score of a pair is finite. Received: scores[{i}]={score!r}")

    def __len__(self):
        return len(self.scores)

    def __getitem__(self, index):
        return self.first[index], self.second[index], self.scores[index]

    def __repr__(self):
        return f"<WordPairs: {len(self):,} pairs" + (f", from {min(self.scores):g} to {max(self.scores):g}>" if self.scores else ">")


@dataclasses.dataclass(frozen=True, eq=False)
class Analogies:
    """Questions of the form "a is to b as c is to what?", with their answers, in sections.

    Args:
        sections: dict from the name of a section to a list of quadruples of strings, a, b, c and d.

    Example:
        >>> len(Analogies({"family": [("boy", "girl", "king", "queen")]}))
        1
    """

    sections: dict

    def __len__(self):
        return sum(map(len, self.sections.values()))

    def __repr__(self):
        return f"<Analogies: {len(self):,} questions in {len(self.sections)} sections>"


def load_analogies(split="test", data_dir=None):
    """Loads the analogies of word2vec: 8,869 of meaning in five sections, and 10,675 of grammar in nine, whose names begin with `gram` (Apache 2.0).

    The file is downloaded once into `cache_dir()`, unless there is a local copy, `wordsim/questions-words.txt` or `questions-words.txt`.

    Args:
        split: `"test"`, which is all that there is. Defaults to `"test"`.
        data_dir: string or path of the directory that must hold the local copy, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.

    Returns:
        `Analogies`.

    Raises:
        ConnectionError: if there is no local copy and the file cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or a line is no question; the message names it.

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1301.3781), section 4.1.
    """
    _check_split("word2vec-analogies", split)
    path = locate(["wordsim/questions-words.txt", "questions-words.txt"], ANALOGIES_URL, data_dir, ANALOGIES_SHA256)
    sections, section = {}, None
    for number, line in enumerate(decode_lines(path.read_bytes(), path), start=1):
        words = line.split()
        if line.startswith(":"):
            section = sections.setdefault(line[1:].strip(), [])
        elif len(words) == 4 and section is not None:
            section.append(tuple(words))
        elif words:
            raise ValueError(f"{path}, line {number}: four words, or a colon and the name of a section, are needed. Received: {line[:80]!r}")
    return Analogies(sections)


def load_wordsim353(split="test", data_dir=None):
    """Loads WordSim-353: pairs of nouns, from 0 to 10, by how much they have to do with each other; `coast` and `shore`, but `computer` and `keyboard` too.

    The archive is downloaded once into `cache_dir()` from the page of the authors, unless there is a local copy, `wordsim/wordsim353.zip` or
    `wordsim/wordsim353.tsv`, its file `combined.tab`.

    Args:
        split: `"test"`, which is all that there is. Defaults to `"test"`.
        data_dir: as in `load_analogies`.

    Returns:
        `WordPairs`.

    Raises:
        ConnectionError: if there is no local copy and the archive cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or a line is no pair; the message names it.

    References:
        [Finkelstein et al., 2002](https://doi.org/10.1145/503104.503110).
    """
    _check_split("wordsim353", split)
    return _load_pairs("wordsim353", ["wordsim353.zip", "wordsim353.tsv"], WORDSIM_URL, "combined.tab", 2, data_dir)


def load_simlex999(split="test", data_dir=None):
    """Loads SimLex-999: pairs of words, from 0 to 10, by how much they mean the same; `coast` and `shore` do, `computer` and `keyboard` do not.

    The archive is downloaded once into `cache_dir()` from the page of the first author, unless there is a local copy, `wordsim/SimLex-999.zip`,
    `wordsim/SimLex-999.txt`, or the three columns of it that matter, `wordsim/simlex999.txt`.

    Args:
        split: `"test"`, which is all that there is. Defaults to `"test"`.
        data_dir: as in `load_analogies`.

    Returns:
        `WordPairs`.

    Raises:
        ConnectionError: if there is no local copy and the archive cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or a line is no pair; the message names it.

    References:
        [Hill et al., 2015](https://aclanthology.org/J15-4004/).
    """
    _check_split("simlex999", split)
    return _load_pairs("simlex999", ["SimLex-999.zip", "SimLex-999.txt", "simlex999.txt"], SIMLEX_URL, "SimLex-999/SimLex-999.txt", 3, data_dir)


LOADERS = {"simlex999": load_simlex999, "word2vec-analogies": load_analogies, "wordsim353": load_wordsim353}
SIZES = {"simlex999": 999, "wordsim353": 353}


def _check_split(name, split):
    if split != "test":
        raise ValueError(f"{name} has the split test. Received: split={split!r}.")


def _load_pairs(name, files, url, member, column, data_dir):
    places = [f"wordsim/{file}" for file in files] + files
    path = locate(places, url, data_dir, check=lambda path: _read(path, name, member, column))
    return _read(path, name, member, column)


def _read(path, name, member, column):
    """Reads pairs from an archive, or from its file; `column` is that of the score in the file of the archive, 2 where there are only three."""
    archived = Path(path).suffix in (".zip", ".part")
    lines = decode_lines(read_member(path, member) if archived else Path(path).read_bytes(), path)
    rows = []
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t")
        if line.startswith("#") or columns[0].lower() in ("word 1", "word1") or not line.strip():
            continue
        try:
            first, second, score = columns[0].strip(), columns[1].strip(), float(columns[column if len(columns) > 3 else 2])
            if not first or not second or not math.isfinite(score):
                raise ValueError
            rows.append((first, second, score))
        except (IndexError, ValueError):
            raise ValueError(f"{path}, line {number}: two words and a number, with a tab between any two, are needed. Received: {line[:80]!r}") from None
    if len(rows) != SIZES[name]:
        raise ValueError(f"{path} is not {name}: it has {SIZES[name]} pairs. Received: {len(rows)}. Get it again.")
    return WordPairs(*(list(column) for column in zip(*rows)))
