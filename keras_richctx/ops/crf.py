r"""The algebra of the linear-chain conditional random field: sums and maxima over all sequences of tags, one position at a time.

A sequence of tags $y$ over the real positions $1, \dots, n$ of a row has the score

$$s(y) = a_{y_1} + \sum_{t=1}^{n} e_{t, y_t} + \sum_{t=2}^{n} A_{y_{t-1}, y_t} + b_{y_n}, \qquad p(y) = \frac{e^{s(y)}}{\sum_{y'} e^{s(y')}}$$

with the emissions $e$, $(B, T, K)$, the transitions $A$, $(K, K)$, from a row's tag to a column's, and the scores $a$ of a start and $b$ of an end, $(K,)$.

Masked positions are not there: the tag of a real position follows that of the real position before it, wherever pads or gaps stand between them. A row without
real positions has one sequence, the empty one, of score 0 and probability 1. All is computed in float32. A transition, start or end of `-inf` is forbidden, and
has no gradient.
"""

import keras

from keras_richctx.ops.compact import from_front, to_front
from keras_richctx.ops.loop import loop
from keras_richctx.ops.masks import as_mask

# Where it is forbidden, a score is this low and not -inf, of which the logarithm of a sum has no derivative. Sums of a million of them are float32 still.
FORBIDDEN = -1e30


def crf_score(emissions, tags, transitions, start, end, mask=None):
    r"""Scores one sequence of tags a row: $s(y)$.

    Args:
        emissions: float tensor of shape `(B, T, K)`.
        tags: integer tensor of shape `(B, T)`, 0 to K - 1 at real positions; elsewhere it does not matter.
        transitions: float tensor of shape `(K, K)`, $A$.
        start: float tensor of shape `(K,)`, $a$.
        end: float tensor of shape `(K,)`, $b$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A float32 tensor of shape `(B,)`; `-inf` where a forbidden step is taken, 0 for a row without real positions.

    Example:
        >>> crf_score(np.array([[[1.0, 2.0], [3.0, 4.0]]]), np.array([[1, 0]]), np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([5.0, 6.0]), np.array([7.0, 8.0]))
        <tf.Tensor: shape=(1,), dtype=float32, numpy=array([18.3], dtype=float32)>
    """
    emissions, mask = _clean(emissions, mask)
    steps, last = _steps(emissions, tags, *_finite(transitions, start, end), mask)
    return _or_impossible(keras.ops.sum(steps, axis=1) + last)


def crf_log_partition(emissions, transitions, start, end, mask=None):
    r"""Sums over all sequences of tags with the forward algorithm: $\log \sum_y e^{s(y)}$.

    $$\alpha_{1,j} = a_j + e_{1,j}, \qquad \alpha_{t,j} = e_{t,j} + \log \sum_i e^{\alpha_{t-1,i} + A_{ij}}, \qquad
    \log \sum_y e^{s(y)} = \log \sum_j e^{\alpha_{n,j} + b_j}$$

    Args:
        emissions: float tensor of shape `(B, T, K)`.
        transitions: float tensor of shape `(K, K)`, $A$.
        start: float tensor of shape `(K,)`, $a$.
        end: float tensor of shape `(K,)`, $b$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A float32 tensor of shape `(B,)`; `-inf` where every sequence of that length is forbidden, 0 for a row without real positions.

    Example:
        >>> zeros = np.zeros(3, "float32")
        >>> total = crf_log_partition(np.zeros((1, 4, 3)), np.zeros((3, 3)), zeros, zeros)
        >>> round(float(keras.ops.exp(total[0])), 2)  # 3 ** 4 sequences
        81.0
    """
    emissions, mask = _clean(emissions, mask)
    return _or_impossible(_log_partition(emissions, *_finite(transitions, start, end), mask))


def crf_log_likelihood(emissions, tags, transitions, start, end, mask=None):
    r"""Computes the log-probability of one sequence of tags a row: $\log p(y) = s(y) - \log \sum_{y'} e^{s(y')}$.

    Args:
        emissions: float tensor of shape `(B, T, K)`.
        tags: integer tensor of shape `(B, T)`, 0 to K - 1 at real positions; elsewhere it does not matter.
        transitions: float tensor of shape `(K, K)`, $A$.
        start: float tensor of shape `(K,)`, $a$.
        end: float tensor of shape `(K,)`, $b$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A float32 tensor of shape `(B,)`; `-inf`, with a gradient of zero, where a forbidden step is taken; 0 for a row without real positions.

    Example:
        >>> zeros = np.zeros(3, "float32")
        >>> log_p = crf_log_likelihood(np.zeros((1, 4, 3)), np.array([[0, 1, 2, 0]]), np.zeros((3, 3)), zeros, zeros)
        >>> round(float(keras.ops.exp(-log_p[0])), 2)
        81.0
    """
    transitions, start, end = _finite(transitions, start, end)
    emissions, mask = _clean(emissions, mask)
    steps, last = _steps(emissions, tags, transitions, start, end, mask)
    # log p(y) = -log sum_y' exp(s(y') - s(y)): step by step, as the differences are small where the scores of a long row are not
    likelihood = last - _log_partition(emissions - steps[..., None], transitions, start, end, mask)
    return keras.ops.where(keras.ops.sum(steps, axis=1) + last < FORBIDDEN / 10, float("-inf"), likelihood)


