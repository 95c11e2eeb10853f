"""Measures of translations, alignments and token predictions."""

from keras_richctx.metrics.alignment_error_rate import alignment_error_rate
from keras_richctx.metrics.bleu import bleu
from keras_richctx.metrics.hard_alignment import hard_alignment
from keras_richctx.metrics.perplexity import perplexity
from keras_richctx.metrics.perplexity_metric import Perplexity
from keras_richctx.metrics.token_accuracy import TokenAccuracy

__all__ = ["Perplexity", "TokenAccuracy", "alignment_error_rate", "bleu", "hard_alignment", "perplexity"]
