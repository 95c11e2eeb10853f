"""Archives that nobody should trust."""

import stat
import zipfile

import pytest

from keras_richctx.datasets.archive import read_member

TEXT = b"Go.\tVa !\n" * 5000


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "pairs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_about.txt", "About")
        file.writestr("sub/pairs.txt", TEXT)
    return path


def test_a_member_is_read(archive):
    assert read_member(archive, "sub/pairs.txt") == TEXT
    assert read_member(str(archive), "_about.txt") == b"About"


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "a/../../evil.txt",
        "/etc/passwd",
        "C:/evil.txt",
        "C:evil.txt",
        "..\\evil.txt",
        "a\\..\\..\\evil.txt",
        "\\evil.txt",
        "//host/share/evil",
    ],
)
def test_a_path_that_climbs_out_is_refused(archive, name):
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("placeholder"[: len(name)].ljust(len(name), "_"), b"evil")
    data = archive.read_bytes()
    placeholder = "placeholder"[: len(name)].ljust(len(name), "_").encode()
    archive.write_bytes(data.replace(placeholder, name.encode()))  # past any cleaning that zipfile does when it writes
    with pytest.raises(ValueError, match="climbs out of the archive"):
        read_member(archive, "sub/pairs.txt")


def test_dots_in_a_name_do_no_harm(archive):
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("a..b/...c", b"")
    assert read_member(archive, "_about.txt") == b"About"


def test_a_symbolic_link_is_refused(archive):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="'link' is a symbolic link"):
        read_member(archive, "sub/pairs.txt")


def test_no_single_flipped_bit_goes_unseen(archive):
    data = archive.read_bytes()
    errors = []
    for place in range(len(data)):
        archive.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            assert read_member(archive, "sub/pairs.txt") == TEXT  # dates, and the other member, do not matter
        except ValueError as error:
            errors.append(str(error))
    assert len(errors) > len(data) // 4
    assert all(str(archive) in error for error in errors)


@pytest.mark.parametrize("kept", [0, 1, 30, 0.5, -1])
def test_a_truncated_archive_is_named(archive, kept):
    data = archive.read_bytes()
    archive.write_bytes(data[: int(kept * len(data)) if isinstance(kept, float) else kept])
    with pytest.raises(ValueError, match=r"pairs\.zip is not a sound zip archive \([\d,]+ bytes\)"):
        read_member(archive, "sub/pairs.txt")


def test_an_error_page_is_no_archive(archive):
    archive.write_text("<html>404</html>")
    with pytest.raises(ValueError, match="not a sound zip archive"):
        read_member(archive, "sub/pairs.txt")


def test_a_missing_member_is_named(archive):
    with pytest.raises(ValueError, match=r"no member 'fra\.txt'.*'_about\.txt', 'sub/pairs\.txt'"):
        read_member(archive, "fra.txt")


def test_a_missing_archive_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="Received: path="):
        read_member(tmp_path / "no.zip", "fra.txt")
