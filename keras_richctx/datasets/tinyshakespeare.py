"""Tiny Shakespeare: forty thousand lines of the plays, in one file."""

from keras_richctx.datasets.download import file_sha256
from keras_richctx.datasets.locate import locate

URL = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
PLACES = ("tinyshakespeare/input.txt",)
SPLITS = {"train": (0.0, 0.9), "validation": (0.9, 0.95), "test": (0.95, 1.0)}  # of the characters, in their order


def load_tinyshakespeare(split="train", data_dir=None):
    """Loads a part of Tiny Shakespeare, the text that Karpathy's char-rnn comes with (the plays are in the public domain).

    The file is downloaded once into `cache_dir()`, unless there is a local copy, `tinyshakespeare/input.txt`. It has 1,115,394 characters, 65 different ones.
    The first 90 % of them are for training, the next 5 % for validation and the last 5 % for the test; the three one after the other are the file.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the local copy, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.

    Returns:
        A string.

    Raises:
        ConnectionError: if there is no local copy and the file cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if there is no such split, or the file is another one.

    Example:
        ```python
        load_tinyshakespeare("train")[:14]  # "First Citizen:"
        ```

    References:
        [Karpathy, 2015](https://karpathy.github.io/2015/05/21/rnn-effectiveness/).
    """
    if split not in SPLITS:
        raise ValueError(f"tinyshakespeare has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    path = locate(PLACES, URL, data_dir, SHA256)
    digest = file_sha256(path)
    if digest != SHA256:
        raise ValueError(f"{path} is not the file of char-rnn: its sha256 is {digest}, not {SHA256}. Get it again from {URL}; its line ends are \\n.")
    text = path.read_bytes().decode("utf-8")
    first, last = (int(share * len(text)) for share in SPLITS[split])
    return text[first:last]
