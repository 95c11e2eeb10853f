"""Picture files as an array that is read where it is looked at."""

import keras
import numpy as np


class ImageFiles:
    """A list of picture files that gives arrays: `files[3]`, `files[:10]`, `files[[5, 1]]`.

    Each picture is scaled so that it covers a square and cut to its middle: nothing is stretched.

    Args:
        paths: list of paths, of files that Pillow reads, such as JPEG and PNG.
        side: integer, the height and width to have. Defaults to `224`.

    Raises:
        ValueError: if `side` is not a positive integer; when it is looked at, if a file is no picture; the message names it.
        FileNotFoundError: likewise, if there is none.

    Example:
        >>> import tempfile
        >>> path = f"{tempfile.mkdtemp()}/black.png"
        >>> keras.utils.save_img(path, np.zeros((9, 16, 3)), scale=False)
        >>> files = ImageFiles([path], side=8)
        >>> files[0].shape, files[:].shape
        ((8, 8, 3), (1, 8, 8, 3))
    """

    def __init__(self, paths, side=224):
        if isinstance(paths, str | bytes) or not hasattr(paths, "__iter__"):
            raise TypeError(f"Files are given as a list of paths. Received: paths={paths!r}")
        if not isinstance(side, int | np.integer) or side < 1:
            raise ValueError(f"side is a positive integer. Received: side={side!r}")
        self.paths, self.side = list(paths), side

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        if isinstance(index, int | np.integer):
            return self._read(self.paths[index])
        paths = self.paths[index] if isinstance(index, slice) else [self.paths[i] for i in index]
        return np.stack([self._read(path) for path in paths]) if paths else np.zeros((0, self.side, self.side, 3), "uint8")

    def _read(self, path):
        try:
            image = keras.utils.load_img(path, target_size=(self.side, self.side), interpolation="bilinear", keep_aspect_ratio=True)
        except FileNotFoundError:
            raise
        except (OSError, SyntaxError, ValueError) as error:  # what Pillow raises where it cannot read
            raise ValueError(f"{path} cannot be read as a picture: {error}") from error
        return np.asarray(image, "uint8")
