"""Attention: queries that choose, position by position, whom to listen to."""

from keras_richctx.attention.alignment import Alignment
from keras_richctx.attention.coverage_penalty import coverage_penalty

__all__ = ["Alignment", "coverage_penalty"]
