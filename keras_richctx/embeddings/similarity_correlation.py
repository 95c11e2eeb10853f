"""Whether words that people find alike have vectors that are."""

from keras_richctx.metrics import spearman


def similarity_correlation(vectors, pairs, lowercase=False):
    """Correlates the cosines of pairs of words with what people said of them, by rank.

    Args:
        vectors: `WordVectors`.
        pairs: `keras_richctx.datasets.WordPairs`.
        lowercase: boolean, whether to put the words in lower case, for vectors of words that are. Defaults to `False`.

    Returns:
        A dict: `spearman`, a float from -1 to 1, NaN with fewer than two pairs; `asked` and `left_out`, integers, the pairs whose words have vectors, and the
        others.

    Example:
        >>> pairs = krc.datasets.WordPairs(["cat", "cat", "cat"], ["dog", "car", "yak"], [8.0, 2.0, 7.0])
        >>> vectors = krc.embeddings.WordVectors(["cat", "dog", "car"], np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]))
        >>> {name: round(value, 4) for name, value in similarity_correlation(vectors, pairs).items()}
        {'spearman': 1.0, 'asked': 2, 'left_out': 1}
    """
    cosines, scores = [], []
    for words, score in zip(zip(pairs.first, pairs.second), pairs.scores):
        first, second = (word.lower() if lowercase else word for word in words)
        if first in vectors and second in vectors:
            cosines.append(vectors.similarity(first, second))
            scores.append(score)
    return {"spearman": spearman(cosines, scores) if len(cosines) > 1 else float("nan"), "asked": len(cosines), "left_out": len(pairs) - len(cosines)}
