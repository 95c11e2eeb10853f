"""Where the file of a data set is: a local copy, or a download."""

import os
from pathlib import Path

from keras_richctx.datasets.download import cache_dir, fetch


def locate(places, url, data_dir=None, sha256=None, check=None):
    """Returns the path of a local copy of a file, or downloads it once.

    Args:
        places: list of strings, where the file may be in a data directory; in `cache_dir()` a download has the first of them.
        url: string, the address of the file.
        data_dir: string or path of the directory that must hold the file, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.
        sha256: string or collection of strings, as in `fetch`, for a download. Defaults to `None`.
        check: callable, as in `fetch`, for a download. Defaults to `None`.

    Returns:
        A `pathlib.Path`.

    Raises:
        ConnectionError: if there is no local copy and the file cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy, or if it or `KERAS_RICHCTX_DATA` is not a directory.
        ValueError: if what the address holds is not the file.
    """
    found = _find(places, data_dir)
    if found:
        return found
    if data_dir is not None:
        raise FileNotFoundError(f"data_dir holds none of {', '.join(places)}. Received: data_dir={str(data_dir)!r}. Get the file from {url}.")
    return fetch(url, cache_dir() / places[0], sha256=sha256, check=check)


def locate_local(places, site, data_dir=None):
    """Returns the path of a local copy of a file that is not downloaded by this library.

    Args:
        places: list of strings, where the file may be in a data directory.
        site: string, the address of the page that tells how to get it.
        data_dir: string or path of the directory that must hold the file, or `None` for the one that the environment variable `KERAS_RICHCTX_DATA` names.
            Defaults to `None`.

    Returns:
        A `pathlib.Path`.

    Raises:
        FileNotFoundError: if there is no copy, or `data_dir` or `KERAS_RICHCTX_DATA` is not a directory.
    """
    found = _find(places, data_dir)
    if found:
        return found
    directory = data_dir if data_dir is not None else os.environ.get("KERAS_RICHCTX_DATA")
    where = f"{str(directory)!r} does not hold it" if directory else "data_dir and KERAS_RICHCTX_DATA name no directory"
    raise FileNotFoundError(
        f"This file is not downloaded by the library. Get it from {site} and put it at {' or '.join(places)} in a directory that data_dir or the environment "
        f"variable KERAS_RICHCTX_DATA names. Received: {where}."
    )


def _find(places, data_dir):
    """Returns the path of the first copy in the data directory, or `None`; raises if what is named is not a directory."""
    directory = data_dir if data_dir is not None else os.environ.get("KERAS_RICHCTX_DATA")
    if not directory:
        return None
    if not Path(directory).is_dir():
        raise FileNotFoundError(f"{'KERAS_RICHCTX_DATA' if data_dir is None else 'data_dir'} is not a directory. Received: {str(directory)!r}.")
    return next((Path(directory, place) for place in places if Path(directory, place).is_file()), None)
