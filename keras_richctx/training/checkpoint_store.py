"""The checkpoint files of a run: whole or not there."""

import contextlib
import json
import os
import pathlib
import warnings
import zipfile

import numpy as np

_FORMAT = 1


class CheckpointStore:
    """Keeps a run's newest checkpoint in a directory, as `checkpoint.npz`, and the one before it, as `checkpoint.previous.npz`.

    A checkpoint is written beside the one that it replaces, forced to the disk and only then renamed, so once there is one, a whole checkpoint is there at any
    moment, a kill or a full disk included. The files are `.npz` archives: each entry has a checksum, and nothing in them is executed when they are read.

    Args:
        directory: path of the directory. It is made, and tried for writing, at once.
        writes: boolean; `False` for a reader beside the one process that writes. Defaults to `True`.

    Raises:
        OSError: if the directory cannot be made or written.

    Example:
        >>> import tempfile
        >>> store = CheckpointStore(tempfile.mkdtemp())
        >>> store.read() is None
        True
        >>> store.write({"kernel": np.ones((2, 3))}, {"epoch": 4})
        >>> arrays, record = store.read()
        >>> arrays["kernel"].shape, record["epoch"]
        ((2, 3), 4)
    """

    def __init__(self, directory, writes=True):
        self.directory = pathlib.Path(directory)
        self.newest = self.directory / "checkpoint.npz"
        self.previous = self.directory / "checkpoint.previous.npz"
        self._temporary = self.directory / "checkpoint.npz.tmp"
        self._continues = False  # whether the files there are of this run
        if not writes:
            return
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._temporary.write_bytes(b"")
            self._temporary.unlink()
        except OSError as error:
            raise OSError(
                error.errno,
                f"Checkpoints cannot be written ({error.strerror}). Received: checkpoint_dir={str(directory)!r}. Pass a directory that you may write to.",
            ) from error

    def write(self, arrays, record):
        """Makes `arrays`, a dict of NumPy arrays, and `record`, a dict that JSON can hold, the newest checkpoint.

        Raises:
            OSError: if they cannot be written; the checkpoints that were there are left as they were.
        """
        record = np.array(json.dumps({**record, "format": _FORMAT}))
        arrays = {name: _storable(array) for name, array in arrays.items()}
        try:
            with open(self._temporary, "wb") as file:
                np.savez(file, record=record, **arrays)
                file.flush()
                os.fsync(file.fileno())
            if not self._continues:
                self.previous.unlink(missing_ok=True)  # of a run that this one replaces
            elif self.newest.exists():
                os.replace(self.newest, self.previous)
            os.replace(self._temporary, self.newest)
            self._sync_directory()
        except OSError as error:
            with contextlib.suppress(OSError):
                self._temporary.unlink(missing_ok=True)
            raise OSError(error.errno, f"The checkpoint could not be written to {str(self.directory)!r}: {error.strerror}.") from error
        self._continues = True

    def read(self):
        """Returns `(arrays, record)` of the newest checkpoint that can be read, or `None` if there is none.

        A damaged newest checkpoint is set aside, as `checkpoint.npz.damaged`, with a warning, and the one before it is read.

        Raises:
            ValueError: if there are checkpoints and none can be read, or if one is of a format that this version does not know.
        """
        damages = []
        for path in (self.newest, self.previous):
            if not path.exists():
                continue
            try:
                arrays, record = _load(path)
            except Exception as error:  # a damaged archive can fail in any way
                damages.append(f"{path.name} ({type(error).__name__}: {error})")
                continue
            if damages:
                aside = self.newest.with_name("checkpoint.npz.damaged")
                os.replace(self.newest, aside)
                warnings.warn(
                    f"The newest checkpoint in {str(self.directory)!r} is damaged: {damages[0]}. "
                    f"It is kept as {aside.name}, and the run goes on from the one before it.",
                    RuntimeWarning,
                    stacklevel=2,
                )
            if record["format"] != _FORMAT:
                raise ValueError(
                    f"The checkpoint {str(path)!r} is of a format that this version of keras_richctx does not read. Received: format={record['format']}. "
                    "Go on with the version that wrote it, or start anew with another checkpoint_dir."
                )
            self._continues = True
            return arrays, record
        if damages:
            raise ValueError(
                f"No checkpoint in {str(self.directory)!r} can be read: {'; '.join(damages)}. "
                "Put a copy back, or start anew with resume=False, which replaces them."
            )
        return None

    def _sync_directory(self):
        """Forces the renames to the disk, where the system can."""
        if os.name == "posix":
            descriptor = os.open(self.directory, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _load(path):
    """The arrays and the record of the archive at `path`, each entry checked against its checksum."""
    with zipfile.ZipFile(path) as archive:
        if (name := archive.testzip()) is not None:
            raise ValueError(f"the checksum of {name} does not match")
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return arrays, json.loads(str(arrays.pop("record")))


def _storable(array):
    """`array`, or its lossless float32 copy where the type is not NumPy's own (bfloat16, float8)."""
    return array.astype("float32") if array.dtype.kind == "V" else array
