"""Measures of translations, alignments, token predictions, tags, answers and classes."""

from keras_richctx.metrics.alignment_error_rate import alignment_error_rate
from keras_richctx.metrics.bleu import bleu
from keras_richctx.metrics.chunks import chunks
from keras_richctx.metrics.confusion import confusion
from keras_richctx.metrics.correlations import matthews, pearson, spearman
from keras_richctx.metrics.entity_f1 import entity_f1
from keras_richctx.metrics.glue_scores import glue_scores
from keras_richctx.metrics.hard_alignment import hard_alignment
from keras_richctx.metrics.perplexity import perplexity
from keras_richctx.metrics.perplexity_metric import Perplexity
from keras_richctx.metrics.squad_scores import squad_scores
from keras_richctx.metrics.token_accuracy import TokenAccuracy
from keras_richctx.metrics.token_f1 import token_f1

__all__ = [
    "Perplexity",
    "TokenAccuracy",
    "alignment_error_rate",
    "bleu",
    "chunks",
    "confusion",
    "entity_f1",
    "glue_scores",
    "hard_alignment",
    "matthews",
    "pearson",
    "perplexity",
    "spearman",
    "squad_scores",
    "token_f1",
]
