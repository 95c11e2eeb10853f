"""From logits of beginnings and ends to answers."""

import numpy as np


def best_spans(logits, mask=None, n_best=20, max_answer_length=30):
    r"""Finds the best answers of each row: the spans with the highest sum of two logits, among all that end no earlier than they begin.

    $$\mathrm{score}(i, j) = s_i + e_j, \qquad i \le j < i + \text{max\_answer\_length}$$

    The search is over all pairs, and so finds what a search among the best beginnings and the best ends may miss. The first position stands for no answer: it
    is in no span, and its own score is that against which the best one is held.

    Args:
        logits: float array of shape `(B, 2, T)`, from `SpanAnswerer`.
        mask: boolean array of shape `(B, T)`, `True` where an answer may begin or end, or `None` for where the logits are not the lowest number.
        n_best: integer, N, how many spans of each row. Defaults to `20`.
        max_answer_length: integer, the most tokens of an answer. Defaults to `30`.

    Returns:
        A dict of arrays: `starts` and `ends`, int `(B, N)`, positions of the first and of the last token; `scores`, float32 `(B, N)`, falling, minus infinity
        where there are fewer spans; `null_scores`, float32 `(B,)`, the score of no answer, minus infinity where the first position is masked.

    Raises:
        ValueError: if the logits have another shape, or a number is less than one.

    Example:
        >>> logits = np.array([[[0.0, 3.0, 1.0, 0.0], [0.0, 2.0, 0.0, 4.0]]])
        >>> spans = best_spans(logits, n_best=2)
        >>> [(int(i), int(j), float(score)) for i, j, score in zip(spans["starts"][0], spans["ends"][0], spans["scores"][0])]
        [(1, 3, 7.0), (1, 1, 5.0)]

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), sections 4.2 and 4.3.
    """
    logits = np.asarray(logits, "float32")
    if logits.ndim != 3 or logits.shape[1] != 2:
        raise ValueError(f"The logits are (batch, 2, length). Received: logits of shape {logits.shape}")
    if n_best < 1 or max_answer_length < 1:
        raise ValueError(f"n_best and max_answer_length are at least one. Received: n_best={n_best}, max_answer_length={max_answer_length}")
    batch, _, length = logits.shape
    allowed = logits > -1e38 if mask is None else np.asarray(mask, bool)[:, None]
    starts, ends = np.where(allowed, logits, -np.inf).transpose(1, 0, 2)  # (B, T) each
    reach = min(max_answer_length, length)
    scores = np.full((batch, length, reach), -np.inf, "float32")  # of the spans from i to i + d
    for d in range(reach):
        scores[:, 1 : length - d, d] = starts[:, 1 : length - d] + ends[:, 1 + d :]
    flat = scores.reshape(batch, -1)  # (B, T * reach)
    best = np.argsort(-flat, axis=1, kind="stable")[:, :n_best]  # (B, N)
    first = best // reach
    return {
        "starts": first,
        "ends": first + best % reach,
        "scores": np.take_along_axis(flat, best, axis=1),
        "null_scores": starts[:, 0] + ends[:, 0],
    }
