"""Zip archives that may be hostile or half there: a member is read into memory, never unpacked to the disk, and only if all of it is sound."""

import io
import stat
import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath


def read_member(path, name):
    """Reads one member of a zip archive, and refuses the archive if any member looks like an attack.

    The whole member is read, so its checksum (CRC-32) is verified.

    Args:
        path: string or path, the zip file.
        name: string, the member's name in the archive.

    Returns:
        The member's content as bytes.

    Raises:
        FileNotFoundError: if there is no such archive.
        ValueError: if the file is not a zip archive, is truncated or corrupt, has no member of that name, or has any member that is a symbolic
            link or whose path would leave the directory that it is unpacked to.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "a.zip")
        >>> with zipfile.ZipFile(path, "w") as archive:
        ...     archive.writestr("pairs.txt", "Go.\\tVa.")
        >>> read_member(path, "pairs.txt")
        b'Go.\\tVa.'
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no such zip archive. Received: path={str(path)!r}.")
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            content = archive.read(name) if name in archive.namelist() else None
    except Exception as error:  # a spoilt header can lead the reader into nearly any exception
        raise ValueError(f"{path} is not a sound zip archive ({len(data):,} bytes): {error}. Get it again.") from error
    for member in members:
        _refuse_unsafe(path, member)
    if content is None:
        raise ValueError(f"{path} has no member {name!r}. It holds {[member.filename for member in members]}.")
    return content


def _refuse_unsafe(path, member):
    """Raises `ValueError` if unpacking `member`, a `ZipInfo`, could write outside the target directory."""
    # `orig_filename` is the name as the archive has it: `filename` ends at a NUL and has its backslashes turned on Windows.
    name = member.orig_filename
    windows = PureWindowsPath(name)  # knows both separators, drives and network shares
    climbs = ".." in windows.parts or ".." in PurePosixPath(name).parts or bool(windows.anchor)
    if climbs or stat.S_ISLNK(member.external_attr >> 16):
        what = "climbs out of the archive" if climbs else "is a symbolic link"
        raise ValueError(f"{path} is refused: its member {name!r} {what}. Get it from another place.")
