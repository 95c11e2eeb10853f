"""Greedy decoding: the most probable token at each step."""

import dataclasses

import keras

from keras_richctx.generation.compiled import run
from keras_richctx.generation.search import write


@dataclasses.dataclass(frozen=True)
class Greedy:
    """The strategy that takes the most probable token and follows one line only."""

    eos_id: int | None
    pad_id: int

    def begin(self, token_ids, state, memory, limits, max_new_tokens):
        pads = keras.ops.full((keras.ops.shape(token_ids)[0], max_new_tokens), self.pad_id, dtype="int32")
        carry = {
            "tokens": keras.ops.concatenate([token_ids[:, None], pads], axis=1),  # (B, 1 + max_new_tokens)
            "scores": keras.ops.zeros_like(token_ids, dtype="float32"),  # (B,): log-probability so far
            "done": keras.ops.zeros_like(token_ids, dtype="bool"),
            "limits": limits,
        }
        return token_ids, state, memory, carry

    def choose(self, t, log_probabilities, state, carry):
        done = carry["done"]
        best = keras.ops.cast(keras.ops.argmax(log_probabilities, axis=-1), "int32")  # (B,)
        gain = keras.ops.max(log_probabilities, axis=-1)  # (B,)
        best = keras.ops.where(done, self.pad_id, best)
        carry = {
            "tokens": write(carry["tokens"], t, best),
            "scores": carry["scores"] + keras.ops.where(done, 0.0, gain),
            "done": keras.ops.logical_or(done, t + 1 >= carry["limits"]),
            "limits": carry["limits"],
        }
        if self.eos_id is not None:
            carry["done"] = keras.ops.logical_or(carry["done"], best == self.eos_id)
        return best, state, carry

    def finish(self, carry):
        return {"tokens": carry["tokens"], "scores": carry["scores"]}


def greedy(model, inputs, max_new_tokens, return_scores=False):
    r"""Decodes by taking the most probable token at each step: $y_t = \arg\max_v p(v \mid y_{<t}, x)$.

    A row ends with its end symbol or at its limit, and is filled up with pads; the other rows of the batch do not change it.

    Args:
        model: a model with `start` and `step`, `eos_id` and `pad_id`, such as `keras_richctx.models.Seq2Seq`.
        inputs: dict of arrays with leading axis B, what `model.start` takes.
        max_new_tokens: positive integer, the most tokens to add, or an integer array of shape `(B,)`.
        return_scores: boolean, whether to return the log-probabilities too.

    Returns:
        An integer array of shape `(B, T)`, the first token (the prompt's last) included; with `return_scores` a pair of it and a float array of shape
        `(B,)`, the log-probability of each row, natural logarithm.

    Raises:
        ValueError: if `max_new_tokens` is not positive.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = krc.models.Seq2Seq(tokenizer, tokenizer, units=8)
        >>> greedy(model, {"encoder_token_ids": np.array([tokenizer("the cat")])}, max_new_tokens=4).shape[0]
        1
    """
    result = run(model, inputs, Greedy(model.eos_id, model.pad_id), max_new_tokens)
    tokens = trim(result["tokens"], max_new_tokens)
    return (tokens, result["scores"]) if return_scores else tokens


def trim(tokens, max_new_tokens):
    """Cuts the buffer, `(..., 1 + L)`, to the first token and the longest limit."""
    return tokens[..., : 1 + int(keras.ops.max(keras.ops.convert_to_tensor(max_new_tokens)))]
