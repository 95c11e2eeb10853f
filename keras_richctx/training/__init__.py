"""Training on one device: `fit` is `keras.Model.fit` with a checkpoint that survives Ctrl-C, a kill and a full disk, and a progress bar."""

from keras_richctx.training.fit import fit
from keras_richctx.training.gradients import gradients
from keras_richctx.training.time_limit import TimeLimit
from keras_richctx.training.truncated_bptt import truncated_bptt

__all__ = ["TimeLimit", "fit", "gradients", "truncated_bptt"]
