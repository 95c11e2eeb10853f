"""Pure functions of tensors, without weights: masks, the masked softmax, the alignment scores, dot-product attention, glimpses at images, the loop
over time and the conditional random field.
"""

from keras_richctx.ops.batch_ratio import batch_ratio, batch_sum
from keras_richctx.ops.crf import crf_log_likelihood, crf_log_partition, crf_marginals, crf_score, crf_viterbi
from keras_richctx.ops.dot_product_attention import attention, attention_with_weights
from keras_richctx.ops.gaussian_filters import gaussian_filters
from keras_richctx.ops.gelu_tanh import gelu_tanh
from keras_richctx.ops.glimpse import glimpse
from keras_richctx.ops.loop import loop
from keras_richctx.ops.masked_softmax import masked_softmax
from keras_richctx.ops.masks import as_mask, causal_mask, merge_masks, padding_mask, slots_mask
from keras_richctx.ops.pair_loss import pair_loss
from keras_richctx.ops.sampled_softmax import log_uniform, sampled_softmax_loss, unique_candidates
from keras_richctx.ops.scores import additive_score, cosine_score, dot_score, general_score, location_score, scaled_dot_score

__all__ = [
    "additive_score",
    "as_mask",
    "attention",
    "attention_with_weights",
    "batch_ratio",
    "batch_sum",
    "causal_mask",
    "cosine_score",
    "crf_log_likelihood",
    "crf_log_partition",
    "crf_marginals",
    "crf_score",
    "crf_viterbi",
    "dot_score",
    "gaussian_filters",
    "gelu_tanh",
    "general_score",
    "glimpse",
    "location_score",
    "log_uniform",
    "loop",
    "masked_softmax",
    "merge_masks",
    "padding_mask",
    "pair_loss",
    "sampled_softmax_loss",
    "scaled_dot_score",
    "slots_mask",
    "unique_candidates",
]
