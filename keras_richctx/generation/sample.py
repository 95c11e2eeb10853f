"""Sampling: the next token is drawn, from all of the distribution or from its head."""

import dataclasses
import numbers
import random

import keras
import numpy as np

from keras_richctx.generation.compiled import run
from keras_richctx.generation.one_line import OneLine
from keras_richctx.generation.stops import stop_matrix

SMALLEST = float(np.finfo("float32").tiny)  # below it a temperature would be zero on the device


@dataclasses.dataclass(frozen=True)
class Sample(OneLine):
    """The strategy that draws the token by one uniform number a row and step, through the inverse of the distribution function.

    The numbers come from outside, so that they are the same on every backend and one program serves all seeds and temperatures.
    """

    top_k: int | None
    nucleus: bool

    def begin(self, token_ids, state, memory, limits, max_new_tokens, stops, uniform, temperature, top_p, min_p):
        token_ids, state, memory, carry = super().begin(token_ids, state, memory, limits, max_new_tokens, stops)
        return token_ids, state, memory, {**carry, "uniform": uniform, "temperature": temperature, "top_p": top_p, "min_p": min_p}

    def choose(self, t, log_probabilities, state, carry):
        log, tokens = log_probabilities, None  # (B, V)
        if self.top_k is not None or self.nucleus:
            # only here the order matters: the most probable first
            log, tokens = keras.ops.top_k(log, min(self.top_k or log.shape[-1], log.shape[-1]))  # (B, K)
        p = tempered(log, carry["temperature"][:, None])
        if self.nucleus:
            # the smallest head of a mass of at least top_p: what stands before a token does not reach it yet
            p = keras.ops.where(keras.ops.cumsum(p, axis=-1) - p < carry["top_p"][:, None], p, 0.0)
        p = keras.ops.where(p >= carry["min_p"][:, None] * keras.ops.max(p, axis=-1, keepdims=True), p, 0.0)
        place = inverse(p, keras.ops.take(carry["uniform"], t, axis=1))  # (B,)
        chosen = place if tokens is None else _pick(keras.ops.cast(tokens, "int32"), place)
        chosen, carry = self.follow(t, chosen, _pick(log, place), carry)
        return chosen, state, carry


def tempered(log_probabilities, temperature):
    r"""Sharpens or flattens a distribution: $q(v) = p(v)^{1 / \tau} / \sum_w p(w)^{1 / \tau}$.

    Args:
        log_probabilities: float tensor of shape `(B, V)`, minus infinity for what cannot be.
        temperature: positive number or tensor, $\tau$. Towards zero all of the mass goes to the most probable token, one leaves the distribution as it is.

    Returns:
        A float tensor of shape `(B, V)`, the probabilities $q$.
    """
    # from the largest on, so that no temperature makes all of them vanish
    q = keras.ops.exp((log_probabilities - keras.ops.max(log_probabilities, axis=-1, keepdims=True)) / temperature)  # (B, V)
    return q / keras.ops.sum(q, axis=-1, keepdims=True)


def inverse(p, uniform):
    r"""Draws by the inverse of the distribution function: the first place $i$ with $\sum_{j \le i} p_j \ge u \sum_j p_j$.

    Args:
        p: float tensor of shape `(B, V)`, at least zero, not all zero; it need not sum to one.
        uniform: float tensor of shape `(B,)`, $u$, above zero and at most one.

    Returns:
        An int32 tensor of shape `(B,)`. A place of probability zero is never drawn.
    """
    possible, mass = p > 0, keras.ops.cumsum(p, axis=-1)  # (B, V)
    total = keras.ops.max(keras.ops.where(possible, mass, 0.0), axis=-1, keepdims=True)
    reached = keras.ops.logical_and(possible, mass >= keras.ops.convert_to_tensor(uniform)[:, None] * total)
    return keras.ops.cast(keras.ops.argmax(keras.ops.cast(reached, "int32"), axis=-1), "int32")


