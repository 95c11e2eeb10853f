"""MNIST: handwritten digits."""

import gzip
import math
import zlib

import numpy as np

from keras_richctx.datasets.labelled_images import LabelledImages
from keras_richctx.datasets.locate import locate

SITE = "https://ossci-datasets.s3.amazonaws.com/mnist"
SHA256 = {  # of the archives as they were published
    "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
SPLITS = {"train": ("train", 0, 55_000), "validation": ("train", 55_000, 60_000), "test": ("t10k", 0, 10_000)}  # the file, and which of its digits


def load_mnist(split="train", data_dir=None):
    """Loads one split of MNIST, 28 by 28 bytes each (CC BY-SA 3.0).

    The two files of a split are downloaded once into `cache_dir()`, unless there are local copies in the data directory's folder `mnist`, with `.gz` or
    without. The last 5,000 digits of the training files are for validation.

    Args:
        split: `"train"`, 55,000 digits, `"validation"`, 5,000, or `"test"`, 10,000. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the local copies, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.

    Returns:
        `LabelledImages` of shape `(N, 28, 28, 1)`.

    Raises:
        ConnectionError: if there is no local copy and the files cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or a file is damaged or another one.

    Example:
        ```python
        load_mnist("test")  # <LabelledImages: 10,000 images of 28 x 28 x 1, 10 classes>
        ```

    References:
        [LeCun et al., 1998](https://doi.org/10.1109/5.726791).
    """
    if split not in SPLITS:
        raise ValueError(f"mnist has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    name, first, last = SPLITS[split]
    images, labels = (read_idx(_locate(f"{name}-{kind}-ubyte.gz", data_dir)) for kind in ("images-idx3", "labels-idx1"))
    if images.shape[1:] != (28, 28) or labels.shape != (len(images),) or len(images) < last or labels.max() > 9:
        raise ValueError(f"These are not the files of MNIST: there must be {last:,} digits and labels. Received: arrays {images.shape} and {labels.shape}.")
    return LabelledImages(images[first:last, ..., None], labels[first:last].astype("int32"), tuple("0123456789"))


def read_idx(path):
    """Reads a file of bytes in the IDX format, compressed or not.

    Args:
        path: string or path.

    Returns:
        A `uint8` array.

    Raises:
        ValueError: if the file is no such file, or not whole.

    Example:
        ```python
        read_idx("mnist/t10k-labels-idx1-ubyte.gz")[:3]  # array([7, 2, 1], dtype=uint8)
        ```
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is damaged: {error}. Get it again.") from error
    if len(data) < 4 or data[:3] != b"\x00\x00\x08" or not 1 <= data[3] <= 32:  # two zeros, the type of bytes, the number of axes
        raise ValueError(f"{path} is no IDX file of bytes. Received: a file that begins with {data[:4]!r}.")
    axes = data[3]
    shape = tuple(np.frombuffer(data[4 : 4 + 4 * axes], ">u4").tolist())
    body = data[4 + 4 * axes :]
    if len(shape) != axes or len(body) != math.prod(shape):
        raise ValueError(f"{path} is not whole: it has {len(body):,} bytes where its head tells of {' x '.join(map(str, shape))}. Get it again.")
    return np.frombuffer(body, np.uint8).reshape(shape)


def _locate(name, data_dir):
    """Returns the path of a file, compressed or not."""
    return locate((f"mnist/{name}", f"mnist/{name.removesuffix('.gz')}"), f"{SITE}/{name}", data_dir, SHA256[name])
