"""Downloads that may break at any point: resumed where they stopped, checked before they count, and never at the cost of the copy that was there."""

import contextlib
import errno
import hashlib
import http.client
import json
import os
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from pathlib import Path

import filelock

# Some hosts of data sets answer 406 to a client that does not look like a browser.
USER_AGENT = "Mozilla/5.0 (compatible; keras_richctx)"
PASSING_STATUS = (408, 425, 429, 500, 502, 503, 504)  # worth another try


def cache_dir():
    """Tells where downloads are kept.

    Returns:
        A `pathlib.Path`: the environment variable `KERAS_RICHCTX_CACHE`, or `~/.cache/keras_richctx`.
    """
    return Path(os.environ.get("KERAS_RICHCTX_CACHE") or Path.home() / ".cache" / "keras_richctx")


def file_sha256(path):
    """Computes the SHA-256 checksum of a file.

    Args:
        path: string or path.

    Returns:
        A string of 64 hexadecimal digits.
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(url, path, sha256=None, check=None, attempts=5, backoff=1.0, timeout=30.0):
    """Downloads a file, unless a good copy of it is there already.

    What has arrived is kept in `path + ".part"`, and the next try or the next call goes on from there if the server still has the same file (by
    its `ETag` or `Last-Modified`). The finished part is verified, then takes the place of `path` in one step: whatever fails, an old copy stays
    as it was. Processes that want the same file wait for each other (`path + ".lock"`), and the second finds what the first has downloaded. A
    terminal shows the progress.

    Args:
        url: string, an `http` or `https` address.
        path: string or path of the file to write; its directory is made.
        sha256: string or collection of strings, the checksums of which the file must have one, or `None` for any. Defaults to `None`.
        check: callable that takes a path and raises `ValueError` if the file there will not do, or `None`. Defaults to `None`.
        attempts: int, how many tries in a row may bring no new byte. Defaults to `5`.
        backoff: float, seconds before the second try, doubled for each further one. Defaults to `1.0`.
        timeout: float, seconds that the server may be silent. Defaults to `30.0`.

    Returns:
        The `pathlib.Path` of the file.

    Raises:
        ConnectionError: if the file cannot be had: no network, no such address, or the connection broke `attempts` times.
        OSError: if the disk is full or the directory cannot be written.
        ValueError: if the address is not `http` or `https`, or if the file at the address has another checksum or fails `check`.

    Example:
        `fetch("https://www.manythings.org/anki/fra-eng.zip", cache_dir() / "fra-eng.zip", check=lambda path: read_member(path, "fra.txt"))`
    """
    path = Path(path)
    known = {sha256} if isinstance(sha256, str) else set(sha256 or ())
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"Only http and https addresses can be fetched. Received: url={url!r}.")
    try:
        if path.is_file() and _fault(path, known, check) is None:
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(f"{path}.lock"):
            if path.is_file():
                fault = _fault(path, known, check)
                if fault is None:  # another process was faster
                    return path
                warnings.warn(f"{path} is downloaded anew: {fault}.", stacklevel=2)
            part = _whole_part(url, path, known, check, attempts, backoff, timeout)
            os.replace(part, path)
            _note(part).unlink(missing_ok=True)
    except PermissionError as error:
        raise PermissionError(f"No permission for {error.filename or path}. Set KERAS_RICHCTX_CACHE to a directory that you may write.") from error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        advice = "Free some space, or set KERAS_RICHCTX_CACHE to another disk, and try again"
        raise OSError(error.errno, f"The disk is full: {url} does not fit into {path.parent}. {advice}") from error
    return path


def _fault(path, known, check):
    """Says what is wrong with the file at `path`, or returns `None`."""
    digest = file_sha256(path)
    if known and digest not in known:
        return f"its sha256 is {digest}, not {' or '.join(sorted(known))}"
    try:
        if check is not None:
            check(path)
    except ValueError as error:
        return str(error).rstrip(".")
    return None


def _whole_part(url, path, known, check, attempts, backoff, timeout):
    """Downloads until the part file is whole and good; wrong bytes are fetched once more, as the transfer may have spoilt them."""
    part, fault = path.with_name(path.name + ".part"), None
    for _ in range(2):
        _download(url, path, part, attempts, backoff, timeout)
        fault = _fault(part, known, check)
        if fault is None:
            return part
        _discard(part)
    kept = f" {path} stays as it was." if path.exists() else ""
    why = "The address may hold a newer release, or a page that says why not."
    raise ValueError(f"{url} was downloaded twice and is not the file that it should be: {fault}.{kept} {why}")


def _download(url, path, part, attempts, backoff, timeout):
    """Repeats requests until the file is whole, as far as its length tells."""
    failures, most = 0, _size(part)
    while True:
        try:
            return _request(url, part, timeout)
        except urllib.error.HTTPError as error:
            problem = f"the server answers {error.code} {error.reason}"
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                _discard(part)
            elif error.code not in PASSING_STATUS:
                raise ConnectionError(_by_hand(url, path, problem)) from error
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            problem = str(getattr(error, "reason", error)) or type(error).__name__
            if isinstance(getattr(error, "reason", None), socket.gaierror):
                raise ConnectionError(_by_hand(url, path, f"there is no network or no such host ({problem})")) from error
        failures = 1 if _size(part) > most else failures + 1
        most = max(most, _size(part))
        if failures >= attempts:
            raise ConnectionError(_by_hand(url, path, f"{problem} ({failures} tries in a row)"))
        time.sleep(backoff * 2 ** (failures - 1))


def _request(url, part, timeout):
    """Makes one request and writes what comes into `part`, behind what is there if the server still has the file that it began."""
    start, validator = _resumable(url, part)
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": validator}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout) as response:
        found = _validator(response.headers)
        if response.status == http.HTTPStatus.PARTIAL_CONTENT:
            first, total = _content_range(response.headers)
            if (first, found) != (start, validator):
                _discard(part)
                raise ConnectionError("the server has another file than the one that the download began with")
        else:  # the whole file, for want of a part or since the server does not do ranges
            start, total = 0, response.length
        with open(part, "ab" if start else "wb") as file, _progress(part, start, total) as advance:
            # Written when the old bytes are gone: a note must never vouch for bytes of another file.
            _note(part).write_text(json.dumps({"url": url, "validator": found}), encoding="utf-8")
            while block := response.read(1 << 16):
                file.write(block)
                advance(len(block))
    if total is not None and _size(part) != total:
        raise ConnectionError(f"the connection closed after {_size(part):,} of {total:,} bytes")


def _resumable(url, part):
    """Returns how many bytes of `part` can be built on, and the validator of the file that they are from; `(0, None)` if none can."""
    try:
        note = json.loads(_note(part).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return 0, None
    if not isinstance(note, dict) or note.get("url") != url or not note.get("validator"):
        return 0, None
    return _size(part), note["validator"]


def _validator(headers):
    """Returns what names this version of the file to `If-Range`: a strong `ETag`, or the date, or `None`."""
    tag = headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified")


def _content_range(headers):
    """Returns the first byte and the total length (`None` if untold) that a 206 answer speaks of."""
    match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", ""))
    if match is None:
        return None, None
    return int(match[1]), None if match[2] == "*" else int(match[2])


@contextlib.contextmanager
def _progress(part, start, total):
    """Shows a bar on the standard error, if that is a terminal, and gives the function that moves it on by a number of bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(part.name.removesuffix(".part"), total=total, completed=start)
        yield lambda size: progress.advance(task, size)


def _note(part):
    """Returns the path of the small file that says what `part` is a part of."""
    return part.with_name(part.name + ".json")


def _discard(part):
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def _size(path):
    return path.stat().st_size if path.exists() else 0


def _by_hand(url, path, problem):
    return (
        f"Could not download {url}: {problem}. Try again later (what has arrived is kept), or get the file by other means and put it at {path} "
        "or into a directory that the environment variable KERAS_RICHCTX_DATA names."
    )
