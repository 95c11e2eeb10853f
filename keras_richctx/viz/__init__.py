"""Pictures: plain arrays in, matplotlib axes out, or views that a browser draws."""

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.attention_flow import attention_flow
from keras_richctx.viz.attention_heads import heads
from keras_richctx.viz.attention_maps import attention_maps
from keras_richctx.viz.attention_rollout import attention_rollout
from keras_richctx.viz.attributed import Attribution
from keras_richctx.viz.attribution import attribution
from keras_richctx.viz.canvases import canvases
from keras_richctx.viz.caption_maps import caption_maps
from keras_richctx.viz.confusion import confusion
from keras_richctx.viz.entropy_and_distance import attention_distance, attention_entropy, entropy_and_distance
from keras_richctx.viz.gates import gates
from keras_richctx.viz.glimpses import glimpses
from keras_richctx.viz.gradient_curves import gradient_curves
from keras_richctx.viz.gradient_flow import GradientFlow, gradient_flow
from keras_richctx.viz.gradient_norms import gradient_norms
from keras_richctx.viz.head_grid import head_grid
from keras_richctx.viz.head_measures import even_attention, hits_on_links, induction_links, offset_links, same_token_links, token_links, weight_on_links
from keras_richctx.viz.head_scores import head_scores
from keras_richctx.viz.hidden_states import HiddenStates, hidden_states
from keras_richctx.viz.layer_weights import layer_weights
from keras_richctx.viz.learning_curves import learning_curves, mean_and_deviation
from keras_richctx.viz.maps import AttentionMaps
from keras_richctx.viz.position_encodings import position_encodings, position_products
from keras_richctx.viz.special_tokens import special_kinds, special_tokens, token_shares
from keras_richctx.viz.style import style, theme
from keras_richctx.viz.through_layers import through_layers
from keras_richctx.viz.trajectory import trajectory
from keras_richctx.viz.views.alignment_view import alignment_view
from keras_richctx.viz.views.caption_view import caption_view
from keras_richctx.viz.views.head_view import head_view
from keras_richctx.viz.views.model_view import model_view
from keras_richctx.viz.views.neuron_view import neuron_view
from keras_richctx.viz.views.token_view import token_view
from keras_richctx.viz.views.view import View
from keras_richctx.viz.weight_changes import weight_change, weight_changes
from keras_richctx.viz.word_map import word_map

__all__ = [
    "AttentionMaps",
    "Attribution",
    "GradientFlow",
    "HiddenStates",
    "View",
    "alignment",
    "alignment_view",
    "attention_distance",
    "attention_entropy",
    "attention_flow",
    "attention_maps",
    "attention_rollout",
    "attribution",
    "canvases",
    "caption_maps",
    "caption_view",
    "confusion",
    "entropy_and_distance",
    "even_attention",
    "gates",
    "glimpses",
    "gradient_curves",
    "gradient_flow",
    "gradient_norms",
    "head_grid",
    "head_scores",
    "head_view",
    "heads",
    "hidden_states",
    "hits_on_links",
    "induction_links",
    "layer_weights",
    "learning_curves",
    "mean_and_deviation",
    "model_view",
    "neuron_view",
    "offset_links",
    "position_encodings",
    "position_products",
    "same_token_links",
    "special_kinds",
    "special_tokens",
    "style",
    "theme",
    "through_layers",
    "token_links",
    "token_shares",
    "token_view",
    "trajectory",
    "weight_change",
    "weight_changes",
    "weight_on_links",
    "word_map",
]
