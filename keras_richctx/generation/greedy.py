"""Greedy decoding: the most probable token at each step."""

import keras

from keras_richctx.generation.compiled import run
from keras_richctx.generation.one_line import OneLine, trim


class Greedy(OneLine):
    """The strategy that takes the most probable token."""

    def choose(self, t, log_probabilities, state, carry):
        best = keras.ops.cast(keras.ops.argmax(log_probabilities, axis=-1), "int32")  # (B,)
        gain = keras.ops.max(log_probabilities, axis=-1)  # (B,)
        best, carry = self.follow(t, best, gain, carry)
        return best, state, carry


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
