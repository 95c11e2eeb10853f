"""Training on one device: `fit` is `keras.Model.fit` with a checkpoint that survives Ctrl-C, a kill and a full disk, and a progress bar."""

from keras_richctx.training.fit import fit

__all__ = ["fit"]
