"""Files of weights: arrays by name, read from the disk as they are asked for, and put into variables strictly."""

from keras_richctx.checkpoints.assign import assign
from keras_richctx.checkpoints.fetch_preset import fetch_preset
from keras_richctx.checkpoints.lazy_arrays import LazyArrays
from keras_richctx.checkpoints.read_hdf5 import read_hdf5
from keras_richctx.checkpoints.read_pytorch_weights import read_pytorch_weights
from keras_richctx.checkpoints.read_safetensors import read_safetensors
from keras_richctx.checkpoints.read_tf_checkpoint import read_tf_checkpoint
from keras_richctx.checkpoints.read_vectors import read_vectors
from keras_richctx.checkpoints.write_hdf5 import write_hdf5
from keras_richctx.checkpoints.write_safetensors import write_safetensors
from keras_richctx.checkpoints.write_vectors import write_vectors

__all__ = [
    "LazyArrays",
    "assign",
    "fetch_preset",
    "read_hdf5",
    "read_pytorch_weights",
    "read_safetensors",
    "read_tf_checkpoint",
    "read_vectors",
    "write_hdf5",
    "write_safetensors",
    "write_vectors",
]
