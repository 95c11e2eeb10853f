"""Links from attention weights."""

import numpy as np


def hard_alignment(weights, threshold=None):
    r"""Links each target word to the source word that it attends to most.

    $$A = \{(j, t) : j = \arg\max_k \alpha_{tk},\ \alpha_{tj} > 0\}$$

    where $\alpha$, of shape (T, S), has a row for each target word $t$. Among equal weights the first wins. A row of zeros, a pad, gives no link.

    Args:
        weights: float array of shape `(T, S)`, not negative; for one sentence, cut or padded with zeros.
        threshold: float or `None`, the least weight that makes a link. Defaults to `None`, for any above zero.

    Returns:
        A set of links `(source_word, target_word)`, pairs of ints.

    Raises:
        ValueError: if the weights are not of rank 2, or hold a negative number, a NaN or an infinity.

    Example:
        >>> sorted(hard_alignment([[0.9, 0.1], [0.4, 0.6], [0.0, 0.0]]))
        [(0, 0), (1, 1)]
        >>> sorted(hard_alignment([[0.9, 0.1], [0.4, 0.6], [0.0, 0.0]], threshold=0.8))
        [(0, 0)]
    """
    weights = np.asarray(weights, dtype="float64")
    if weights.ndim != 2:
        raise ValueError(f"hard_alignment takes the weights of one sentence, of shape (target, source). Received: weights of shape {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"Weights must be finite and not negative. Received: weights from {weights.min()} to {weights.max()}.")
    if weights.shape[1] == 0:
        return set()
    source = weights.argmax(axis=1)  # (T,)
    strongest = weights.max(axis=1)  # (T,)
    linked = (strongest > 0) if threshold is None else (strongest > 0) & (strongest >= threshold)
    return {(int(source[target]), int(target)) for target in np.flatnonzero(linked)}
