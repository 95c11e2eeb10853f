"""Greedy decoding: the most probable token at each step."""

import keras

from keras_richctx.generation.compiled import run
from keras_richctx.generation.one_line import OneLine
from keras_richctx.generation.stops import stop_matrix


class Greedy(OneLine):
    """The strategy that takes the most probable token."""

    def choose(self, t, log_probabilities, state, carry):
        best = keras.ops.cast(keras.ops.argmax(log_probabilities, axis=-1), "int32")  # (B,)
        gain = keras.ops.max(log_probabilities, axis=-1)  # (B,)
        best, carry = self.follow(t, best, gain, carry)
        return best, state, carry


def greedy(model, inputs, max_new_tokens, stop=None, on_token=None, return_scores=False):
    r"""Decodes by taking the most probable token at each step: $y_t = \arg\max_v p(v \mid y_{<t}, x)$.

    A row ends with its end symbol, with a stop sequence or at its limit, and is filled up with pads; the other rows of the batch do not change it. The loop is
    one compiled program, which serves all prompts of up to the next multiple of 16 tokens.

    Args:
        model: a model with `start` and `step`, `eos_id` and `pad_id`, such as `keras_richctx.models.GPT2` or `keras_richctx.models.Seq2Seq`.
        inputs: prompts, a list of lists of token ids or an integer array `(B, T)`, with pads on either side; or a dict of arrays with leading axis B, what
            `model.start` takes. Pads that are the end symbol too, as GPT-2's, are told by a `padding_mask` in the dict alone.
        max_new_tokens: positive integer, the most tokens to add, or an integer array of shape `(B,)`.
        stop: list of sequences of token ids that end a line where they are complete, or `None`. They stay in the line; the prompt takes no part.
        on_token: function of an integer array `(B,)`, called with each step's tokens as soon as they are there, pads for rows that have ended; or `None`. Each
            step is then a call of its own, and the caches cross over to NumPy and back.
        return_scores: boolean, whether to return the log-probabilities too.

    Returns:
        An integer array of shape `(B, T)`: the prompts, with pads on the left, and the new tokens, which begin in the same column in all rows. Without a
        prompt, as in translation, the first token that the model begins from stands first. With `return_scores` a pair of it and a float array of shape `(B,)`,
        the log-probability of the new tokens of each row, natural logarithm.

    Raises:
        ValueError: if `max_new_tokens` is not positive, a prompt is empty or too long for the model, or a stop sequence is none.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = krc.models.Seq2Seq(tokenizer, tokenizer, units=8)
        >>> greedy(model, {"encoder_token_ids": np.array([tokenizer("the cat")])}, max_new_tokens=4).shape[0]
        1
        >>> model = krc.models.CharRNN(tokenizer, units=8)
        >>> greedy(model, [tokenizer("the cat"), tokenizer("dort")], max_new_tokens=5).shape
        (2, 7)
    """
    stops = stop_matrix(stop)
    result = run(model, inputs, Greedy(model.eos_id, model.pad_id, len(stops)), max_new_tokens, lambda batch, length: {"stops": stops}, on_token)
    return (result["tokens"], result["scores"]) if return_scores else result["tokens"]
