"""Downloads against a server on this machine that drops connections, sends wrong bytes, ignores ranges and changes its file."""

import contextlib
import hashlib
import os
import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from keras_richctx.datasets import download
from keras_richctx.datasets.download import cache_dir, fetch, file_sha256

CONTENT = bytes(range(256)) * 1001 + b"the end"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(server):
    server.content = CONTENT
    return server


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "file.bin"


def ranges(server):
    return [request.get("Range") for request in server.requests]


def leftovers(path):
    return sorted(file.name for file in path.parent.iterdir() if file != path and not file.name.endswith(".lock"))


def quick(url, path, **options):
    return fetch(url, path, backoff=0.001, timeout=5, **options)


def test_a_file_is_downloaded_once(server, path):
    assert quick(server.url, path, sha256=SHA256) == path
    assert path.read_bytes() == CONTENT
    assert leftovers(path) == []
    quick(server.url, str(path), sha256=["0" * 64, SHA256])
    assert len(server.requests) == 1
    assert "python" not in server.requests[0]["User-Agent"].lower()


def test_broken_connections_are_resumed_where_they_broke(server, path):
    server.drop_after = 60_000
    quick(server.url, path, sha256=SHA256, attempts=2)  # five connections, each of which brings something
    assert path.read_bytes() == CONTENT
    assert ranges(server) == [None, "bytes=60000-", "bytes=120000-", "bytes=180000-", "bytes=240000-"]


def test_the_next_call_goes_on_where_the_last_gave_up(server, path):
    server.drop_after = 100_000
    with pytest.raises(ConnectionError, match=r"closed after 100,000 of 256,263 bytes \(1 tries in a row\).*what has arrived is kept"):
        quick(server.url, path, attempts=1)
    assert not path.exists()
    server.drop_after = None
    quick(server.url, path, sha256=SHA256)
    assert ranges(server) == [None, "bytes=100000-"]
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("honours_if_range", [True, False])
def test_parts_of_two_releases_are_never_glued_together(server, path, honours_if_range):
    server.drop_after, server.honours_if_range = 100_000, honours_if_range
    with pytest.raises(ConnectionError):
        quick(server.url, path, attempts=1)
    server.drop_after, server.content, server.tag = None, CONTENT[::-1], '"v2"'
    quick(server.url, path)
    assert path.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("tag", [None, 'W/"v1"'])
def test_without_a_strong_validator_nothing_is_resumed(server, path, tag):
    server.drop_after, server.tag = 100_000, tag
    with pytest.raises(ConnectionError):
        quick(server.url, path, attempts=1)
    server.drop_after = None
    quick(server.url, path, sha256=SHA256)
    assert ranges(server) == [None, None]


def test_a_server_without_ranges_is_read_from_the_start(server, path):
    server.drop_after, server.ranges = 100_000, False
    with pytest.raises(ConnectionError, match="3 tries in a row"):
        quick(server.url, path, attempts=3)
    server.drop_after = None
    quick(server.url, path, sha256=SHA256)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("note", ["", "[]", '{"url": "http://127.0.0.1/other", "validator": "\\"v1\\""}', None])
def test_a_part_of_unknown_origin_is_not_built_on(server, path, note):
    path.parent.mkdir()
    part = path.with_name("file.bin.part")
    part.write_bytes(b"of something else")
    if note is not None:
        path.with_name("file.bin.part.json").write_text(note)
    quick(server.url, path, sha256=SHA256)
    assert ranges(server) == [None]


def test_a_part_longer_than_the_file_is_thrown_away(server, path):
    server.drop_after = 100_000
    with pytest.raises(ConnectionError):
        quick(server.url, path, attempts=1)
    server.drop_after, server.content = None, b"short"
    quick(server.url, path)
    assert path.read_bytes() == b"short"


def test_passing_trouble_is_waited_out(server, path, monkeypatch):
    waits = []
    monkeypatch.setattr(download.time, "sleep", waits.append)
    server.statuses = [503, 429, 500]
    fetch(server.url, path, sha256=SHA256, backoff=0.5)
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("status", [403, 404, 406, 410])
def test_a_final_no_is_not_asked_again(server, path, status):
    server.statuses = [status] * 9
    with pytest.raises(ConnectionError, match=rf"{re.escape(server.url)}: the server answers {status}.*{re.escape(str(path))}.*KERAS_RICHCTX_DATA"):
        quick(server.url, path)
    assert len(server.requests) == 1