def sample(model, inputs, max_new_tokens, temperature=1.0, top_k=None, top_p=None, min_p=None, seed=None, stop=None, on_token=None, return_scores=False):
    r"""Decodes by drawing each token from the model's distribution: $y_t \sim q(\cdot \mid y_{<t}, x)$, $q \propto p^{1 / \tau}$.

    What is cut off the distribution before a draw is cut in this order, each cut on what the one before it has left, brought to a sum of one: `temperature`,
    `top_k`, `top_p`, `min_p`. A pad is never drawn, unless it is the end symbol too. With `top_k=1`, or as the temperature goes to zero, it is `greedy`.

    Each row has random numbers of its own, which depend on the seed, on its place in the batch and on the step alone: the same on every backend, for a larger
    batch and for a larger limit. Equal prompts in one batch give different lines, and a prompt drawn alone gives the line that it gives in the first place.

    Args:
        model: a model with `start` and `step`, `eos_id` and `pad_id`, such as `keras_richctx.models.CharRNN`.
        inputs: prompts, or a dict of arrays, as in `greedy`.
        max_new_tokens: positive integer, the most tokens to add, or an integer array of shape `(B,)`.
        temperature: positive float, $\tau$; below one for more of the probable, above one for less. Defaults to `1.0`.
        top_k: positive integer, how many of the most probable tokens to draw from, or `None` for all.
        top_p: float above zero and at most one: draws from the fewest most probable tokens that have at least this probability together (the nucleus), or
            `None` for all.
        min_p: float from zero to one: draws from the tokens that are at least this many times as probable as the most probable one, or `None` for all.
        seed: integer of at least zero, or `None` for one drawn from Python's `random`, which `keras.utils.set_random_seed` seeds.
        stop: list of sequences of token ids that end a line, as in `greedy`, or `None`.
        on_token: function that is called with the tokens of each step, as in `greedy`, or `None`.
        return_scores: boolean, whether to return the log-probabilities too.

    Returns:
        An integer array of shape `(B, T)`, the prompts and the new tokens, as of `greedy`; with `return_scores` a pair of it and a float array of shape
        `(B,)`, the log-probability of each row by the model itself, at temperature one and with nothing cut off, natural logarithm.

    Raises:
        ValueError: if a number is out of its range.

    Example:
        >>> tokenizer = krc.text.CodePointTokenizer.train(["to be or not to be"])
        >>> model = krc.models.CharRNN(tokenizer, units=8)
        >>> ids = sample(model, [tokenizer("to be")], max_new_tokens=20, top_p=0.9, seed=1)
        >>> ids.shape
        (1, 25)

    References:
        top_k: [Fan et al., 2018](https://arxiv.org/abs/1805.04833), section 5.3; top_p: [Holtzman et al., 2020](https://arxiv.org/abs/1904.09751), equation 2;
        min_p: [Nguyen et al., 2025](https://arxiv.org/abs/2407.01082), section 3.
    """
    if not 0 < temperature < float("inf"):
        raise ValueError(f"The temperature is a number above zero; towards zero it is greedy decoding. Received: temperature={temperature!r}")
    if top_k is not None and (not isinstance(top_k, numbers.Integral) or top_k < 1):
        raise ValueError(f"top_k is how many tokens to draw from, a positive integer. Received: top_k={top_k!r}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p is a probability above zero and at most one. Received: top_p={top_p!r}")
    if min_p is not None and not 0 <= min_p <= 1:
        raise ValueError(f"min_p is a ratio from zero to one. Received: min_p={min_p!r}")
    if seed is None:
        seed = random.randrange(2**31)
    if not isinstance(seed, numbers.Integral) or seed < 0:
        raise ValueError(f"seed is an integer of at least zero. Received: seed={seed!r}")

    stops = stop_matrix(stop)

    def draw(batch, length):
        # from (0, 1], so that some place always reaches u and none of probability zero does
        uniform = [1 - np.random.default_rng([seed, row]).random(length, dtype="float32") for row in range(batch)]
        numbers = {"temperature": max(temperature, SMALLEST), "top_p": 1.0 if top_p is None else top_p, "min_p": 0.0 if min_p is None else min_p}
        return {"stops": stops, "uniform": np.stack(uniform), **{name: np.full(batch, number, "float32") for name, number in numbers.items()}}

    strategy = Sample(model.eos_id, model.pad_id, len(stops), None if top_k is None else int(top_k), top_p is not None)
    result = run(model, inputs, strategy, max_new_tokens, draw, on_token)
    return (result["tokens"], result["scores"]) if return_scores else result["tokens"]


def _pick(x, place):
    """Takes the entry at `place`, `(B,)`, of each row of `x`, `(B, V)`."""
    return keras.ops.take_along_axis(x, place[:, None], axis=-1)[:, 0]
