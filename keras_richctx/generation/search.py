"""The one decoding loop: a model that takes a step, a strategy that chooses, until every row has ended."""

import contextlib

import keras


def search(model, inputs, strategy, limits, max_new_tokens, own):
    """Decodes step by step, as one loop on the device.

    A model that can be decoded has two methods. `start(inputs, max_new_tokens)` returns `(token_ids, state, memory)`: `token_ids`, `(B,)`, is the last token
    that the model has not been fed yet; `state` is a nest of tensors that each step replaces, with leading axis B, or without any axis where they are the same
    for all rows; `memory` is a nest of tensors with leading axis B that stays the same for all steps. `step(token_ids, state, memory)` returns
    `(logits, state)`.

    A strategy has `begin(...)`, which lays out its own carry; `choose(...)`, which takes the log-probabilities of the next token and says how each row goes on;
    and `finish(...)`. A pad fills up what has ended and says nothing: it is never chosen.

    Args:
        model: the model.
        inputs: what `model.start` takes; for B rows.
        strategy: `Greedy`, `Beam`, `Sample`, or another object with their methods.
        limits: integer tensor of shape `(B,)`, the most new tokens of each row.
        max_new_tokens: integer, the largest of the limits: the length of the buffer.
        own: dict of tensors, what the strategy's `begin` takes beside: `Sample` has its random numbers there.

    Returns:
        What the strategy makes of its final carry.
    """
    with once_cast(model):
        carry, memory = begin(model, inputs, strategy, limits, max_new_tokens, own)
        return strategy.finish(advance(model, strategy, carry, memory, max_new_tokens)["lines"])


def begin(model, inputs, strategy, limits, max_new_tokens, own):
    """Reads the inputs; returns the carry of the loop, a dict, and the memory."""
    token_ids, state, memory = model.start(inputs, max_new_tokens)
    token_ids, state, memory, lines = strategy.begin(keras.ops.cast(token_ids, "int32"), state, memory, limits, max_new_tokens, **own)
    return {"t": keras.ops.zeros((), dtype="int32"), "token_ids": token_ids, "state": state, "lines": lines}, memory


def advance(model, strategy, carry, memory, steps):
    """Takes up to so many steps, fewer where every row has ended before; returns the new carry."""

    def unfinished(step, carry):
        return keras.ops.logical_and(step < steps, keras.ops.logical_not(keras.ops.all(carry["lines"]["done"])))

    def take_step(step, carry):
        logits, state = model.step(carry["token_ids"], carry["state"], memory)
        token_ids, state, lines = strategy.choose(carry["t"], _log_probabilities(logits, model), state, carry["lines"])
        return step + 1, {"t": carry["t"] + 1, "token_ids": token_ids, "state": state, "lines": lines}

    _, carry = keras.ops.while_loop(unfinished, take_step, (keras.ops.zeros((), dtype="int32"), carry), maximum_iterations=steps)
    return carry


@contextlib.contextmanager
def once_cast(model):
    """Casts the weights to what the model computes in, once and not at each step: half precision then moves half of the bytes."""
    scope = keras.StatelessScope()
    for variable in model.variables:
        value = variable.value
        # TensorFlow and PyTorch come here through a call that has cast it already; JAX does not
        if keras.backend.is_float_dtype(variable.dtype) and getattr(variable, "_autocast", True):
            value = keras.ops.cast(value, model.compute_dtype)
        scope.add_update((variable, value))
    with scope:
        yield


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


def of_rows(function, nest):
    """Applies a function to the tensors of a nest that have a leading axis for the rows, and leaves those alone that are the same for all."""
    return keras.tree.map_structure(lambda x: function(x) if len(x.shape) else x, nest)