def crf_viterbi(emissions, transitions, start, end, mask=None):
    r"""Finds the best sequence of tags of each row: $\arg\max_y s(y)$.

    $$\delta_{t,j} = e_{t,j} + \max_i (\delta_{t-1,i} + A_{ij}), \qquad y_n = \arg\max_j (\delta_{n,j} + b_j), \qquad
    y_{t-1} = \arg\max_i (\delta_{t-1,i} + A_{i, y_t})$$

    Among equals, each $\arg\max$ takes the first.

    Args:
        emissions: float tensor of shape `(B, T, K)`.
        transitions: float tensor of shape `(K, K)`, $A$.
        start: float tensor of shape `(K,)`, $a$.
        end: float tensor of shape `(K,)`, $b$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A pair: the tags, int32 `(B, T)`, -1 at masked positions; and their scores, float32 `(B,)`, `-inf` where every sequence of that length is forbidden (the
        tags then take a forbidden step), 0 for a row without real positions.

    Example:
        >>> zeros, stay = np.zeros(2, "float32"), np.array([[1.0, -1.0], [-1.0, 1.0]])
        >>> tags, scores = crf_viterbi(np.array([[[2.0, 0.0], [0.0, 1.0], [0.0, 0.5]]]), stay, zeros, zeros)
        >>> tags.numpy(), scores.numpy()
        (array([[0, 0, 0]], dtype=int32), array([4.], dtype=float32))
    """
    transitions, start, end = _finite(transitions, start, end)
    emissions, mask = _clean(emissions, mask)
    batch, num_tags = keras.ops.shape(emissions)[0], emissions.shape[-1]
    if emissions.shape[1] == 0:
        return keras.ops.zeros((batch, 0), "int32"), keras.ops.zeros((batch,))
    itself = keras.ops.arange(num_tags, dtype="int32")[None]  # (1, K)

    def step(inputs, state):
        e, real, first = _parts(inputs)
        scores = state[0][:, :, None] + transitions[None]  # (B, K, K): from i to j
        # delta_j = e_j + max_i (delta_i + A_ij)
        best = keras.ops.where(first, start[None], keras.ops.max(scores, axis=1)) + e
        best = keras.ops.where(real, best, state[0])  # (B, K)
        came_from = keras.ops.where(real, keras.ops.cast(keras.ops.argmax(scores, axis=1), "int32"), itself)  # (B, K)
        return (best, came_from), [best]

    (_, came_from), (best,) = loop(step, _joined(emissions, mask), [keras.ops.zeros((batch, num_tags))])
    best = best + end[None]
    last = keras.ops.cast(keras.ops.argmax(best, axis=-1), "int32")[:, None]  # (B, 1)

    def back(came_from, state):
        return state[0], [keras.ops.take_along_axis(came_from, state[0], axis=1)]

    tags, _ = loop(back, came_from, [last], reverse=True)  # (B, T, 1), from the end
    tags = keras.ops.where(mask, keras.ops.flip(tags, axis=1)[..., 0], -1)  # (B, T)
    return tags, _or_impossible(keras.ops.where(keras.ops.any(mask, axis=1), keras.ops.max(best, axis=-1), 0.0))


def crf_marginals(emissions, transitions, start, end, mask=None):
    r"""Computes the probability of each tag at each position, over all sequences: $p(y_t = k)$, by the forward and the backward algorithm.

    $$\beta_{n,i} = b_i, \qquad \beta_{t,i} = \log \sum_j e^{A_{ij} + e_{t+1,j} + \beta_{t+1,j}}, \qquad
    p(y_t = k) = \frac{e^{\alpha_{t,k} + \beta_{t,k}}}{\sum_j e^{\alpha_{t,j} + \beta_{t,j}}}$$

    It is the derivative of `crf_log_partition` by the emissions.

    Args:
        emissions: float tensor of shape `(B, T, K)`.
        transitions: float tensor of shape `(K, K)`, $A$.
        start: float tensor of shape `(K,)`, $a$.
        end: float tensor of shape `(K,)`, $b$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

    Returns:
        A float32 tensor of shape `(B, T, K)`, which sums to 1 over the tags at real positions, and is 0 at the others. It means nothing where every sequence of
        that length is forbidden.

    Example:
        >>> zeros = np.zeros(2, "float32")
        >>> crf_marginals(np.log([[[1.0, 3.0]]]), np.zeros((2, 2)), zeros, zeros).numpy().round(4)
        array([[[0.25, 0.75]]], dtype=float32)
    """
    transitions, start, end = _finite(transitions, start, end)
    emissions, mask = _clean(emissions, mask)
    if emissions.shape[1] == 0:
        return emissions
    alpha, _ = _forward(emissions, mask, transitions, start)  # (B, T, K)

    def step(inputs, state):
        e, real, _ = _parts(inputs)
        # beta_{t-1,i} = log sum_j exp(A_ij + e_tj + beta_tj)
        before = keras.ops.logsumexp(transitions[None] + (e + state[0])[:, None, :], axis=2)  # (B, K)
        return state[0], [keras.ops.where(real, before, state[0])]

    last = keras.ops.broadcast_to(end[None], keras.ops.shape(emissions[:, 0]))  # (B, K)
    beta, _ = loop(step, _joined(emissions, mask), [last], reverse=True)  # (B, T, K), from the end
    marginals = keras.ops.softmax(alpha + keras.ops.flip(beta, axis=1), axis=-1)
    return keras.ops.where(mask[..., None], marginals, 0.0)


