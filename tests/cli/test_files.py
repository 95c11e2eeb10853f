import errno
import os

import pytest

from richctx.files import check_space, make_directory, written_whole


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with written_whole(path) as part:
            part.write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_write_replaces_what_was_there_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with written_whole(path) as part:
        assert part.suffix == ".txt"
        part.write_text("new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_in_the_place_of_a_directory_is_named(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(NotADirectoryError, match="a is a file, where a directory is needed"):
        make_directory(tmp_path / "a")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc here, a place where nobody can write")
def test_a_directory_that_cannot_be_written_to_is_named():
    with pytest.raises(OSError, match=r"/proc/self cannot be written to \(.*\)\. Choose another directory"):
        make_directory("/proc/self")


def test_a_disk_without_room_is_named(tmp_path):
    check_space(tmp_path, 1)
    with pytest.raises(OSError, match="is too full: 1,000,000,000,000 MB are needed"):
        check_space(tmp_path, 10**18)
