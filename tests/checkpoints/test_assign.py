"""Strictness: everything is used, everything is assigned, everything fits; or nothing changes."""

import keras
import numpy as np
import pytest

from keras_richctx.checkpoints import LazyArrays, assign, read_safetensors, read_tf_checkpoint, write_safetensors

pytestmark = pytest.mark.backends


@pytest.fixture
def dense():
    layer = keras.layers.Dense(3, name="dense")
    layer.build((None, 2))
    return layer


@pytest.fixture
def source():
    return {"fc.weight": np.arange(6.0).reshape(3, 2), "fc.bias": np.arange(3.0), "fc.bias/adam_m": np.ones(3)}


@pytest.fixture
def targets(dense):
    return {"fc.weight": (dense.kernel, np.transpose), "fc.bias": dense.bias}


def values(layer):
    return [keras.ops.convert_to_numpy(weight).copy() for weight in layer.weights]


def test_arrays_go_where_they_belong(dense, source, targets):
    assign(targets, source, ignored=["*/adam_?"], variables=dense.weights)
    np.testing.assert_array_equal(dense.kernel, source["fc.weight"].T)
    np.testing.assert_array_equal(dense.bias, source["fc.bias"])
    assert dense.kernel.dtype == "float32"


def test_an_array_is_cut_into_several_variables(tmp_path):
    q, k, v = (keras.Variable(np.zeros((2, 3))) for _ in range(3))
    joined = np.arange(18.0, dtype="float32").reshape(2, 9)
    write_safetensors(tmp_path / "model.safetensors", {"c_attn": joined})
    assign({"c_attn": [(part, lambda x, i=i: np.split(x, 3, axis=1)[i]) for i, part in enumerate((q, k, v))]}, read_safetensors(tmp_path))
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(keras.ops.concatenate([q, k, v], axis=1)), joined)


def test_the_map_of_a_whole_checkpoint_is_strict(fixtures_dir):
    weights = read_tf_checkpoint(fixtures_dir / "keras_bert_tiny_ckpt")
    used = [name for name in weights if "adam_" not in name and name != "global_step"]
    targets = {name: keras.Variable(np.zeros(weights[name].shape)) for name in used}
    assign(targets, weights, ignored=["*/adam_m", "*/adam_v", "global_step"])
    for name in used:
        np.testing.assert_array_equal(targets[name], weights[name])


@pytest.mark.parametrize(
    "change, ignored, complaint",
    [
        ({"fc.bias": None}, ["*adam*"], r"1 missing in the source: fc\.bias \(for dense/bias\)$"),
        ({}, [], r"1 in the source, and neither used nor ignored: fc\.bias/adam_m$"),
        ({}, ["*ADAM*"], r"1 in the source, and neither used nor ignored: fc\.bias/adam_m$"),
        ({"fc.bias": np.ones((3, 1))}, ["*adam*"], r"1 of a shape or type that does not fit: fc\.bias \(3, 1\) gives \(3, 1\), and dense/bias is \(3,\)$"),
        ({"fc.weight": np.ones((2, 3))}, ["*adam*"], r"fc\.weight \(2, 3\) gives \(3, 2\), and dense/kernel is \(2, 3\)$"),
        ({"fc.bias": np.array(["a", "b", "c"])}, ["*adam*"], r"fc\.bias is of dtype <U1, and dense/bias of float32$"),
    ],
)
def test_a_load_that_does_not_fit_changes_nothing(dense, source, targets, change, ignored, complaint):
    before = values(dense)
    changed = {name: array for name, array in (source | change).items() if array is not None}
    with pytest.raises(ValueError, match=r"none was assigned\. Received: source=a dictionary of \d arrays, with\n  " + f".*{complaint}"):
        assign(targets, changed, ignored)
    for now, then in zip(values(dense), before):
        np.testing.assert_array_equal(now, then)


def test_one_error_names_all_kinds_and_ten_of_each(dense, source, targets):
    source |= {f"more.{i:02d}": np.ones(2) for i in range(12)}
    del source["fc.bias"]
    source["fc.weight"] = np.ones(4)
    with pytest.raises(ValueError, match=r"none was assigned") as error:
        assign(targets, LazyArrays("file", source, source.get))
    first, *kinds = str(error.value).split("\n  ")
    assert first.endswith("Received: source=LazyArrays('file', 14 arrays), with")
    assert [kind.partition(":")[0] for kind in kinds] == [
        "1 missing in the source",
        "13 in the source, and neither used nor ignored",
        "1 of a shape or type that does not fit",
    ]
    assert "more.08" in kinds[1]
    assert kinds[1].endswith(", ...")
    assert "more.09" not in kinds[1]


def test_a_transform_that_fails_is_named(dense, source, targets):
    targets["fc.weight"] = (dense.kernel, lambda x: x.reshape(7, 7))
    with pytest.raises(ValueError, match=r"fc\.weight \(3, 2\) cannot be turned into \(2, 3\) of dense/kernel: cannot reshape"):
        assign(targets, source, ["*adam*"])


def test_a_variable_that_is_left_out_or_aimed_at_twice_is_named(dense, source, targets):
    with pytest.raises(ValueError, match=r"1 not assigned at all: dense/bias$"):
        assign({"fc.weight": targets["fc.weight"]}, {"fc.weight": source["fc.weight"]}, variables=dense.weights)
    targets["fc.bias/adam_m"] = dense.bias
    with pytest.raises(ValueError, match=r"1 assigned more than once: dense/bias$"):
        assign(targets, source)


def test_an_array_that_cannot_be_read_leaves_the_variables_as_they_were(dense, source, targets):
    def read(name):
        if name == "fc.bias":
            raise ValueError("the data are damaged")
        return source[name]

    before = values(dense)
    with pytest.raises(ValueError, match=r"the data are damaged"):
        assign(targets, LazyArrays("file", source, read), ["*adam*"])
    np.testing.assert_array_equal(values(dense)[0], before[0])


def test_fractions_are_not_cut_off_for_an_integer_variable():
    step = keras.Variable(np.array(0), dtype="int32", trainable=False)
    with pytest.raises(ValueError, match=r"step is of dtype float64, and .* of int32$"):
        assign({"step": step}, {"step": np.array(0.5)})
    assign({"step": step}, {"step": np.array(7)})
    assert int(step.value) == 7


def test_half_precision_variables_take_float32_and_bfloat16_arrays():
    import ml_dtypes

    variable = keras.Variable(np.zeros(2), dtype="bfloat16")
    for array in (np.array([1.5, -2.0], "float32"), np.array([3.0, 0.5]).astype(ml_dtypes.bfloat16)):
        assign({"x": variable}, {"x": array})
        np.testing.assert_array_equal(keras.ops.convert_to_numpy(keras.ops.cast(variable, "float32")), array.astype("float32"))


def test_one_pattern_is_not_taken_for_a_sequence_of_letters(source, targets):
    with pytest.raises(TypeError, match=r"Received: ignored='\*adam\*'; pass \['\*adam\*'\]"):
        assign(targets, source, ignored="*adam*")
