"""Pictures that answer: plain arrays in, one HTML document out, which a browser draws without a network."""

from keras_richctx.viz.views.alignment_view import alignment_view
from keras_richctx.viz.views.caption_view import caption_view
from keras_richctx.viz.views.head_view import head_view
from keras_richctx.viz.views.model_view import model_view
from keras_richctx.viz.views.neuron_view import neuron_view
from keras_richctx.viz.views.token_view import token_view
from keras_richctx.viz.views.view import View

__all__ = ["View", "alignment_view", "caption_view", "head_view", "model_view", "neuron_view", "token_view"]
