"""Decoding, over any model that takes a step: greedy and beam search through one loop."""

from keras_richctx.generation.beam import beam, length_penalty
from keras_richctx.generation.greedy import greedy

__all__ = ["beam", "greedy", "length_penalty"]
