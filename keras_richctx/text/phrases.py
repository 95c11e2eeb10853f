"""Words that stand together more often than chance, joined into one."""

import collections
import itertools


def find_phrases(sentences, min_count=5, threshold=10.0):
    r"""Finds pairs of neighbours that are seen together more often than the frequency of the two says.

    $$\mathrm{score}(a, b) = \frac{\mathrm{count}(ab) - \delta}{\mathrm{count}(a)\, \mathrm{count}(b)}\, N$$

    where $N$ is the number of words of the corpus, so that a threshold does not hang on its size, and $\delta$ is `min_count`, without which two rare words
    that met once would be a phrase. For phrases of three words, join those of two, and look again.

    Args:
        sentences: iterable of lists of words.
        min_count: integer, $\delta$; a pair that is seen less often is no phrase. Defaults to `5`.
        threshold: float, which score makes a phrase. Defaults to `10.0`.

    Returns:
        A dict from pairs of words to scores, the highest first.

    Example:
        >>> sentences = [["in", "new", "york"], ["new", "york", "again"], ["a", "new", "day"]]
        >>> find_phrases(sentences, min_count=1, threshold=1.0)
        {('new', 'york'): 1.5}

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1310.4546), section 4, equation 6.
    """
    words, pairs = collections.Counter(), collections.Counter()
    for sentence in sentences:
        words.update(sentence)
        pairs.update(itertools.pairwise(sentence))
    total = words.total()
    # score = (count(ab) - delta) N / (count(a) count(b))
    scores = {(a, b): (count - min_count) * total / (words[a] * words[b]) for (a, b), count in pairs.items() if count >= min_count}
    return dict(sorted(((pair, score) for pair, score in scores.items() if score > threshold), key=lambda item: (-item[1], item[0])))


def join_phrases(sentence, phrases, joiner="_"):
    """Joins the phrases in a sentence, from left to right; where two overlap, the one with the higher score is joined.

    Args:
        sentence: list of words.
        phrases: dict from pairs of words to scores, from `find_phrases`.
        joiner: string to put between the two. Defaults to `"_"`.

    Returns:
        A list of words.

    Example:
        >>> join_phrases(["in", "new", "york", "again"], {("new", "york"): 1.5})
        ['in', 'new_york', 'again']
    """
    joined, place = [], 0
    while place < len(sentence):
        score, following = (phrases.get(tuple(sentence[start : start + 2]), 0.0) for start in (place, place + 1))
        overlaps = following > score and tuple(sentence[place : place + 2]) in phrases
        if tuple(sentence[place : place + 2]) in phrases and not overlaps:
            joined.append(joiner.join(sentence[place : place + 2]))
            place += 2
        else:
            joined.append(sentence[place])
            place += 1
    return joined
