"""Training, on one device or many: `fit` is `keras.Model.fit` with a checkpoint that survives Ctrl-C, a kill and a full disk, and a progress bar."""

from keras_richctx.training.average_weights import average_weights
from keras_richctx.training.discriminative_rates import discriminative_rates
from keras_richctx.training.fit import fit
from keras_richctx.training.gradients import gradients
from keras_richctx.training.gradual_unfreezing import GradualUnfreezing
from keras_richctx.training.noam_schedule import noam_schedule
from keras_richctx.training.non_monotonic_trigger import NonMonotonicTrigger
from keras_richctx.training.ntasgd import NTASGD
from keras_richctx.training.slanted_triangular import slanted_triangular
from keras_richctx.training.smoothed_crossentropy import SmoothedCrossentropy
from keras_richctx.training.strategy import strategy
from keras_richctx.training.time_limit import TimeLimit
from keras_richctx.training.truncated_bptt import truncated_bptt
from keras_richctx.training.warmup_adamw import warmup_adamw

__all__ = [
    "NTASGD",
    "GradualUnfreezing",
    "NonMonotonicTrigger",
    "SmoothedCrossentropy",
    "TimeLimit",
    "average_weights",
    "discriminative_rates",
    "fit",
    "gradients",
    "noam_schedule",
    "slanted_triangular",
    "strategy",
    "truncated_bptt",
    "warmup_adamw",
]
