"""What the strategies that follow one line a row have in common."""

import dataclasses

import keras

from keras_richctx.generation.search import write
from keras_richctx.generation.stops import ends_with_stop


@dataclasses.dataclass(frozen=True)
class OneLine:
    """Base of the strategies that follow one line: keeps it, its log-probability, and whether it has ended. A subclass chooses the next token."""

    eos_id: int | None
    pad_id: int
    num_stops: int

    def begin(self, token_ids, state, memory, limits, max_new_tokens, stops):
        pads = keras.ops.full((keras.ops.shape(token_ids)[0], max_new_tokens), self.pad_id, dtype="int32")
        carry = {
            "tokens": keras.ops.concatenate([token_ids[:, None], pads], axis=1),  # (B, 1 + max_new_tokens)
            "scores": keras.ops.zeros_like(token_ids, dtype="float32"),  # (B,): log-probability so far
            "done": keras.ops.zeros_like(token_ids, dtype="bool"),
            "limits": limits,
            "stops": stops,  # (N, M)
        }
        return token_ids, state, memory, carry

    def follow(self, t, token_ids, gain, carry):
        """Puts the chosen tokens, `(B,)`, of the log-probabilities `gain`, `(B,)`, behind the lines that have not ended; returns the tokens and the carry."""
        done = carry["done"]
        token_ids = keras.ops.where(done, self.pad_id, token_ids)
        tokens = write(carry["tokens"], t, token_ids)
        ended = t + 1 >= carry["limits"]
        if self.eos_id is not None:
            ended = keras.ops.logical_or(ended, token_ids == self.eos_id)
        if self.num_stops:
            ended = keras.ops.logical_or(ended, ends_with_stop(tokens, t, carry["stops"]))
        scores = carry["scores"] + keras.ops.where(done, 0.0, gain)
        return token_ids, {**carry, "tokens": tokens, "scores": scores, "done": keras.ops.logical_or(done, ended)}

    def finish(self, carry):
        return {"tokens": carry["tokens"], "scores": carry["scores"]}
