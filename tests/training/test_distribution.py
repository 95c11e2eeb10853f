"""What is trained on several devices is what one device trains."""

import json
import os
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.training.after_steps import is_called_after_steps
from keras_richctx.training.distributed_step import from_buckets, to_buckets
from keras_richctx.training.distribution import _rows_of_a_batch
from keras_richctx.training.replica_batches import replica_batches
from keras_richctx.training.replica_step import ReplicaStep
from keras_richctx.training.strategy import check_cluster

pytestmark = pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="tf.distribute is TensorFlow's")
CASES = [
    "two outputs, masks, weights, penalties, an uneven last batch",
    "the same under XLA",
    "clipping, averaging, accumulation, decay",
    "clipping by value",
    "sums",
    "a last batch of one",
    "several steps at once",
    "several steps at once under XLA",
    "one program",
    "batches of different lengths",
    "gradually unfrozen",
    "float16",
    "Bahdanau's",
    "Transformer",
    "GPT-2",
    "a tagger with a CRF",
    "BERT",
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The results of a process of its own, since TensorFlow lays out its devices once."""
    out = tmp_path_factory.mktemp("distributed") / "out.json"
    script = pathlib.Path(__file__).with_name("distributed_runs.py")
    done = subprocess.run([sys.executable, script, out], capture_output=True, text=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text())


@pytest.mark.parametrize("case", CASES)
def test_several_devices_train_as_one(runs, case):
    assert isinstance(runs[case], dict), runs[case]
    if not runs[case]:
        pytest.skip("this machine has GPUs, but not as many as the case takes")
    tolerance = 2e-3 if case == "float16" else 1e-5
    for replicas, apart in runs[case].items():
        assert apart["weights"] < tolerance, (replicas, apart)
        for name, difference in apart["history"].items():
            assert difference < tolerance, (replicas, name, apart)


def test_no_case_is_left_out(runs):
    assert sorted(runs) == sorted([*CASES, "interrupted"])


def test_dropout_draws_other_numbers_on_each_device_and_the_same_ones_again():
    model = keras.Sequential([keras.Input((50,)), keras.layers.Dropout(0.5, seed=3)])
    model.compile("sgd", keras.losses.MeanSquaredError("sum"))
    batch = {"x": np.ones((2, 50), "float32"), "y": np.random.default_rng(0).normal(size=(2, 50)).astype("float32"), "rows": np.ones(2, "float32")}
    model._symbolic_build(data_batch=(batch["x"], batch["y"]))
    step = ReplicaStep(model, 2)
    values = {"trainable": [], "non_trainable": [variable.value for variable in model.non_trainable_variables]}
    (one, changed), (other, changed_too), (again, _) = (step.loss(values, batch, [], replica, training=True) for replica in (0, 1, 0))
    assert float(one) == float(again) != float(other)
    alone = model.stateless_call([], values["non_trainable"], batch["x"], training=True)[0]  # as the first device
    assert float(one) == pytest.approx(2 * float(np.mean(np.square(alone - batch["y"]), -1).sum()), rel=1e-5)
    assert list(changed["non_trainable"]) == list(changed_too["non_trainable"]) == [0]
    np.testing.assert_array_equal(changed["non_trainable"][0], changed_too["non_trainable"][0])  # the seeds go on alike


def test_weights_that_no_layer_sets_are_no_part_of_what_a_step_has_changed():
    layers = [keras.layers.Dense(3, trainable=False), keras.layers.BatchNormalization(), keras.layers.Dropout(0.5), keras.layers.Dense(1)]
    model = keras.Sequential([keras.Input((2,)), *layers])
    model.compile("sgd", "mse")
    batch = {"x": np.ones((4, 2), "float32"), "y": np.ones((4, 1), "float32"), "rows": np.ones(4, "float32")}
    model._symbolic_build(data_batch=(batch["x"], batch["y"]))
    values = {name: [variable.value for variable in getattr(model, f"{name}_variables")] for name in ("trainable", "non_trainable")}
    for training, expected in ((True, ["moving_mean", "moving_variance", "seed_generator_state"]), (False, [])):
        _, changed = ReplicaStep(model, 2).loss(values, batch, [np.float32(4)], 0, training=training)
        assert [model.non_trainable_variables[i].path.split("/")[-1] for i in changed["non_trainable"]] == expected


def test_a_run_cut_short_on_two_devices_ends_as_one_that_was_not(runs):
    assert runs["interrupted"]["weights"] < 1e-6
    assert runs["interrupted"]["history"] < 1e-6


def test_buckets_come_apart_again():
    random = np.random.default_rng(0)
    tensors = [keras.ops.convert_to_tensor(random.normal(size=shape).astype("float32")) for shape in ((3, 2), (), (5,), (1, 1, 4))]
    tensors.insert(2, keras.ops.convert_to_tensor(random.normal(size=(2, 2)).astype("float16")))
    buckets = to_buckets(tensors)
    assert [str(bucket.dtype.name) for bucket in buckets] == ["float32", "float16", "float32"]
    for part, tensor in zip(from_buckets(buckets, tensors), tensors, strict=True):
        np.testing.assert_array_equal(part, tensor)


def test_each_row_is_dealt_once_and_the_rest_is_marked():
    import tensorflow as tf

    dataset = tf.data.Dataset.from_tensor_slices((np.arange(13), np.arange(13) * 2)).batch(5)
    dealt = {first: list(replica_batches(dataset, 5, 4, first, 2)) for first in (0, 2)}  # two workers of two devices
    assert all(part["x"].shape == (2,) for parts in dealt.values() for part in parts)
    assert [len(parts) for parts in dealt.values()] == [6, 6]
    seen = [int(x) for parts in dealt.values() for part in parts for x, real in zip(part["x"], part["rows"]) if real]
    assert sorted(seen) == list(range(13))
    assert all(np.array_equal(part["y"], 2 * part["x"]) for parts in dealt.values() for part in parts)


@pytest.mark.parametrize("sizes", [(3, 4), (4, 3), (4,)])
def test_a_short_batch_may_come_first(sizes):
    import tensorflow as tf

    batches = tf.data.Dataset.from_generator(lambda: (np.zeros(size) for size in sizes), output_signature=tf.TensorSpec((None,)))
    assert _rows_of_a_batch(batches) == 4


def hooks_of(name):
    return type("Called", (keras.callbacks.Callback,), {name: lambda self, batch, logs=None: None})()


@pytest.mark.parametrize("name", ["on_batch_end", "on_train_batch_end", "on_test_batch_end"])
def test_the_metrics_are_read_after_steps_for_a_callback_that_is_called_then(name):
    assert is_called_after_steps(hooks_of(name))
    assert is_called_after_steps(keras.callbacks.LambdaCallback(**{name: print}))


@pytest.mark.parametrize("name", ["on_epoch_end", "on_train_batch_begin", "on_test_begin"])
def test_and_for_no_other(name):
    assert not is_called_after_steps(hooks_of(name))


class OwnStep(keras.Sequential):
    def train_step(self, data):
        return {}


class OwnLoss(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return keras.ops.mean(y_pred)


@pytest.mark.parametrize("model_class, message", [(OwnStep, "a train_step of its own"), (OwnLoss, "a compute_loss of its own")])
def test_a_step_that_cannot_be_shared_is_refused(model_class, message):
    model = model_class([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match=message):
        ReplicaStep(model, 2)


def test_a_carried_state_is_refused():
    model = keras.Sequential([keras.Input((3, 2), batch_size=4), krc.layers.LSTM(2, stateful=True, name="carrier")])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="stateful=True in layer 'carrier'"):
        ReplicaStep(model, 2)


@pytest.mark.parametrize(
    "config, message",
    [
        (None, "Received: none"),
        ("{", "cannot be understood"),
        ('{"cluster": {"worker": ["a:1"]}}', "cannot be understood"),
        ('{"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, "task": {"type": "worker", "index": 0}}', "a cluster with ps"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}', "task worker 1 of a cluster of 1 workers"),
        ('{"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker", "index": 1}}', "a:1 twice"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(config, message):
    with pytest.raises(ValueError, match=message):
        check_cluster(config)


@pytest.mark.parametrize("arguments", [("both",), ("one", 2), ("mirrored", 0), ("data_parallel",), ("model_parallel",), ("mirrored", 2, 2)])
def test_a_strategy_that_there_is_not_is_refused(arguments):
    with pytest.raises(ValueError, match=r"Received|no strategy"):
        krc.training.strategy(*arguments)
