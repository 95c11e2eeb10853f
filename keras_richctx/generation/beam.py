"""Beam search: several lines followed at once, the best finished one returned."""

import dataclasses
import numbers

import keras

from keras_richctx.generation.compiled import run
from keras_richctx.generation.search import of_rows, write
from keras_richctx.generation.stops import ends_with_stop, stop_matrix

NEVER = float("-inf")  # the log-probability of what cannot be: no probability added and no penalty makes it possible


def length_penalty(length, alpha):
    r"""What a log-probability is divided by before lengths are compared: $\mathrm{lp}(y) = \left(\frac{5 + |y|}{6}\right)^\alpha$.

    Args:
        length: number or tensor, $|y|$, in tokens, the end symbol counted.
        alpha: float, $\alpha$; `0` compares plain log-probabilities.

    Returns:
        The penalty, in the form of `length`; 1 at length 1.

    References:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), equation 14.
    """
    return ((5.0 + length) / 6.0) ** alpha


@dataclasses.dataclass(frozen=True)
class Beam:
    """The strategy that follows the `num_beams` best lines, and sets ended ones aside by their score.

    In its carry, `alive_*` belong to lines that go on, `ended_*` to those set aside. A row is done when no living line can still beat its worst ended
    one, or at its limit; then nothing of it changes any more, so that a row's result does not depend on the rest of its batch.

    The lines may be in groups, side by side, which search one after the other at each step and keep away from what the groups before them have just said.
    """

    eos_id: int | None
    pad_id: int
    num_stops: int
    num_beams: int
    alpha: float
    beta: float = 0.0
    num_groups: int = 1
    diversity: float = 0.0

    def begin(self, token_ids, state, memory, limits, max_new_tokens, stops):
        k = self.num_beams
        if self.beta and not (isinstance(state, dict) and "coverage" in state):
            raise ValueError("A coverage penalty needs a model that says where it looks at each step, such as Seq2Seq. Received: one without attention")
        repeat = lambda x: keras.ops.repeat(x, k, axis=0)  # noqa: E731  (B, ...) -> (B K, ...), the K lines of a row side by side
        pads = keras.ops.full((keras.ops.shape(token_ids)[0], max_new_tokens), self.pad_id, dtype="int32")
        tokens = keras.ops.concatenate([token_ids[:, None], pads], axis=1)[:, None]  # (B, 1, 1 + max_new_tokens)
        tokens = keras.ops.repeat(tokens, k, axis=1)  # (B, K, 1 + max_new_tokens)
        # at first all lines of a group are the same: only one of them counts
        leads = keras.ops.arange(k) % (k // self.num_groups) == 0
        first = keras.ops.where(leads, 0.0, NEVER)[None] + keras.ops.zeros_like(token_ids, dtype="float32")[:, None]  # (B, K)
        carry = {
            "alive_tokens": tokens,
            "alive_scores": first,
            "alive_coverage": keras.ops.zeros_like(first),
            "ended_tokens": tokens,
            "ended_scores": keras.ops.full_like(first, NEVER),
            "done": keras.ops.zeros_like(first[:, : self.num_groups], dtype="bool"),  # (B, groups)
            "limits": limits,
            "stops": stops,  # (N, M)
        }
        return repeat(token_ids), of_rows(repeat, state), of_rows(repeat, memory), carry

    def choose(self, t, log_probabilities, state, carry):
        k, vocabulary = self.num_beams, log_probabilities.shape[-1]
        size = k // self.num_groups
        gains = keras.ops.reshape(log_probabilities, (-1, k, vocabulary))  # (B K, V) -> (B, K, V)
        coverage = keras.ops.zeros_like(carry["alive_scores"])
        if self.beta:
            coverage = keras.ops.reshape(coverage_penalty(state["coverage"], self.beta), (-1, k))  # (B K,) -> (B, K)
        shared = {name: carry[name] for name in ("limits", "stops")}
        groups, lines, said = [], [], keras.ops.zeros_like(gains[:, 0])  # (B, V): how often each word was said at this step
        for g in range(self.num_groups):
            members = slice(g * size, (g + 1) * size)
            group = {name: x[:, members] for name, x in carry.items() if name not in (*shared, "done")}
            group, own, words = self._advance(t, gains[:, members], coverage[:, members], said, {**group, **shared, "done": carry["done"][:, g]})
            groups.append(group)
            lines.append(own + g * size)
            said = said + keras.ops.sum(keras.ops.one_hot(words, vocabulary, dtype="float32"), axis=1)
        names = [name for name in groups[0] if name != "done"]
        carry = {**shared, **{name: keras.ops.concatenate([group[name] for group in groups], axis=1) for name in names}}
        carry["done"] = keras.ops.stack([group["done"] for group in groups], axis=1)
        lines = keras.ops.concatenate(lines, axis=1)  # (B, K)
        rows = keras.ops.arange(keras.ops.shape(lines)[0], dtype="int32")[:, None] * k + lines  # (B, K) of 0 .. B K - 1
        rows = keras.ops.reshape(rows, (-1,))  # (B K,)
        state = of_rows(lambda x: keras.ops.take(x, rows, axis=0), state)
        last = keras.ops.take(carry["alive_tokens"], t + 1, axis=-1)  # (B, K)
        return keras.ops.reshape(last, (-1,)), state, carry

    def _advance(self, t, gains, coverage, said, group):
        """Takes a step with the k lines of a group.

        Args:
            t: int32 tensor of shape `()`.
            gains: float tensor of shape `(B, k, V)`, the log-probabilities of the next word.
            coverage: float tensor of shape `(B, k)`, the coverage penalty of each line with this step.
            said: float tensor of shape `(B, V)`, how often the groups before said each word at this step.
            group: dict, the group's part of the carry.

        Returns:
            A triple: the group's new part; the lines that its living lines come from, int32 `(B, k)`; and their last words, int32 `(B, k)`, -1 for a
            group that is done and says nothing any more.
        """
        _, k, vocabulary = gains.shape
        done = group["done"][:, None]  # (B, 1)
        # log p(y_1..y_t) of every way to go on, ranked by it and by how new the word is
        paths = group["alive_scores"][..., None] + gains  # (B, k, V)
        ranks = paths if self.num_groups == 1 else paths - self.diversity * said[:, None]
        # each line can end in 1 + N ways, so that at least k of the best (2 + N) k go on
        ways = min(2 + self.num_stops, vocabulary)
        ranks, places = keras.ops.top_k(keras.ops.reshape(ranks, (-1, k * vocabulary)), ways * k)  # (B, ways k)
        places = keras.ops.cast(places, "int32")
        scores = keras.ops.take_along_axis(keras.ops.reshape(paths, (-1, k * vocabulary)), places, axis=1)
        lines, words = places // vocabulary, places % vocabulary
        tokens = write(_take(group["alive_tokens"], lines), t, words)  # (B, ways k, 1 + max_new_tokens)
        covered = _take(coverage, lines)  # (B, ways k)
        ends = keras.ops.zeros_like(words, dtype="bool") if self.eos_id is None else words == self.eos_id
        if self.num_stops:
            ends = keras.ops.logical_or(ends, ends_with_stop(tokens, t, group["stops"]))

        # set aside what ends among the best k, as greedy search ends where the end symbol is the best word: the best k of the old and the new
        now = ends & (keras.ops.arange(ways * k) < k)  # (B, ways k)
        penalised = keras.ops.where(now, scores / length_penalty(keras.ops.cast(t + 1, "float32"), self.alpha) + covered, NEVER)
        ended_scores, best = keras.ops.top_k(keras.ops.concatenate([group["ended_scores"], penalised], axis=1), k)
        ended_tokens = _take(keras.ops.concatenate([group["ended_tokens"], tokens], axis=1), best)
        # go on with the best k of the others
        _, best = keras.ops.top_k(keras.ops.where(ends, NEVER, ranks), k)
        alive_scores = _take(keras.ops.where(ends, NEVER, scores), best)
        alive_lines = _take(lines, best)

        keep = lambda new, old: keras.ops.where(done if len(new.shape) == 2 else done[..., None], old, new)  # noqa: E731
        new = {
            "alive_tokens": keep(_take(tokens, best), group["alive_tokens"]),
            "alive_scores": keep(alive_scores, group["alive_scores"]),
            "alive_coverage": keep(_take(covered, best), group["alive_coverage"]),
            "ended_tokens": keep(ended_tokens, group["ended_tokens"]),
            "ended_scores": keep(ended_scores, group["ended_scores"]),
        }
        # a log-probability only falls, so the best that a living line can reach is what it has, at the longest length and with all covered
        most = keras.ops.max(new["alive_scores"], axis=1)
        reachable = most / length_penalty(keras.ops.cast(group["limits"], "float32"), self.alpha)
        settled = reachable <= new["ended_scores"][:, -1]
        new["done"] = done[:, 0] | settled | (t + 1 >= group["limits"])
        return new, alive_lines, keras.ops.where(done, -1, _take(words, best))

    def finish(self, carry):
        # a group in which nothing ended before its limit gives what it has
        penalty = length_penalty(keras.ops.cast(carry["limits"], "float32"), self.alpha)[:, None]
        shape = (-1, self.num_groups, self.num_beams // self.num_groups)
        nothing = keras.ops.max(keras.ops.reshape(carry["ended_scores"], shape), axis=-1, keepdims=True) <= NEVER  # (B, groups, 1)
        nothing = keras.ops.reshape(keras.ops.broadcast_to(nothing, keras.ops.shape(keras.ops.reshape(carry["ended_scores"], shape))), (-1, self.num_beams))
        tokens = keras.ops.where(nothing[..., None], carry["alive_tokens"], carry["ended_tokens"])
        scores = keras.ops.where(nothing, carry["alive_scores"] / penalty + carry["alive_coverage"], carry["ended_scores"])
        scores, best = keras.ops.top_k(scores, self.num_beams)
        return {"tokens": _take(tokens, best), "scores": scores}


def coverage_penalty(coverage, beta):
    r"""What a line loses for source words that it has not looked at: $\mathrm{cp}(x, y) = \beta \sum_i \log \min\left(\sum_t \alpha_{ti}, 1\right)$.

    Args:
        coverage: float tensor of shape `(N, S)`, $\sum_t \alpha_{ti}$, the attention that each source word has got so far; at pads one.
        beta: float, $\beta$.

    Returns:
        A float tensor of shape `(N,)`, at most zero.

    References:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), equation 14.
    """
    # a word that was not looked at at all costs much, and not infinitely much
    return beta * keras.ops.sum(keras.ops.log(keras.ops.clip(keras.ops.cast(coverage, "float32"), 1e-6, 1.0)), axis=-1)


def beam(
    model,
    inputs,
    max_new_tokens,
    num_beams=4,
    length_penalty=1.0,
    coverage_penalty=0.0,
    num_groups=1,
    diversity=0.0,
    stop=None,
    return_all=False,
):
    r"""Decodes by beam search: follows the most probable lines and returns the ended one with the best score.

    $$s(x, y) = \frac{\log p(y \mid x)}{\mathrm{lp}(y)} + \mathrm{cp}(x, y)$$

    with `length_penalty` and `coverage_penalty` of this module. Ended lines are compared with each other and with those that may still end, each by its own
    length. With one beam and no penalty it is `greedy`. A row in which nothing ends, as of a model without end symbol, gives its best lines at its limit.

    With groups, each searches by itself, one after the other at each step, and ranks a word lower that the groups before it have said at this step; the scores
    stay those of the model. All lines are then compared.

    Args:
        model: a model with `start` and `step`, `eos_id` and `pad_id`, such as `keras_richctx.models.Seq2Seq`.
        inputs: prompts, or a dict of arrays, as in `greedy`.
        max_new_tokens: positive integer, the most tokens to add, or an integer array of shape `(B,)`.
        num_beams: positive integer, K, how many lines to follow. Defaults to `4`.
        length_penalty: float of at least zero, the exponent $\alpha$ of the penalty. Defaults to `1.0`.
        coverage_penalty: float of at least zero, the weight $\beta$ of the penalty for source words that were not looked at. Defaults to `0.0`.
        num_groups: positive integer, which divides `num_beams`. Defaults to `1`.
        diversity: float of at least zero, what a word's rank loses for each time that it was said, in nats. Defaults to `0.0`.
        stop: list of sequences of token ids that end a line, as in `greedy`, or `None`.
        return_all: boolean, whether to return all K lines and their scores, best first.

    Returns:
        An integer array of shape `(B, T)`, the prompts and the new tokens, as of `greedy`; with `return_all` a pair of an integer array of shape `(B, K, T)`
        and a float array of shape `(B, K)`, the scores; a place that no line fills has a score of minus infinity.

    Raises:
        ValueError: if a number is out of its range, or a coverage penalty is asked of a model that does not say where it looks.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = krc.models.Seq2Seq(tokenizer, tokenizer, units=8)
        >>> source = {"encoder_token_ids": np.array([tokenizer("the cat")])}
        >>> lines, scores = beam(model, source, max_new_tokens=4, num_beams=2, coverage_penalty=0.2, return_all=True)
        >>> lines.shape, scores.shape
        ((1, 2, 5), (1, 2))

    References:
        [Graves, 2012](https://arxiv.org/abs/1211.3711); [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 7; groups:
        [Vijayakumar et al., 2018](https://arxiv.org/abs/1610.02424), algorithm 1.
    """
    for name, number in (("num_beams", num_beams), ("num_groups", num_groups)):
        if not isinstance(number, numbers.Integral) or number < 1:
            raise ValueError(f"Beam search follows at least one line. Received: {name}={number!r}")
    if num_beams % num_groups:
        raise ValueError(f"The groups share the beams evenly. Received: num_beams={num_beams}, num_groups={num_groups}")
    for name, number in (("length_penalty", length_penalty), ("coverage_penalty", coverage_penalty), ("diversity", diversity)):
        if not 0 <= number < float("inf"):
            raise ValueError(f"{name} is a number of at least zero. Received: {name}={number!r}")
    stops = stop_matrix(stop)
    penalties = {"alpha": float(length_penalty), "beta": float(coverage_penalty), "diversity": float(diversity)}
    strategy = Beam(model.eos_id, model.pad_id, len(stops), int(num_beams), num_groups=int(num_groups), **penalties)
    result = run(model, inputs, strategy, max_new_tokens, lambda batch, length: {"stops": stops})
    return (result["tokens"], result["scores"]) if return_all else result["tokens"][:, 0]


def _take(x, places):
    """Picks along axis 1, row by row: `(B, N, ...)` at `(B, M)` gives `(B, M, ...)`."""
    places = keras.ops.cast(places, "int32")
    extra = (1,) * (len(x.shape) - 2)
    return keras.ops.take_along_axis(x, keras.ops.reshape(places, (-1, places.shape[1], *extra)), axis=1)
