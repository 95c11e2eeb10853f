"""From the data that a caller has to what a run reads."""

import math
import sys

import keras
import numpy as np

from keras_richctx.training.array_dataset import array_dataset
from keras_richctx.training.data_source import DataSource
from keras_richctx.training.dataset_source import DatasetSource
from keras_richctx.training.pack_arrays import pack_arrays


def open_source(data, batch_size=None, steps_per_epoch=None, shuffle=True, seed=0, steps_per_execution=1, **beside):
    """Returns the `DataSource` that reads `data`: a `DatasetSource` where any step of it can be found again.

    That is so for a `tf.data.Dataset` of known size, or with `steps_per_epoch`, and on TensorFlow for NumPy arrays and tensors, which are made into one. All
    else is left to Keras.

    Args:
        data: what `keras.Model.fit` takes as `x`.
        batch_size: integer, for arrays; as in Keras, `None` is 32, or what `steps_per_epoch` leaves.
        steps_per_epoch: integer, or `None` for all of the data.
        shuffle: boolean, whether to shuffle arrays (or, by Keras, the batches of a `PyDataset`).
        seed: integer from which the order of arrays is drawn.
        steps_per_execution: integer, that of the model.
        **beside: what `keras.Model.fit` takes as `y`, `sample_weight` and `class_weight`.

    Returns:
        A `DataSource`.

    Raises:
        ValueError: if there is no batch in the data, if an endless dataset comes without `steps_per_epoch`, or if arrays do not fit each other.
    """
    if _is_dataset(data) and (steps_per_epoch or int(data.cardinality()) != -2):  # -2 is a size that tf.data does not know
        if batch_size is not None:
            raise ValueError(f"A tf.data.Dataset is in batches already. Received: batch_size={batch_size}. Leave it out, or rebatch the dataset.")
        return DatasetSource(data, steps_per_epoch, steps_per_execution=steps_per_execution, **beside)
    if keras.backend.backend() == "tensorflow" and _are_tensors((data, beside.get("y"), beside.get("sample_weight"))):
        size = len(keras.tree.flatten(data)[0])
        batch_size = batch_size or (math.ceil(size / steps_per_epoch) if steps_per_epoch else 32)
        dataset = array_dataset(pack_arrays(data, **beside), batch_size, shuffle, seed)
        return DatasetSource(dataset, steps_per_epoch or math.ceil(size / batch_size), batch_size, steps_per_execution)
    batches = data.num_batches if isinstance(data, keras.utils.PyDataset) else None
    can_shuffle = batches is not None or all(hasattr(leaf, "shape") for leaf in keras.tree.flatten(data))  # Keras warns of a shuffle that it cannot do
    return DataSource(data, steps_per_epoch or batches, batch_size, steps_per_epoch=steps_per_epoch, shuffle=shuffle and can_shuffle, **beside)


def _is_dataset(data):
    """Whether `data` is a `tf.data.Dataset`; TensorFlow is not imported to find out."""
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and isinstance(data, tensorflow.data.Dataset)


def _are_tensors(arrays):
    """Whether all leaves but `None` are NumPy arrays of numbers, truth values or strings, or TensorFlow's dense tensors."""

    def is_tensor(leaf):
        if isinstance(leaf, np.ndarray):
            return leaf.dtype.kind in "biufcSU" and leaf.ndim > 0
        return keras.ops.is_tensor(leaf) and hasattr(leaf, "__array__") and len(leaf.shape) > 0  # ragged and sparse tensors have no __array__

    leaves = [leaf for leaf in keras.tree.flatten(arrays) if leaf is not None]
    return all(is_tensor(leaf) for leaf in leaves)
