import errno
import json
import os
import shutil

import ml_dtypes
import numpy as np
import pytest

from keras_richctx.training.checkpoint_store import CheckpointStore


@pytest.fixture
def store(tmp_path):
    """A store with two checkpoints, of steps 1 and 2."""
    store = CheckpointStore(tmp_path / "a" / "b")
    for step in (1, 2):
        store.write({"kernel": np.full((50, 30), step, "float32")}, {"step": step})
    return store


def flip_a_bit_of(content):
    def flip(path):
        file = bytearray(path.read_bytes())
        file[file.index(content)] ^= 2
        path.write_bytes(file)

    return flip


def fill_with_pickle(path):
    np.savez(path, record=np.array(json.dumps({"step": 9, "format": 1})), kernel=np.array([print], dtype=object))


DAMAGES = {
    "a flipped bit of a number": flip_a_bit_of(b"\x00\x00\x00\x40"),  # 2.0
    "a flipped bit of a shape": flip_a_bit_of(b"30), "),  # (50, 30) is (50, 10): fewer numbers are read than there are
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "nothing": lambda path: path.write_bytes(b""),
    "another kind of file": lambda path: path.write_bytes(b"not an archive" * 99),
    "an archive of something else": lambda path: np.savez(path, x=np.ones(3)),
    "a pickle": fill_with_pickle,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_checkpoint_is_set_aside_aloud_and_the_one_before_it_is_read(store, damage):
    damage(store.newest)
    damaged = store.newest.read_bytes()
    again = CheckpointStore(store.directory)
    with pytest.warns(RuntimeWarning, match=r"damaged: checkpoint\.npz.*kept as checkpoint\.npz\.damaged"):
        arrays, record = again.read()
    assert record["step"] == 1
    assert (arrays["kernel"] == 1).all()
    assert (store.directory / "checkpoint.npz.damaged").read_bytes() == damaged
    again.write({"kernel": np.zeros(2)}, {"step": 3})  # must not put the damaged one in the place of the good
    shutil.copy(store.directory / "checkpoint.npz.damaged", store.newest)
    with pytest.warns(RuntimeWarning):
        assert CheckpointStore(store.directory).read()[1]["step"] == 1


def test_where_no_checkpoint_can_be_read_that_is_an_error_and_nothing_is_removed(store):
    for path in (store.newest, store.previous):
        path.write_bytes(b"?")
    with pytest.raises(ValueError, match=r"checkpoint\.npz \(.*checkpoint\.previous\.npz \(.*resume=False"):
        CheckpointStore(store.directory).read()
    assert store.newest.exists()
    assert store.previous.exists()


def test_a_later_format_is_an_error_and_not_taken_for_damage(store):
    with np.load(store.newest) as archive:
        arrays = {**archive, "record": np.array(json.dumps({"step": 2, "format": 2}))}
    np.savez(store.newest, **arrays)
    with pytest.raises(ValueError, match="format=2"):
        CheckpointStore(store.directory).read()


@pytest.mark.parametrize("failing", ["savez", "fsync", "replace"])
def test_a_write_that_fails_leaves_what_was_there(store, monkeypatch, failing):
    before = store.newest.read_bytes()

    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(np if failing == "savez" else os, failing, fail)
        with pytest.raises(OSError, match=r"could not be written.*No space left") as raised:
            store.write({"kernel": np.zeros(2)}, {"step": 3})
    assert raised.value.errno == errno.ENOSPC
    assert store.newest.read_bytes() == before
    assert sorted(path.name for path in store.directory.iterdir()) == ["checkpoint.npz", "checkpoint.previous.npz"]
    store.write({"kernel": np.zeros(2)}, {"step": 3})
    assert CheckpointStore(store.directory).read()[1]["step"] == 3


def test_a_run_that_starts_anew_leaves_nothing_of_the_old_one_to_fall_back_to(store):
    new = CheckpointStore(store.directory)
    assert CheckpointStore(store.directory).read()[1]["step"] == 2  # until the first save
    new.write({}, {"step": 0})
    assert not store.previous.exists()
    assert CheckpointStore(store.directory).read()[1]["step"] == 0


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_every_type_comes_back_with_its_values(tmp_path, dtype):
    array = np.array([0, 1, 0.15625]).astype(dtype)
    CheckpointStore(tmp_path).write({"a/b_1:0": array}, {})
    read = CheckpointStore(tmp_path).read()[0]["a/b_1:0"]
    np.testing.assert_array_equal(read.astype("float64"), array.astype("float64"))
    np.testing.assert_array_equal(read.astype(dtype), array)


def test_a_directory_that_cannot_be_written_is_found_at_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match=r"Received: checkpoint_dir='.*file/run'"):
        CheckpointStore(tmp_path / "file" / "run")

    def refuse(path, content):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    with pytest.raises(PermissionError, match=r"cannot be written \(Permission denied\).*checkpoint_dir='.*readonly'"):
        CheckpointStore(tmp_path / "readonly")