def test_wrong_bytes_leave_the_old_copy_alone(server, path):
    path.parent.mkdir()
    path.write_bytes(b"old")
    server.content = b"<html>We have moved</html>"
    with (
        pytest.warns(UserWarning, match="downloaded anew: its sha256 is"),
        pytest.raises(ValueError, match=rf"downloaded twice.*{file_sha256_of(server.content)}, not {SHA256}.*stays as it was"),
    ):
        quick(server.url, path, sha256=SHA256)
    assert path.read_bytes() == b"old"
    assert leftovers(path) == []
    assert len(server.requests) == 2


def file_sha256_of(content):
    return hashlib.sha256(content).hexdigest()


def test_bytes_spoilt_on_the_way_are_fetched_again(server, path):
    spoilt = path.with_name("file.bin.part")
    server.drop_after = 100_000
    with pytest.raises(ConnectionError):
        quick(server.url, path, attempts=1)
    spoilt.write_bytes(b"x" * 100_000)
    server.drop_after = None
    quick(server.url, path, sha256=SHA256)
    assert ranges(server) == [None, "bytes=100000-", None]
    assert path.read_bytes() == CONTENT


def test_a_cut_that_no_length_tells_of_is_found_by_the_checksum(server, path):
    server.with_length, server.drop_after = False, 1000
    with pytest.raises(ValueError, match="its sha256 is"):
        quick(server.url, path, sha256=SHA256)
    assert not path.exists()


def test_a_file_that_fails_the_check_leaves_the_old_copy_alone(server, path):
    path.parent.mkdir()
    path.write_bytes(b"old")

    def check(path):
        raise ValueError("it is not a list of sentences.")

    with pytest.warns(UserWarning, match="downloaded anew"), pytest.raises(ValueError, match=r"should be: it is not a list of sentences\. "):
        quick(server.url, path, check=check)
    assert path.read_bytes() == b"old"


def test_two_at_once_download_once(server, path):
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: quick(server.url, path, sha256=SHA256), range(4)))
    assert paths == [path] * 4
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 1


def test_no_network_says_what_to_do(path, monkeypatch):
    def no_network(*args, **kwargs):
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    with pytest.raises(ConnectionError, match=r"http://data\.example/f: there is no network.*put it at .*file\.bin.*KERAS_RICHCTX_DATA"):
        fetch("http://data.example/f", path)  # at once, without waiting


def test_a_silent_server_is_given_up_on(path):
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ConnectionError, match="timed out"):
        fetch(f"http://127.0.0.1:{silent.getsockname()[1]}/f", path, attempts=1, timeout=0.1)


def test_nobody_listens(path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ConnectionError, match=r"refused.*2 tries in a row"):
        quick(f"http://127.0.0.1:{port}/f", path, attempts=2)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_named_and_the_old_copy_kept(server, path):
    path.parent.mkdir()
    path.write_bytes(b"old")
    path.with_name("file.bin.part").symlink_to("/dev/full")
    with pytest.warns(UserWarning, match="downloaded anew"), pytest.raises(OSError, match=r"disk is full.*does not fit.*KERAS_RICHCTX_CACHE"):
        quick(server.url, path, sha256=SHA256)
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_a_directory_without_write_permission_is_named(server, path):
    path.parent.mkdir()
    for directory in [path.parent, *path.parents]:
        with contextlib.suppress(PermissionError):
            directory.chmod(directory.stat().st_mode | 0o555)
    path.parent.chmod(0o555)
    root = os.geteuid() == 0
    if root:  # root may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match=rf"No permission for {re.escape(str(path.parent))}.*KERAS_RICHCTX_CACHE"):
            quick(server.url, path)
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/f", "fra-eng.zip"])
def test_other_addresses_are_refused(path, url):
    with pytest.raises(ValueError, match=r"Only http and https.*Received: url="):
        fetch(url, path)


def test_progress_is_shown_on_a_terminal_alone(server, path, capsys, monkeypatch):
    quick(server.url, path)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes this for a terminal
    quick(server.url, path.with_name("other.bin"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "other.bin" in err
    assert "256.3/256.3 kB" in err


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_RICHCTX_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.delenv("KERAS_RICHCTX_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "keras_richctx"


def test_file_sha256_equals_hashlib(tmp_path):
    (tmp_path / "f").write_bytes(CONTENT)
    assert file_sha256(tmp_path / "f") == SHA256
