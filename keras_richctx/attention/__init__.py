"""Attention: queries that choose, position by position, whom to listen to."""

from keras_richctx.attention.alignment import Alignment
from keras_richctx.attention.coverage_penalty import coverage_penalty
from keras_richctx.attention.multi_head_attention import MultiHeadAttention

__all__ = ["Alignment", "MultiHeadAttention", "coverage_penalty"]
