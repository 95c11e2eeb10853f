"""The one decoding loop: a model that takes a step, a strategy that chooses, until every row has ended."""

import keras


def search(model, inputs, strategy, limits, max_new_tokens, own):
    """Decodes step by step, as one loop on the device.

    A model that can be decoded has `start(inputs) -> (token_ids, state, memory)` and `step(token_ids, state, memory) -> (logits, state)`: `token_ids`, `(B,)`,
    is the last token that the model has not been fed yet; `state` is a nest of tensors with leading axis B that each step replaces; `memory` is a nest that
    stays the same for all steps.

    A strategy has `begin(...)`, which lays out its own carry, and `choose(...)`, which takes the log-probabilities of the next token and says
    how each row goes on. A pad fills up what has ended and says nothing: it is never chosen.

    Args:
        model: the model.
        inputs: what `model.start` takes; for B rows.
        strategy: `Greedy`, `Beam`, `Sample`, or another object with their two methods and `finish`.
        limits: integer tensor of shape `(B,)`, the most new tokens of each row.
        max_new_tokens: integer, the largest of the limits: the length of the buffer.
        own: dict of tensors with leading axis B, what the strategy's `begin` takes beside: `Sample` has its random numbers there.

    Returns:
        What the strategy makes of its final carry.
    """
    token_ids, state, memory = model.start(inputs)
    token_ids = keras.ops.cast(token_ids, "int32")
    token_ids, state, memory, carry = strategy.begin(token_ids, state, memory, limits, max_new_tokens, **own)

    def unfinished(t, token_ids, state, carry):
        return keras.ops.logical_and(t < max_new_tokens, keras.ops.logical_not(keras.ops.all(carry["done"])))

    def advance(t, token_ids, state, carry):
        logits, state = model.step(token_ids, state, memory)
        token_ids, state, carry = strategy.choose(t, _log_probabilities(logits, model), state, carry)
        return t + 1, token_ids, state, carry

    zero = keras.ops.zeros((), dtype="int32")
    *_, carry = keras.ops.while_loop(unfinished, advance, (zero, token_ids, state, carry), maximum_iterations=max_new_tokens)
    return strategy.finish(carry)


def _log_probabilities(logits, model):
    """Returns the log-probabilities of the next token, float32 of the shape of `logits`, `(N, V)`; minus infinity for the pad, unless it is the end symbol."""
    log = keras.ops.log_softmax(keras.ops.cast(logits, "float32"), axis=-1)
    if model.pad_id == model.eos_id:
        return log
    return keras.ops.where(keras.ops.arange(logits.shape[-1]) == model.pad_id, float("-inf"), log)


def write(tokens, t, token_ids):
    """Puts `token_ids`, `(...,)`, into column `t + 1` of `tokens`, `(..., 1 + max_new_tokens)`; column 0 holds the prompt's last token."""
    here = keras.ops.arange(tokens.shape[-1], dtype="int32") == t + 1  # (1 + max_new_tokens,)
    return keras.ops.where(here, token_ids[..., None], tokens)
