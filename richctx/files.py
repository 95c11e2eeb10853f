"""Files that are whole or not there, and directories that are tried before the work begins."""

import contextlib
import errno
import os
import shutil
from pathlib import Path


@contextlib.contextmanager
def written_whole(path):
    """Gives a path beside `path` to write to, which takes the place of `path` when all is written; on any error `path` is left as it was.

    Args:
        path: path of the file.

    Yields:
        A `pathlib.Path` with the same suffix.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "a.txt")
        >>> with written_whole(path) as part:
        ...     _ = part.write_text("whole")
        >>> path.read_text()
        'whole'
    """
    path = Path(path)
    part = path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield part
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def make_directory(path):
    """Makes a directory, if it is not there, and tries to write to it.

    Args:
        path: path of the directory.

    Returns:
        A `pathlib.Path`.

    Raises:
        OSError: if it cannot be made, or not be written to; with what to do.
    """
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f"{os.getpid()}.part"
        probe.write_bytes(b"richctx")
        probe.unlink()
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{path} is a file, where a directory is needed. Choose another one.") from None
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written to ({error.strerror}). Choose another directory, or make room there.") from error
    return path


def check_space(path, size):
    """Raises if the disk of the directory `path` has less than `size` bytes left.

    Raises:
        OSError: if it has; the message says how much is needed and how much there is.
    """
    free = shutil.disk_usage(path).free
    if free < size:
        room = f"{_megabytes(size)} are needed and {_megabytes(free)} are free"
        raise OSError(errno.ENOSPC, f"The disk of {path} is too full: {room}. Make room there, or choose another directory.")


def _megabytes(size):
    return f"{size / 1e6:,.0f} MB"
