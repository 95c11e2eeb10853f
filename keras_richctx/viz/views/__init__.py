"""Pictures that answer: plain arrays in, one HTML document out, which a browser draws without a network."""

from keras_richctx.viz.views.head_view import head_view
from keras_richctx.viz.views.model_view import model_view
from keras_richctx.viz.views.view import View

__all__ = ["View", "head_view", "model_view"]
