"""The mean of several states of one model."""

import keras
import numpy as np


def average_weights(model, paths):
    """Gives a model the mean of the weights in several files, such as its last checkpoints: the paper took the last five of its base model.

    A learning rate that is still high jumps around a minimum; the mean of its jumps lies inside.

    Args:
        model: a built `keras.Model`.
        paths: list of paths of files that `model.save_weights` wrote, or a `keras.callbacks.ModelCheckpoint` with `save_weights_only=True`.

    Raises:
        ValueError: if there are no paths. A file of another model raises what Keras raises; the model then has the weights that it had.

    Example:
        >>> import pathlib, tempfile
        >>> model, folder = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)]), pathlib.Path(tempfile.mkdtemp())
        >>> for value in (1.0, 3.0):
        ...     model.set_weights([np.full((1, 1), value), np.zeros(1)])
        ...     model.save_weights(folder / f"{value}.weights.h5")
        >>> average_weights(model, sorted(folder.glob("*")))
        >>> float(model.get_weights()[0][0, 0])
        2.0

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 6.1.
    """
    paths = list(paths)
    if not paths:
        raise ValueError("A mean is one of at least one state. Received: paths=[]")
    before = model.get_weights()
    sums = [np.zeros(weight.shape, "float64") for weight in before]
    try:
        for path in paths:
            model.load_weights(path)
            for total, weight in zip(sums, model.get_weights()):
                total += weight
    except BaseException:
        model.set_weights(before)
        raise
    model.set_weights([(total / len(paths)).astype(keras.ops.convert_to_numpy(weight).dtype) for total, weight in zip(sums, before)])
