"""Safetensors: round trips, shards, arrays read only when asked for, and what is said of files that are not whole."""

import json
import os
import re
import stat
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load_file, save_file

from keras_richctx.checkpoints import read_safetensors, write_safetensors

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
INDEX = "model.safetensors.index.json"


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return {"a/kernel": rng.normal(size=(3, 5)).astype("float32"), "b.bias": rng.integers(0, 9, 7), "scalar": np.float64(0.5), "empty": np.zeros((0, 3))}


@pytest.fixture
def sharded(tmp_path, arrays):
    """A checkpoint in two files, as Hugging Face writes it."""
    names = list(arrays)
    shards = {"model-00001-of-00002.safetensors": names[:1], "model-00002-of-00002.safetensors": names[1:]}
    for shard, held in shards.items():
        save_file({name: np.asarray(arrays[name]) for name in held}, tmp_path / shard)
    index = {"metadata": {"total_size": 99}, "weight_map": {name: shard for shard, held in shards.items() for name in held}}
    (tmp_path / INDEX).write_text(json.dumps(index))
    return tmp_path


def assert_same(found, expected):
    assert set(found) == set(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_what_is_written_is_read(tmp_path, arrays):
    write_safetensors(tmp_path / "new" / "model.safetensors", arrays, {"format": "pt"})
    for path in (tmp_path / "new", str(tmp_path / "new"), tmp_path / "new" / "model.safetensors"):
        assert_same(read_safetensors(path), {name: np.asarray(array) for name, array in arrays.items()})
    assert_same(load_file(tmp_path / "new" / "model.safetensors"), {name: np.asarray(array) for name, array in arrays.items()})


@given(st.sampled_from(TYPES).flatmap(lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))))
def test_every_type_and_shape_comes_back(tmp_path_factory, array):
    path = tmp_path_factory.mktemp("any") / "x.safetensors"
    write_safetensors(path, {"x": array})
    np.testing.assert_array_equal(read_safetensors(path)["x"], array, strict=True)


@pytest.mark.parametrize("change", [np.asfortranarray, np.transpose, lambda x: x[::-1, ::2], lambda x: x.astype(">f4")])
def test_an_array_that_lies_otherwise_in_memory_is_written_by_its_values(tmp_path, change):
    array = change(np.arange(12, dtype="float32").reshape(3, 4))
    write_safetensors(tmp_path / "x.safetensors", {"x": array})
    np.testing.assert_array_equal(read_safetensors(tmp_path / "x.safetensors")["x"], array)


def test_bfloat16_is_written_as_it_is_and_read_as_float32(tmp_path):
    array = np.array([[1.0, -0.0, np.inf], [np.nan, 1e-40, -3.14]]).astype(ml_dtypes.bfloat16)
    write_safetensors(tmp_path / "x.safetensors", {"first": np.ones(3), "x": array, "y": array[:0]})
    assert load_file(tmp_path / "x.safetensors")["x"].dtype == ml_dtypes.bfloat16
    weights = read_safetensors(tmp_path / "x.safetensors")
    np.testing.assert_array_equal(weights["x"], array.astype("float32"), strict=True)
    assert np.signbit(weights["x"][0, 1])
    assert weights["y"].shape == (0, 3)


def test_shards_are_read_as_one(sharded, arrays):
    for path in (sharded, sharded / INDEX):
        assert_same(read_safetensors(path), {name: np.asarray(array) for name, array in arrays.items()})


def test_only_what_is_asked_for_is_read(tmp_path):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"a": np.full(4, 7, "uint8"), "b": np.full(4, 9, "uint8")})
    weights = read_safetensors(path)
    assert weights["a"].tolist() == [7] * 4
    assert ("a" in weights, "c" in weights, len(weights), sorted(weights)) == (True, False, 2, ["a", "b"])
    with path.open("r+b") as file:  # an array that had been read already would not see this
        file.seek(-4, os.SEEK_END)
        file.write(bytes([1, 2, 3, 4]))
    assert weights["b"].tolist() == [1, 2, 3, 4]


def test_the_mapping_and_the_file_cannot_be_changed_through_it(tmp_path, arrays):
    write_safetensors(tmp_path / "model.safetensors", arrays)
    weights = read_safetensors(tmp_path)
    weights["a/kernel"][:] = 0
    np.testing.assert_array_equal(weights["a/kernel"], arrays["a/kernel"])
    with pytest.raises(TypeError):
        weights["a/kernel"] = np.ones(3)
    with pytest.raises(KeyError, match=r"no array of this name in .*Received: name='nowhere'"):
        weights["nowhere"]
    assert repr(weights) == f"LazyArrays({str(tmp_path)!r}, 4 arrays)"


def test_real_weights_are_read(fixtures_dir):
    weights, expected = read_safetensors(fixtures_dir / "bert_tiny_mlm"), load_file(fixtures_dir / "bert_tiny_mlm" / "model.safetensors")
    assert weights["bert.embeddings.word_embeddings.weight"].shape == (30522, 128)
    assert_same(weights, expected)


@pytest.mark.parametrize("size", [0, 3, 100, -1, -40])
def test_half_a_file_is_refused_when_it_is_opened(tmp_path, arrays, size):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, arrays)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"only half of one.*fetch it again\. Received: .*model\.safetensors' of \d+ bytes"):
        read_safetensors(tmp_path)


def test_half_a_shard_is_refused_when_the_checkpoint_is_opened(sharded):
    path = sharded / "model-00002-of-00002.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"only half of one.*Received: .*model-00002-of-00002\.safetensors"):
        read_safetensors(sharded)


