"""Pictures: plain arrays in, matplotlib axes out."""

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.attention_heads import heads
from keras_richctx.viz.confusion import confusion
from keras_richctx.viz.gates import gates
from keras_richctx.viz.gradient_curves import gradient_curves
from keras_richctx.viz.gradient_flow import GradientFlow, gradient_flow
from keras_richctx.viz.gradient_norms import gradient_norms
from keras_richctx.viz.style import style, theme
from keras_richctx.viz.trajectory import trajectory

__all__ = ["GradientFlow", "alignment", "confusion", "gates", "gradient_curves", "gradient_flow", "gradient_norms", "heads", "style", "theme", "trajectory"]
