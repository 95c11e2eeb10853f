"""How many analogies come out right."""

import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.embeddings.word_vectors import METHODS

QUESTIONS, WORDS = 2048, 8192  # of which the scores are held at once


def analogy_accuracy(vectors, analogies, method="add", exclude=True, restrict=None, lowercase=False):
    """Answers the questions of a test of analogies, section by section.

    A question with a word that has no vector is left out of the share, and counted.

    Args:
        vectors: `WordVectors`.
        analogies: `keras_richctx.datasets.Analogies`, or a dict from a section to a list of questions `(a, b, c, d)`.
        method: string, `"add"` or `"mul"`, as in `WordVectors.analogy`. Defaults to `"add"`.
        exclude: boolean, whether a, b and c may not be the answer. Defaults to `True`.
        restrict: integer, among how many words to look, the first ones, or `None` for all; a question with a word beyond is left out. Defaults to `None`.
        lowercase: boolean, whether to put the questions in lower case, for vectors of words that are. Defaults to `False`.

    Returns:
        A list of dicts, one for each section, and one each for `"semantic"`, `"syntactic"` (the sections whose names begin with `gram`) and `"all"`: `section`,
        `accuracy`, a float, NaN where no question was asked, `right`, `asked` and `left_out`, integers.

    Raises:
        ValueError: if `method` is unknown, `restrict` is negative, or a question is not of four words.

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1301.3781), section 4.1.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}. Received: method={method!r}")
    check_naturals(restrict=0 if restrict is None else restrict)
    known, rows = len(vectors) if restrict is None else min(restrict, len(vectors)), []
    for section, questions in getattr(analogies, "sections", analogies).items():
        for question in questions:
            if isinstance(question, str) or len(question) != 4:
                raise ValueError(f"A question is of four words, the last one the answer. Received: {question!r} in section {section!r}")
        words = [[vectors.index.get(word.lower() if lowercase else word, known) for word in question] for question in questions]
        places = np.array(words, "int64").reshape(-1, 4)
        places = places[(places < known).all(axis=1)]
        right = _right(vectors, places, method, exclude, known)
        rows.append({"section": section, "right": right, "asked": len(places), "left_out": len(questions) - len(places)})
    groups = {"semantic": lambda name: not name.startswith("gram"), "syntactic": lambda name: name.startswith("gram"), "all": lambda name: True}
    sums = []
    for group, belongs in groups.items():
        sums.append({"section": group, **{name: sum(row[name] for row in rows if belongs(row["section"])) for name in ("right", "asked", "left_out")}})
    return [{"accuracy": row["right"] / row["asked"] if row["asked"] else float("nan"), **row} for row in rows + sums]


def _right(vectors, places, method, exclude, size):
    """Returns how many of the questions, `(N, 4)`, are answered right by a word of the first `size`."""
    right = 0
    for first in range(0, len(places), QUESTIONS):
        a, b, c, d = places[first : first + QUESTIONS].T
        best, answers = np.full(len(a), -np.inf, "float32"), np.full(len(a), -1)
        for start in range(0, size, WORDS):
            stop = min(start + WORDS, size)
            scores = vectors.analogy_scores(a, b, c, method, start, stop)  # (N, stop - start)
            for words in (a, b, c) if exclude else ():
                inside = np.flatnonzero((words >= start) & (words < stop))
                scores[inside, words[inside] - start] = -np.inf
            found = scores.argmax(axis=1)
            highest = scores[np.arange(len(a)), found]
            answers = np.where(highest > best, found + start, answers)
            best = np.maximum(highest, best)
        right += int((answers == d).sum())
    return right
