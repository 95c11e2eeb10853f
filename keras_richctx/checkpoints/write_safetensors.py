"""Safetensors: written whole, or not at all."""

import os
import pathlib

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import save_file

_TYPES = {"bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), "bfloat16", "float16", "float32", "float64"}


def write_safetensors(path, arrays, metadata=None):
    """Writes arrays into a safetensors file. A file that is there is replaced in one step, or left as it was.

    Args:
        path: path of the file; its directory is made if needed.
        arrays: mapping from names to arrays of numbers or booleans.
        metadata: mapping from strings to strings, or `None` for none. Hugging Face's library wants `{"format": "pt"}`.

    Raises:
        TypeError: if a name, or something in `metadata`, is not a string.
        ValueError: if an array is of a type that the format has not.
        OSError: if the file cannot be written.

    Example:
        >>> import tempfile
        >>> write_safetensors(f"{tempfile.mkdtemp()}/model.safetensors", {"kernel": np.ones((2, 3))}, {"format": "pt"})
    """
    path, metadata = pathlib.Path(path), dict(metadata or {})
    for text in (*arrays, *metadata, *metadata.values()):
        if not isinstance(text, str):
            raise TypeError(f"The names of arrays, and all of metadata, are strings. Received: {text!r} of type {type(text).__name__}")
    if "__metadata__" in arrays:
        raise ValueError("The format keeps one name for itself. Received: an array named '__metadata__'")
    arrays = {name: _plain(name, array) for name, array in arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.touch()
        mode = part.stat().st_mode  # of any new file here; the library's own is for its owner alone
        save_file(arrays, part, metadata or None)
        part.chmod(mode)
        part.replace(path)
    except SafetensorError as error:
        raise OSError(f"The weights could not be written. Received: path={str(path)!r} ({error})") from error
    finally:
        part.unlink(missing_ok=True)


def _plain(name, array):
    """Returns an array whose bytes lie as they will in the file: row after row, in the order of this machine."""
    array = np.asarray(array)
    if array.dtype.name not in _TYPES:
        raise ValueError(f"A safetensors file holds numbers and booleans. Received: the array {name!r} of dtype {array.dtype}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
