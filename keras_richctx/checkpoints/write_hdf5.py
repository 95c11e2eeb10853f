"""HDF5: written whole, or not at all."""

import os
import pathlib

import h5py
import numpy as np


def write_hdf5(path, arrays):
    """Writes arrays into an HDF5 file. A file that is there is replaced in one step, or left as it was.

    Args:
        path: path of the file; its directory is made if needed.
        arrays: mapping from names to arrays; a slash in a name makes a group.

    Raises:
        OSError: if the file cannot be written.
    """
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with h5py.File(part, "w") as file:
            for name, array in arrays.items():
                file.create_dataset(name, data=np.asarray(array))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
