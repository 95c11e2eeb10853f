"""PyTorch's pickles, through PyTorch's own reader of tensors alone."""

import importlib.util
import pathlib

from packaging.version import Version

from keras_richctx.checkpoints.lazy_arrays import LazyArrays
from keras_richctx.checkpoints.pickles import refuse_pickle
from keras_richctx.checkpoints.read_json import read_json

FILE_NAME, INDEX_NAME = "pytorch_model.bin", "pytorch_model.bin.index.json"
SAFE_SINCE = "2.6"  # before, weights_only could be tricked


def read_pytorch_weights(path):
    """Reads a checkpoint of PyTorch, whole or in shards, where PyTorch is installed.

    The file is a pickle. It goes through `torch.load(weights_only=True)`, which builds tensors and nothing else; anything else in it is an error. The files are
    read at once, into memory.

    Args:
        path: path of a file, of an index (`pytorch_model.bin.index.json`), or of a directory that holds `pytorch_model.bin` or the index.

    Returns:
        A `LazyArrays`, from names to NumPy arrays; bfloat16 comes as float32.

    Raises:
        FileNotFoundError: if there is no such file, or a shard that the index names is not there.
        ValueError: if PyTorch is not installed or older than 2.6, or the file is damaged or holds something else than tensors.

    Example:
        >>> import tempfile
        >>> import torch  # doctest: +SKIP
        >>> path = f"{tempfile.mkdtemp()}/pytorch_model.bin"
        >>> torch.save({"weight": torch.ones(2, 3)}, path)  # doctest: +SKIP
        >>> read_pytorch_weights(path)["weight"].shape  # doctest: +SKIP
        (2, 3)
    """
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / (FILE_NAME if (path / FILE_NAME).is_file() else INDEX_NAME)
    files = [path]
    if path.name.endswith(".index.json"):
        files = sorted({path.parent / pathlib.PurePosixPath(name).name for name in read_json(path)["weight_map"].values()})
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise FileNotFoundError(f"The checkpoint is not whole; fetch all of it. Received: {str(path)!r}, without {', '.join(missing[:10])}")
    if importlib.util.find_spec("torch") is None:
        refuse_pickle(files[0])
    tensors = {name: tensor for file in files for name, tensor in _load(file).items()}
    return LazyArrays(path, tensors, lambda name: _to_numpy(tensors[name]))


def _load(file):
    import torch

    if Version(torch.__version__) < Version(SAFE_SINCE):
        raise ValueError(f"PyTorch reads pickles safely since {SAFE_SINCE}; install a newer one. Received: {str(file)!r}, with PyTorch {torch.__version__}")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # of pickle, of the archive, of what is refused: PyTorch raises many kinds
        raise ValueError(f"The file is damaged, or holds something else than tensors. Received: {str(file)!r} ({type(error).__name__}: {error})") from error
    if not isinstance(content, dict) or not all(isinstance(value, torch.Tensor) for value in content.values()):
        raise ValueError(f"The file holds a dict from names to tensors. Received: {str(file)!r}, with a {type(content).__name__} of something else")
    return content


def _to_numpy(tensor):
    import torch

    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