def test_a_missing_shard_is_named(sharded):
    os.remove(sharded / "model-00002-of-00002.safetensors")
    with pytest.raises(FileNotFoundError, match=r"1 of its 2 files are not there; .*Received: .*index\.json', which names model-00002-of-00002\.safetensors"):
        read_safetensors(sharded)


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda places: places.update(extra="model-00001-of-00002.safetensors"), r"arrays that model-00001-of-00002\.safetensors lacks: extra"),
        (lambda places: places.pop("scalar"), r"arrays that model-00002-of-00002\.safetensors holds and the index does not name: scalar"),
    ],
)
def test_an_index_that_does_not_fit_its_shards_is_refused(sharded, change, complaint):
    index = json.loads((sharded / INDEX).read_text())
    change(index["weight_map"])
    (sharded / INDEX).write_text(json.dumps(index))
    with pytest.raises(ValueError, match=rf"do not belong together; .*Received: .*{complaint}"):
        read_safetensors(sharded)


@pytest.mark.parametrize("content", ['{"weight_map": {"a"', "[]", "{}", '{"weight_map": ["a"]}', '{"weight_map": {"a": 3}}', '{"weight_map": {"a": "../x"}}'])
def test_a_damaged_index_is_refused(tmp_path, content):
    (tmp_path / INDEX).write_text(content)
    with pytest.raises(ValueError, match=r"The index is damaged; it holds a 'weight_map'.*Received: "):
        read_safetensors(tmp_path)


def test_an_array_of_a_type_that_numpy_has_not_is_named_when_it_is_asked_for(tmp_path):
    save_file({"x": np.ones(3).astype(ml_dtypes.float8_e4m3fn), "y": np.ones(2)}, tmp_path / "model.safetensors")
    weights = read_safetensors(tmp_path)
    assert weights["y"].shape == (2,)
    with pytest.raises(ValueError, match=r"that NumPy has not; save it as float32.*Received: 'x' of type F8_E4M3"):
        weights["x"]


def test_nothing_there_says_what_is_wanted(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds model\.safetensors or .*Received: path=.*, which holds nothing"):
        read_safetensors(tmp_path)
    (tmp_path / "other.safetensors").touch()
    with pytest.raises(FileNotFoundError, match=r"which holds other\.safetensors"):
        read_safetensors(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"which is not there"):
        read_safetensors(tmp_path / "nowhere")


class Mine:
    """Leaves a mark where it is unpickled."""

    def __reduce__(self):
        return (open, (os.environ["MARK"], "w"))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "no_suffix"])
def test_a_pickle_is_never_executed(tmp_path, monkeypatch, name):
    import pickle

    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    (tmp_path / name).write_bytes(pickle.dumps(Mine()))
    for path in (tmp_path, tmp_path / name)[name == "no_suffix" :]:
        with pytest.raises(ValueError, match=rf"can run any code when it is read, so none is ever read here\. Received: .*{name}', a pickle of PyTorch"):
            read_safetensors(path)
    assert not (tmp_path / "mark").exists()


def test_a_pickle_is_converted_as_the_error_says(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-backends installs it")
    tied = torch.arange(6.0).reshape(2, 3)
    torch.save({"a": tied, "b": tied, "c": tied.T}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"convert it once") as error:
        read_safetensors(tmp_path)
    code = re.search(r'python -c "(.*)"$', str(error.value))[1]
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert_same(read_safetensors(tmp_path), {"a": tied.numpy(), "b": tied.numpy(), "c": tied.numpy().T})


def test_safetensors_beside_a_pickle_are_read(tmp_path, arrays):
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    write_safetensors(tmp_path / "model.safetensors", arrays)
    assert set(read_safetensors(tmp_path)) == set(arrays)


def test_a_failed_write_keeps_the_old_file(tmp_path, arrays, monkeypatch):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"old": np.ones(3)})
    monkeypatch.setattr("pathlib.Path.replace", lambda *args: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(OSError, match=r"No space left"):
        write_safetensors(path, arrays)
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]
    assert list(read_safetensors(path)) == ["old"]


def test_a_write_that_the_library_refuses_is_an_error_of_the_system(tmp_path, arrays, monkeypatch):
    from safetensors import SafetensorError

    def refuse(*args):
        raise SafetensorError("I/O error: No space left on device")

    monkeypatch.setattr(sys.modules[write_safetensors.__module__], "save_file", refuse)
    with pytest.raises(OSError, match=r"could not be written\. Received: path=.*model\.safetensors' \(I/O error: No space left"):
        write_safetensors(tmp_path / "model.safetensors", arrays)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="the rights of a file are those of POSIX")
def test_the_file_may_be_read_by_whom_any_new_file_may(tmp_path, arrays):
    write_safetensors(tmp_path / "model.safetensors", arrays)
    (tmp_path / "other").touch()
    assert stat.S_IMODE((tmp_path / "model.safetensors").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


@pytest.mark.parametrize(
    "arrays, metadata, error, complaint",
    [
        ({"x": np.array(["a"])}, None, ValueError, "Received: the array 'x' of dtype <U1"),
        ({"x": np.array([None])}, None, ValueError, "Received: the array 'x' of dtype object"),
        ({"x": np.ones(2, "complex128")}, None, ValueError, "Received: the array 'x' of dtype complex128"),
        ({3: np.ones(2)}, None, TypeError, "are strings. Received: 3 of type int"),
        ({"__metadata__": np.ones(2)}, None, ValueError, "Received: an array named '__metadata__'"),
        ({"x": np.ones(2)}, {"step": 3}, TypeError, "are strings. Received: 3 of type int"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, arrays, metadata, error, complaint):
    with pytest.raises(error, match=complaint):
        write_safetensors(tmp_path / "model.safetensors", arrays, metadata)
    assert list(tmp_path.iterdir()) == []
