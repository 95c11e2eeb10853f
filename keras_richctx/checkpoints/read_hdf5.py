"""HDF5: arrays in groups, as AllenNLP keeps weights."""

import pathlib

import h5py
import numpy as np

from keras_richctx.checkpoints.lazy_arrays import LazyArrays


def read_hdf5(path):
    """Opens an HDF5 file of arrays.

    Args:
        path: path of the file.

    Returns:
        A `LazyArrays`, a mapping from the path of each array within the file, such as `"CNN/W_cnn_0"`, to a NumPy array.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is damaged, cut short or no HDF5.

    Example:
        >>> import tempfile
        >>> from keras_richctx.checkpoints import write_hdf5
        >>> path = f"{tempfile.mkdtemp()}/weights.hdf5"
        >>> write_hdf5(path, {"CNN/W_cnn_0": np.ones((1, 1, 4, 8))})
        >>> read_hdf5(path)["CNN/W_cnn_0"].shape
        (1, 1, 4, 8)
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no such file of weights. Received: path={str(path)!r}")
    names = []
    with _opened(path) as file:
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)

    def read(name):
        with _opened(path) as file:
            try:
                return np.asarray(file[name])
            except OSError as error:  # the file was cut behind its index
                raise ValueError(_damaged(path, error)) from error

    return LazyArrays(path, names, read)


def _opened(path):
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise ValueError(_damaged(path, error)) from error


def _damaged(path, error):
    return f"{path} is damaged, cut short or no HDF5 file of {path.stat().st_size:,} bytes: {error}. Fetch it again."
