"""Beam search: several lines followed at once, the best finished one returned."""

import dataclasses

import keras

from keras_richctx.generation.compiled import run
from keras_richctx.generation.one_line import trim
from keras_richctx.generation.search import write

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
    """

    eos_id: int
    pad_id: int
    num_beams: int
    alpha: float

    def begin(self, token_ids, state, memory, limits, max_new_tokens):
        k = self.num_beams
        repeat = lambda x: keras.ops.repeat(x, k, axis=0)  # noqa: E731  (B, ...) -> (B K, ...), the K lines of a row side by side
        pads = keras.ops.full((keras.ops.shape(token_ids)[0], max_new_tokens), self.pad_id, dtype="int32")
        tokens = keras.ops.concatenate([token_ids[:, None], pads], axis=1)[:, None]  # (B, 1, 1 + max_new_tokens)
        tokens = keras.ops.repeat(tokens, k, axis=1)  # (B, K, 1 + max_new_tokens)
        # at first all lines are the same: only one of them counts
        first = keras.ops.where(keras.ops.arange(k) == 0, 0.0, NEVER)[None] + keras.ops.zeros_like(token_ids, dtype="float32")[:, None]  # (B, K)
        carry = {
            "alive_tokens": tokens,
            "alive_scores": first,
            "ended_tokens": tokens,
            "ended_scores": keras.ops.full_like(first, NEVER),
            "done": keras.ops.zeros_like(token_ids, dtype="bool"),  # (B,)
            "limits": limits,
        }
        structure = keras.tree.map_structure
        return repeat(token_ids), structure(repeat, state), structure(repeat, memory), carry

    def choose(self, t, log_probabilities, state, carry):
        k, vocabulary = self.num_beams, log_probabilities.shape[-1]
        done = carry["done"][:, None]  # (B, 1)
        # log p(y_1..y_t) of every way to go on
        gains = keras.ops.reshape(log_probabilities, (-1, k, vocabulary))  # (B K, V) -> (B, K, V)
        paths = keras.ops.reshape(carry["alive_scores"][..., None] + gains, (-1, k * vocabulary))  # (B, K V)
        # the best 2 K: at most K of them end here (one a line), so at least K go on
        scores, places = keras.ops.top_k(paths, 2 * k)  # (B, 2 K)
        places = keras.ops.cast(places, "int32")
        lines, words = places // vocabulary, places % vocabulary
        tokens = write(_take(carry["alive_tokens"], lines), t, words)  # (B, 2 K, 1 + max_new_tokens)
        ends = words == self.eos_id

        # set aside what ends among the best K, as greedy search ends where the end symbol is the best word: the best K of the old and the new
        now = ends & (keras.ops.arange(2 * k) < k)  # (B, 2 K)
        penalised = keras.ops.where(now, scores / length_penalty(keras.ops.cast(t + 1, "float32"), self.alpha), NEVER)
        ended_scores, best = keras.ops.top_k(keras.ops.concatenate([carry["ended_scores"], penalised], axis=1), k)
        ended_tokens = _take(keras.ops.concatenate([carry["ended_tokens"], tokens], axis=1), best)
        # go on with the best K of the others
        alive_scores, best = keras.ops.top_k(keras.ops.where(ends, NEVER, scores), k)
        alive_tokens, alive_lines = _take(tokens, best), _take(lines, best)

        keep = lambda new, old: keras.ops.where(done if len(new.shape) == 2 else done[..., None], old, new)  # noqa: E731
        carry = {
            "alive_tokens": keep(alive_tokens, carry["alive_tokens"]),
            "alive_scores": keep(alive_scores, carry["alive_scores"]),
            "ended_tokens": keep(ended_tokens, carry["ended_tokens"]),
            "ended_scores": keep(ended_scores, carry["ended_scores"]),
            "limits": carry["limits"],
        }
        # a log-probability only falls, so the best that a living line can reach is what it has, at the longest length
        reachable = carry["alive_scores"][:, 0] / length_penalty(keras.ops.cast(carry["limits"], "float32"), self.alpha)
        settled = reachable <= carry["ended_scores"][:, -1]
        carry["done"] = done[:, 0] | settled | (t + 1 >= carry["limits"])

        rows = keras.ops.arange(keras.ops.shape(alive_lines)[0], dtype="int32")[:, None] * k + alive_lines  # (B, K) of 0 .. B K - 1
        rows = keras.ops.reshape(rows, (-1,))  # (B K,)
        state = keras.tree.map_structure(lambda x: keras.ops.take(x, rows, axis=0), state)
        last = keras.ops.where(keras.ops.arange(alive_tokens.shape[-1], dtype="int32") == t + 1, alive_tokens, 0)
        return keras.ops.reshape(keras.ops.sum(last, axis=-1), (-1,)), state, carry

    def finish(self, carry):
        # a row in which nothing ended before its limit gives what it has
        penalty = length_penalty(keras.ops.cast(carry["limits"], "float32"), self.alpha)[:, None]
        nothing = carry["ended_scores"][:, :1] <= NEVER  # (B, 1)
        return {
            "tokens": keras.ops.where(nothing[..., None], carry["alive_tokens"], carry["ended_tokens"]),
            "scores": keras.ops.where(nothing, carry["alive_scores"] / penalty, carry["ended_scores"]),
        }


def beam(model, inputs, max_new_tokens, num_beams=4, length_penalty=1.0, return_all=False):
    r"""Decodes by beam search: follows the most probable lines and returns the ended one with the best score $\log p(y \mid x) / \mathrm{lp}(y)$.

    Ended lines are compared with each other and with those that may still end, each by its own length. With one beam and no penalty it is `greedy`.

    Args:
        model: a model with `start` and `step`, `eos_id` and `pad_id`, such as `keras_richctx.models.Seq2Seq`.
        inputs: dict of arrays with leading axis B, what `model.start` takes.
        max_new_tokens: positive integer, the most tokens to add, or an integer array of shape `(B,)`.
        num_beams: positive integer, K, how many lines to follow. Defaults to `4`.
        length_penalty: float of at least zero, the exponent $\alpha$ of the penalty. Defaults to `1.0`.
        return_all: boolean, whether to return all K lines and their scores, best first.

    Returns:
        An integer array of shape `(B, T)`, the first token (the prompt's last) included; with `return_all` a pair of an integer array of shape `(B, K, T)`
        and a float array of shape `(B, K)`, the scores; a place that no line fills has a score of minus infinity.

    Raises:
        ValueError: if a number is out of its range, or the model has no end symbol.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = krc.models.Seq2Seq(tokenizer, tokenizer, units=8)
        >>> beam(model, {"encoder_token_ids": np.array([tokenizer("the cat")])}, max_new_tokens=4, num_beams=2).shape[0]
        1

    References:
        [Graves, 2012](https://arxiv.org/abs/1211.3711); [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 7.
    """
    if model.eos_id is None:
        raise ValueError("Beam search compares lines that end, and this model has no end symbol. Received: model.eos_id=None")
    if not isinstance(num_beams, int) or num_beams < 1:
        raise ValueError(f"Beam search follows at least one line. Received: num_beams={num_beams!r}")
    if not length_penalty >= 0:
        raise ValueError(f"The length penalty's exponent is at least zero. Received: length_penalty={length_penalty!r}")
    result = run(model, inputs, Beam(model.eos_id, model.pad_id, num_beams, float(length_penalty)), max_new_tokens)
    tokens = trim(result["tokens"], max_new_tokens)
    return (tokens, result["scores"]) if return_all else tokens[:, 0]


def _take(x, places):
    """Picks along axis 1, row by row: `(B, N, ...)` at `(B, M)` gives `(B, M, ...)`."""
    places = keras.ops.cast(places, "int32")
    extra = (1,) * (len(x.shape) - 2)
    return keras.ops.take_along_axis(x, keras.ops.reshape(places, (-1, places.shape[1], *extra)), axis=1)
