"""Attention: queries that choose, position by position, whom to listen to."""

from keras_richctx.attention.alignment import Alignment

__all__ = ["Alignment"]
