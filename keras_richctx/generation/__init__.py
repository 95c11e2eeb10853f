"""Decoding, over any model that takes a step: greedy search, beam search and sampling through one loop."""

from keras_richctx.generation.beam import beam, length_penalty
from keras_richctx.generation.greedy import greedy
from keras_richctx.generation.sample import sample

__all__ = ["beam", "greedy", "length_penalty", "sample"]
