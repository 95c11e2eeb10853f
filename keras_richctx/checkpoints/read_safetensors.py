"""Safetensors: one file, or several with an index, as Hugging Face writes them."""

import json
import pathlib

import numpy as np
from safetensors import SafetensorError, safe_open

from keras_richctx.checkpoints.lazy_arrays import LazyArrays
from keras_richctx.checkpoints.pickles import find_pickle, refuse_pickle

FILE_NAME = "model.safetensors"
INDEX_NAME = "model.safetensors.index.json"
_NUMPY_TYPES = {"BOOL", *(f"{kind}{bits}" for kind in "IU" for bits in (8, 16, 32, 64)), "F16", "F32", "F64", "C64"}


def read_safetensors(path):
    """Reads a checkpoint of safetensors, whole or in shards.

    The files are opened at once, so that half a checkpoint is noticed before anything is read, and stay open while the mapping lives. An array is read when it
    is asked for. Bfloat16, which NumPy has not, comes as float32, which holds each of its values exactly.

    Args:
        path: path of a `.safetensors` file, of an index (`.index.json`), or of a directory that holds `model.safetensors` or `model.safetensors.index.json`.

    Returns:
        A `LazyArrays`, from names to NumPy arrays.

    Raises:
        FileNotFoundError: if there is no such file, or a shard that the index names is not there.
        ValueError: if a file is damaged or cut short, the index and the shards disagree, or there is only a pickle. An array of a type that NumPy has not
            raises when it is asked for.

    Example:
        >>> import tempfile
        >>> from keras_richctx.checkpoints import write_safetensors
        >>> path = f"{tempfile.mkdtemp()}/model.safetensors"
        >>> write_safetensors(path, {"kernel": np.ones((2, 3), "float32")})
        >>> weights = read_safetensors(path)
        >>> list(weights), weights["kernel"].shape
        (['kernel'], (2, 3))
    """
    path = pathlib.Path(path)
    file = _locate(path)
    if file.name.endswith(".index.json"):
        shards = _read_index(file)
        files = {shard: _open(shard) for shard in shards}
        _check_index(file, shards, files)
    else:
        files = {file: _open(file)}
    places = {name: shard for shard, opened in files.items() for name in list(opened.keys())}
    return LazyArrays(path, places, lambda name: _read(files[places[name]], places[name], name))


def _locate(path):
    """Returns the file to read: `path`, or that of the directory."""
    if path.is_dir():
        for name in (FILE_NAME, INDEX_NAME):
            if (path / name).is_file():
                return path / name
    pickle = find_pickle(path)
    if pickle is not None:
        refuse_pickle(pickle)
    if path.is_file():
        return path
    found = sorted(file.name for file in path.iterdir()) if path.is_dir() else None
    raise FileNotFoundError(
        f"Weights are a .safetensors file, or a directory that holds {FILE_NAME} or {INDEX_NAME}. Received: path={str(path)!r}, "
        f"which {'is not there' if found is None else 'holds ' + (', '.join(found[:10]) or 'nothing')}"
    )


def _open(file):
    """Opens one file and checks its header against its length."""
    try:
        return safe_open(file, framework="np")
    except SafetensorError as error:
        raise ValueError(
            f"The file is no safetensors file, or only half of one, as a download that broke off leaves it; fetch it again. Received: {str(file)!r} of "
            f"{file.stat().st_size} bytes ({error})"
        ) from error


def _read_index(index):
    """Returns the shards that an index names: a dictionary from their paths to the names of their arrays."""
    try:
        places = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        shards = {index.parent / shard: set() for shard in places.values()}
        for name, shard in places.items():
            shards[index.parent / shard].add(name)
        if any(shard.parent != index.parent for shard in shards):
            raise ValueError("a shard lies in another directory")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"The index is damaged; it holds a 'weight_map' from arrays to files beside it. Received: {str(index)!r} ({error!r})") from error
    missing = sorted(shard.name for shard in shards if not shard.is_file())
    if missing:
        raise FileNotFoundError(
            f"The checkpoint is not whole: {len(missing)} of its {len(shards)} files are not there; fetch them too. "
            f"Received: {str(index)!r}, which names {', '.join(missing[:10])}"
        )
    return shards


def _check_index(index, shards, files):
    """Raises unless each shard holds just what the index says."""
    for shard, names in shards.items():
        there = set(files[shard].keys())
        for wrong, what in ((names - there, "lacks"), (there - names, "holds and the index does not name")):
            if wrong:
                raise ValueError(
                    f"The index and its files do not belong together; fetch all of them again. "
                    f"Received: {str(index)!r}, with arrays that {shard.name} {what}: {', '.join(sorted(wrong)[:10])}"
                )


def _read(opened, file, name):
    """Returns one array."""
    dtype = opened.get_slice(name).get_dtype()
    if dtype == "BF16":
        return _read_bfloat16(file, name)
    if dtype not in _NUMPY_TYPES:
        raise ValueError(f"The array is of a type that NumPy has not; save it as float32 or bfloat16. Received: {name!r} of type {dtype} in {str(file)!r}")
    return opened.get_tensor(name)


def _read_bfloat16(file, name):
    """Returns a bfloat16 array as float32: the same bits, and sixteen zeros behind them."""
    with file.open("rb") as stream:
        header_size = int.from_bytes(stream.read(8), "little")
        entry = json.loads(stream.read(header_size))[name]
        start, end = entry["data_offsets"]
        stream.seek(8 + header_size + start)
        bits = np.frombuffer(stream.read(end - start), "<u2")
    return (bits.astype("uint32") << 16).view("float32").reshape(entry["shape"])
