"""Inputs, targets and weights as the one tuple that a batch is."""

import keras
import numpy as np


def pack_arrays(x, y=None, sample_weight=None, class_weight=None):
    """Returns `(x,)`, `(x, y)` or `(x, y, sample_weight)`, with the weights as `keras.Model.fit` understands them.

    One array of weights holds for each of several targets, and the weight of a class becomes that of its examples, 1 where the class has none.

    Args:
        x: nest of arrays.
        y: nest of arrays, or `None`.
        sample_weight: nest of arrays, or `None`.
        class_weight: dict from class to weight, for one target of classes `(B,)`, `(B, 1)` or one-hot `(B, C)`, or `None`.

    Raises:
        ValueError: if there are weights of both kinds, or weights of classes and several targets.
    """
    if class_weight is not None:
        if sample_weight is not None or keras.tree.is_nested(y):
            raise ValueError(
                "class_weight is for one array of targets without sample_weight. Received: both weights, or several targets. Pass sample_weight alone."
            )
        classes = np.asarray(keras.ops.convert_to_numpy(y))
        classes = classes.argmax(axis=-1) if classes.ndim > 1 and classes.shape[-1] > 1 else classes.reshape(len(classes))  # (B,)
        sample_weight = np.array([class_weight.get(int(label), 1.0) for label in classes.round()])
    if y is None:
        return (x,)
    if sample_weight is None:
        return (x, y)
    if keras.tree.is_nested(y) and not keras.tree.is_nested(sample_weight):
        sample_weight = keras.tree.map_structure(lambda _: sample_weight, y)
    return (x, y, sample_weight)
