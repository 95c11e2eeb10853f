"""The arrays of a checkpoint, by name."""

from collections.abc import Mapping


class LazyArrays(Mapping):
    """A read-only mapping from names to NumPy arrays that reads an array from the disk when it is asked for, and keeps none.

    The names are there at once. Asking twice reads twice. The files must stay as they are while the mapping is in use.

    Args:
        path: path of the checkpoint, for messages.
        names: iterable of strings.
        read: function from a name to a NumPy array.

    Raises:
        KeyError: for a name that is not in the checkpoint.

    Example:
        >>> arrays = LazyArrays("a.ckpt", ["kernel"], lambda name: np.ones((2, 3)))
        >>> arrays
        LazyArrays('a.ckpt', 1 array)
        >>> arrays["kernel"].shape
        (2, 3)
    """

    def __init__(self, path, names, read):
        self.path = path
        self._names = dict.fromkeys(names)
        self._read = read

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"There is no array of this name in {str(self.path)!r}. Received: name={name!r}")
        return self._read(name)

    def __contains__(self, name):  # a Mapping's own would read the array
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return f"{type(self).__name__}({str(self.path)!r}, {len(self)} array{'s' if len(self) != 1 else ''})"
