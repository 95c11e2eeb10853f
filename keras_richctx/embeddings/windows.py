"""From ids to windows: the words that train, and the words around each."""

import numpy as np


def keep_probabilities(counts, threshold=1e-3):
    r"""Gives the probability with which each occurrence of a word is kept, so that frequent words do not take all of the training.

    $$p_w = \min\Bigl(1, \sqrt{\frac{t}{f_w}} + \frac{t}{f_w}\Bigr)$$

    where $f_w$ is the share of $w$ among all words. It is what the released code does; the paper writes $1 - \sqrt{t / f_w}$ for the probability of being
    dropped.

    Args:
        counts: integer array of shape `(V,)`.
        threshold: float, $t$; 0 to keep all. Defaults to `1e-3`.

    Returns:
        A float32 array of shape `(V,)`; 1 for a word that does not occur.

    Raises:
        ValueError: if the threshold is negative or not a number.

    Example:
        >>> keep_probabilities(np.array([0, 990, 10]), 0.01).round(3)
        array([1.   , 0.111, 1.   ], dtype=float32)

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1310.4546), section 2.3.
    """
    if threshold and not threshold > 0:
        raise ValueError(f"The share from which on a word is frequent is a number of at least zero. Received: threshold={threshold!r}")
    counts = np.asarray(counts)
    if not threshold:
        return np.ones(len(counts), "float32")
    share = np.maximum(counts, 1) / max(1, counts.sum())
    # p = sqrt(t / f) + t / f
    return np.minimum(1.0, np.sqrt(threshold / share) + threshold / share).astype("float32")


def windows(ids, sentences, centres, size):
    """Puts around words of a text the words of the same sentence that are near.

    Args:
        ids: int32 array of shape `(N,)`.
        sentences: integer array of shape `(N,)`, the number of the sentence of each.
        centres: integer array of shape `(M,)`, the places of the words to make windows around.
        size: integer, w, how many words to take on each side.

    Returns:
        A pair: the ids around each word, int32 `(M, 2 w)`, from left to right; and which of these are real, boolean `(M, 2 w)`. A place that is not holds 0.

    Example:
        >>> around, real = windows(np.array([7, 8, 9], "int32"), np.zeros(3, int), np.array([0, 1]), 1)
        >>> around.tolist(), real.tolist()
        ([[0, 8], [7, 9]], [[False, True], [True, True]])
    """
    offsets = np.concatenate([np.arange(-size, 0), np.arange(1, size + 1)])  # (2 w,)
    places = centres[:, None] + offsets  # (M, 2 w)
    inside = (places >= 0) & (places < len(ids))
    places = np.where(inside, places, 0)
    real = inside & (sentences[places] == sentences[centres][:, None])
    return np.where(real, ids[places], 0), real
