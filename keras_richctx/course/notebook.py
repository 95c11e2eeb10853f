"""The first cell of every chapter."""

import logging
import os
import platform
from importlib.metadata import version

import keras
import matplotlib

from keras_richctx import viz


def notebook(seed):
    """Prepares a notebook: seeds, picture style, quiet logs, and one line that says what runs.

    The same seed gives the same initial weights, shuffles and dropout on the same machine and versions, since it is given to Python, NumPy and
    the backend alike. What TensorFlow writes while it is imported comes before this: the lines above it in the first cell of a chapter keep that quiet.

    Args:
        seed: integer, by habit the number of the chapter.

    Example:
        >>> krc.notebook(seed=5)
        keras_richctx ... | Keras ... on tensorflow ... | Python ... | CPU, ... cores
    """
    keras.utils.set_random_seed(seed)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    logging.getLogger("absl").setLevel(logging.ERROR)
    matplotlib.rcParams.update(viz.theme())
    backend = keras.backend.backend()
    print(
        f"keras_richctx {version('keras-richctx')} | Keras {keras.version()} on {backend} {version(backend)} | Python {platform.python_version()} | {_device()}"
    )


def _device():
    """Where a new tensor lands, in words."""
    device = str(keras.ops.zeros(()).device).rpartition("/")[2]  # "device:GPU:0" of "/job:localhost/.../device:GPU:0" on TensorFlow
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"CPU, {cores} cores" if "cpu" in device.lower() else device.removeprefix("device:")
