"""Checkpoints of TensorFlow: how they are found, read and, where they are not whole, named."""

import os
import shutil

import numpy as np
import pytest

from keras_richctx.checkpoints import read_tf_checkpoint

tf = pytest.importorskip("tensorflow")

KERNEL = "kernel/.ATTRIBUTES/VARIABLE_VALUE"


def write(prefix, seed=0):
    """Writes a checkpoint with one float32 array and returns the array."""
    kernel = np.random.default_rng(seed).normal(size=(3, 5)).astype("float32")
    tf.train.Checkpoint(kernel=tf.Variable(kernel)).write(str(prefix))
    return kernel


def write_two_shards(folder):
    """Writes a checkpoint whose data lie in two files."""
    parts = [str(folder / "parts" / name) for name in "ab"]
    for i, part in enumerate(parts):
        tf.raw_ops.SaveV2(prefix=part, tensor_names=[f"v{i}"], shape_and_slices=[""], tensors=[tf.fill([2], float(i))])
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=str(folder / "model.ckpt"))


@pytest.fixture
def bert(fixtures_dir):
    return fixtures_dir / "keras_bert_tiny_ckpt"


def test_a_real_bert_is_read(bert):
    weights = read_tf_checkpoint(bert / "bert_model.ckpt")
    assert len(weights) == 139
    assert len([name for name in weights if not name.endswith(("/adam_m", "/adam_v"))]) == 47
    assert weights["bert/embeddings/word_embeddings"].shape[1] == 4
    assert weights["global_step"].shape == ()
    reader = tf.train.load_checkpoint(str(bert / "bert_model.ckpt"))
    for name, array in weights.items():
        np.testing.assert_array_equal(array, reader.get_tensor(name), strict=True)


def test_the_prefix_the_index_and_the_directory_name_one_checkpoint(tmp_path):
    kernel = write(tmp_path / "model.ckpt")
    for path in (tmp_path / "model.ckpt", str(tmp_path / "model.ckpt"), tmp_path / "model.ckpt.index", tmp_path):
        np.testing.assert_array_equal(read_tf_checkpoint(path)[KERNEL], kernel, strict=True)


def test_a_directory_says_which_of_several_is_the_newest(tmp_path):
    write(tmp_path / "model.ckpt-1")
    newest = write(tmp_path / "model.ckpt-2", seed=1)
    with pytest.raises(ValueError, match=r"several checkpoints; pass the prefix of one\. Received: .*with model\.ckpt-1, model\.ckpt-2"):
        read_tf_checkpoint(tmp_path)
    for written in ("model.ckpt-2", "/where/it/was/model.ckpt-2", r"C:\\where\\it\\was\\model.ckpt-2"):
        (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{written}"\n')
        np.testing.assert_array_equal(read_tf_checkpoint(tmp_path)[KERNEL], newest)
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-3"\n')
    with pytest.raises(FileNotFoundError, match=r"model\.ckpt-3\.index is not there; pass the prefix of another"):
        read_tf_checkpoint(tmp_path)


def test_bfloat16_comes_as_float32_and_a_string_as_objects(tmp_path):
    half = tf.constant([1.0, -3.14], "bfloat16")
    tensors = {"half": half, "text": tf.constant(["a", "b\x00"]), "one": tf.constant("c\x00"), "step": tf.constant(7, "int64")}
    tf.raw_ops.SaveV2(prefix=str(tmp_path / "m"), tensor_names=list(tensors), shape_and_slices=[""] * 4, tensors=list(tensors.values()))
    weights = read_tf_checkpoint(tmp_path / "m")
    np.testing.assert_array_equal(weights["half"], tf.cast(half, "float32").numpy(), strict=True)
    assert (weights["text"].tolist(), weights["one"].item()) == ([b"a", b"b\x00"], b"c\x00")
    assert (weights["step"].dtype, weights["step"].shape) == ("int64", ())


def test_only_what_is_asked_for_is_read(tmp_path):
    write_two_shards(tmp_path)
    weights = read_tf_checkpoint(tmp_path / "model.ckpt")
    with (tmp_path / "model.ckpt.data-00001-of-00002").open("r+b") as file:
        file.write(b"????")
    assert ("v0" in weights, "v1" in weights, "v2" in weights, sorted(weights)) == (True, True, False, ["v0", "v1"])
    assert weights["v0"].tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"data are damaged.*Received: 'v1' of .*Checksum does not match"):
        weights["v1"]


def test_a_missing_shard_is_named_when_the_checkpoint_is_opened(tmp_path):
    write_two_shards(tmp_path)
    os.remove(tmp_path / "model.ckpt.data-00000-of-00002")
    with pytest.raises(FileNotFoundError, match=r"not whole: 1 of the files.*Received: .*, without model\.ckpt\.data-00000-of-00002"):
        read_tf_checkpoint(tmp_path)
    os.remove(tmp_path / "model.ckpt.data-00001-of-00002")
    with pytest.raises(FileNotFoundError, match=r"without model\.ckpt\.data-00000-of-00001"):
        read_tf_checkpoint(tmp_path)


def test_data_that_are_cut_short_are_refused(bert, tmp_path):
    for name in ("bert_model.ckpt.index", "bert_model.ckpt.data-00000-of-00001"):
        shutil.copyfile(bert / name, tmp_path / name)
    data = tmp_path / "bert_model.ckpt.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:4000])
    weights = read_tf_checkpoint(tmp_path)
    with pytest.raises(ValueError, match=r"damaged or cut short; fetch them again\. Received: '.*' of .*bert_model\.ckpt"):
        dict(weights)


@pytest.mark.parametrize("content", [b"", b"x" * 300])
def test_a_damaged_index_is_refused(tmp_path, content):
    write(tmp_path / "model.ckpt")
    (tmp_path / "model.ckpt.index").write_bytes(content)
    with pytest.raises(ValueError, match=r"index is damaged or cut short; fetch it again\. Received: .*model\.ckpt\.index"):
        read_tf_checkpoint(tmp_path / "model.ckpt")


def test_nothing_there_says_what_is_wanted(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has a file .*\.index.*Received: path=.*, a directory without any; it holds nothing"):
        read_tf_checkpoint(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"has a file model\.ckpt\.index .*Received: path=.*, where there is no such file"):
        read_tf_checkpoint(tmp_path / "model.ckpt")
    write(tmp_path / "model.ckpt")
    os.remove(tmp_path / "model.ckpt.index")
    with pytest.raises(FileNotFoundError, match=r"it holds model\.ckpt\.data-00000-of-00001"):
        read_tf_checkpoint(tmp_path)