def _steps(emissions, tags, transitions, start, end, mask):
    """Takes the score of a sequence of tags apart: what each position adds, `(B, T)`, 0 at masked ones, and what the end adds, `(B,)`."""
    if emissions.shape[1] == 0:
        return emissions[..., 0], keras.ops.sum(emissions, axis=(1, 2))
    tags = keras.ops.where(mask, keras.ops.cast(tags, "int32"), 0)  # (B, T)
    emitted = keras.ops.take_along_axis(emissions, tags[..., None], axis=-1)[..., 0]  # (B, T)
    tags = to_front(tags[..., None], mask)[..., 0]  # neighbours now follow each other
    pairs = tags[:, :-1] * emissions.shape[-1] + tags[:, 1:]  # (B, T - 1)
    moves = keras.ops.take(keras.ops.reshape(transitions, (-1,)), pairs)
    moves = keras.ops.concatenate([keras.ops.take(start, tags[:, :1]), moves], axis=1)  # (B, T)
    count = keras.ops.sum(keras.ops.cast(mask, "int32"), axis=1, keepdims=True)  # (B, 1)
    last = keras.ops.take(end, keras.ops.take_along_axis(tags, keras.ops.maximum(count - 1, 0), axis=1))  # (B, 1)
    # s(y) = sum_t (A_{y_{t-1},y_t} + e_{t,y_t}) + b_{y_n}, with the start's score a_{y_1} for the first of the A
    steps = keras.ops.where(mask, from_front(moves[..., None], mask)[..., 0] + emitted, 0.0)
    return steps, keras.ops.where(count > 0, last, 0.0)[:, 0]


def _log_partition(emissions, transitions, start, end, mask):
    """Computes `crf_log_partition` of clean emissions with finite weights: far below zero where all is forbidden."""
    if emissions.shape[1] == 0:
        return keras.ops.sum(emissions, axis=(1, 2))  # zeros, with a gradient
    _, alpha = _forward(emissions, mask, transitions, start)
    return keras.ops.where(keras.ops.any(mask, axis=1), keras.ops.logsumexp(alpha + end[None], axis=-1), 0.0)


def _forward(emissions, mask, transitions, start):
    """Runs the forward algorithm; returns alpha at each position, `(B, T, K)`, that of the position before at masked ones, and at the end, `(B, K)`."""

    def step(inputs, state):
        e, real, first = _parts(inputs)
        # alpha_j = e_j + log sum_i exp(alpha_i + A_ij)
        alpha = keras.ops.logsumexp(state[0][:, :, None] + transitions[None], axis=1)  # (B, K, K) -> (B, K)
        alpha = keras.ops.where(real, keras.ops.where(first, start[None], alpha) + e, state[0])
        return alpha, [alpha]

    alpha, (last,) = loop(step, _joined(emissions, mask), [keras.ops.zeros_like(emissions[:, 0])])
    return alpha, last


def _clean(emissions, mask):
    """Returns float32 emissions, zero at masked positions, whatever stood there, and a boolean mask."""
    emissions = keras.ops.cast(keras.ops.convert_to_tensor(emissions), "float32")
    mask = keras.ops.ones_like(emissions[..., 0], dtype="bool") if mask is None else as_mask(mask)
    return keras.ops.where(mask[..., None], emissions, 0.0), mask


def _joined(emissions, mask):
    """Puts what a step reads side by side: the emissions, whether the position is real, and whether it is the first real one; `(B, T, K + 2)`."""
    first = keras.ops.logical_and(mask, keras.ops.cumsum(keras.ops.cast(mask, "int32"), axis=1) == 1)
    flags = keras.ops.cast(keras.ops.stack([mask, first], axis=-1), "float32")  # (B, T, 2)
    return keras.ops.concatenate([emissions, flags], axis=-1)


def _parts(inputs):
    """Takes one position of `_joined` apart: `(B, K)`, and two flags `(B, 1)`."""
    return inputs[:, :-2], inputs[:, -2:-1] > 0, inputs[:, -1:] > 0


def _finite(*weights):
    """Turns weights into float32, and `-inf` into `FORBIDDEN`."""
    return [keras.ops.maximum(keras.ops.cast(keras.ops.convert_to_tensor(weight), "float32"), FORBIDDEN) for weight in weights]


def _or_impossible(score):
    """Gives `-inf` for a score that has a forbidden step in it."""
    return keras.ops.where(score < FORBIDDEN / 10, float("-inf"), score)
