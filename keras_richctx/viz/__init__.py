"""Pictures: plain arrays in, matplotlib axes out."""

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.gates import gates
from keras_richctx.viz.gradient_curves import gradient_curves
from keras_richctx.viz.style import style, theme
from keras_richctx.viz.trajectory import trajectory

__all__ = ["alignment", "gates", "gradient_curves", "style", "theme", "trajectory"]
