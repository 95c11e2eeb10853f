"""Pictures: plain arrays in, matplotlib axes out."""

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.style import style, theme

__all__ = ["alignment", "style", "theme"]
