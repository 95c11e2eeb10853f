"""`fit` is `keras.Model.fit`, and what was cut short goes on as if it had not been."""

import errno
import os
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_richctx.training import fit

QUIET = {"progress": False}


def dataset_of(arrays, batch_size=4, seed=5):
    return tf.data.Dataset.from_tensor_slices(arrays).shuffle(99, seed=seed).batch(batch_size)


# The engine is Keras'.


@pytest.mark.parametrize(
    "options", [{"validation_split": 0.3, "epochs": 2}, {"sample_weight": np.arange(18.0), "steps_per_epoch": 3}, {"class_weight": {0: 1.0, 1: 3.0, -1: 0.5}}]
)
def test_equals_keras_fit_on_arrays(make_model, arrays, assert_same_run, options):
    x, y = arrays
    ours, theirs = make_model(), make_model()
    ours.build((None, 3)), theirs.build((None, 3))
    theirs.set_weights(ours.get_weights())
    history = fit(ours, x, y, shuffle=False, **options, **QUIET)
    expected = theirs.fit(x, y, shuffle=False, verbose=0, **options)
    assert_same_run(ours, history, theirs, expected)


def test_takes_nests_of_arrays_and_one_weight_for_several_targets(arrays):
    x, y = arrays
    inputs = [keras.Input((3,), name="a"), keras.Input((3,), name="b")]
    outputs = {"sum": keras.layers.Dense(1, name="sum")(inputs[0]), "mean": keras.layers.Dense(1, name="mean")(inputs[1])}
    model = keras.Model(inputs, outputs)
    model.compile("sgd", {"sum": "mse", "mean": "mae"}, run_eagerly=True)
    start = model.get_weights()
    targets, weights = {"sum": y, "mean": y / 3}, np.linspace(0, 1, len(x))
    expected = model.fit([x, x + 1], targets, sample_weight=weights, shuffle=False, verbose=0).history["loss"]
    model.set_weights(start)
    np.testing.assert_allclose(fit(model, [x, x + 1], targets, sample_weight=weights, shuffle=False, **QUIET).history["loss"], expected, atol=1e-6)


def test_each_epoch_of_arrays_sees_every_example_once_in_a_new_order(make_model, arrays):
    seen = []

    class Model(keras.Sequential):
        def train_step(self, data):
            seen.extend(np.asarray(data[0])[:, 0])
            return super().train_step(data)

    model = Model([keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    fit(model, *arrays, batch_size=4, epochs=2, **QUIET)
    orders = np.reshape(seen, (2, 18))
    assert (orders[0] != orders[1]).any()
    np.testing.assert_array_equal(np.sort(orders), np.sort(arrays[0][:, 0])[None].repeat(2, axis=0))


# A run that was cut short goes on.


def test_a_run_cut_short_again_and_again_equals_one_that_was_not(make_model, arrays, assert_same_run, crash, tmp_path):
    def train(model, name, seed, **options):
        keras.utils.set_random_seed(seed)  # for the order of the arrays, which a resumed run has from the checkpoint
        return fit(model, *arrays, batch_size=4, epochs=3, validation_data=arrays, checkpoint_dir=tmp_path / name, save_every_steps=1, **options, **QUIET)

    whole, cut = make_model(), make_model()
    for model in (whole, cut):
        model.build((None, 3))
    cut.set_weights(whole.get_weights())
    expected = train(whole, "whole", seed=1)
    for seed, steps in enumerate((2, 4, 4), start=1):  # within epoch 1, between epochs 1 and 2 (the step before a crash is done again), and within epoch 2
        with pytest.raises(RuntimeError, match="crash"):
            train(cut, "cut", seed, callbacks=[crash(steps)])
        cut = make_model()  # other weights, and names that Keras numbers anew
    assert_same_run(cut, train(cut, "cut", seed=9), whole, expected)


@pytest.mark.parametrize(
    "make_optimizer",
    [
        lambda: keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.1, 10), use_ema=True, ema_momentum=0.9),
        lambda: keras.optimizers.SGD(0.1, momentum=0.9, gradient_accumulation_steps=3),
        lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.AdamW(0.01), initial_scale=8.0, dynamic_growth_steps=2),
    ],
    ids=["moving averages", "accumulated gradients", "loss scale"],
)
def test_the_state_of_any_optimizer_goes_on(make_model, arrays, assert_same_run, crash, tmp_path, make_optimizer):
    options = {"epochs": 2, "save_every_steps": 1, **QUIET}
    whole, cut = make_model(make_optimizer()), make_model(make_optimizer())
    for model in (whole, cut):
        model.build((None, 3))
    cut.set_weights(whole.get_weights())
    expected = fit(whole, dataset_of(arrays), checkpoint_dir=tmp_path / "whole", **options)
    with pytest.raises(RuntimeError, match="crash"):
        fit(cut, dataset_of(arrays), checkpoint_dir=tmp_path / "cut", callbacks=[crash(7)], **options)
    resumed = make_model(make_optimizer())
    assert_same_run(resumed, fit(resumed, dataset_of(arrays), checkpoint_dir=tmp_path / "cut", **options), whole, expected)


def test_several_steps_in_one_execution_go_on_too(make_model, arrays, assert_same_run, crash, tmp_path):
    options = {"epochs": 3, "save_every_steps": 1, **QUIET}
    compiled = {"run_eagerly": False, "jit_compile": False, "steps_per_execution": 2}
    whole, cut, resumed = (make_model(**compiled) for _ in range(3))
    for model in (whole, cut):
        model.build((None, 3))
    cut.set_weights(whole.get_weights())
    expected = fit(whole, dataset_of(arrays), checkpoint_dir=tmp_path / "whole", **options)
    assert int(whole.optimizer.iterations) == 3 * 6  # five batches, rounded up to three executions of two
    with pytest.raises(RuntimeError, match="crash"):
        fit(cut, dataset_of(arrays), checkpoint_dir=tmp_path / "cut", callbacks=[crash(4)], **options)
    assert_same_run(resumed, fit(resumed, dataset_of(arrays), checkpoint_dir=tmp_path / "cut", **options), whole, expected)


def test_a_finished_run_returns_its_history_at_once_and_with_more_epochs_goes_on(make_model, arrays, assert_same_run, steps, tmp_path):
    whole, model = make_model(), make_model()
    whole.build((None, 3)), model.build((None, 3))
    model.set_weights(whole.get_weights())
    expected = fit(whole, dataset_of(arrays), epochs=3, **QUIET)
    options = {"checkpoint_dir": tmp_path / "run", **QUIET}
    first = fit(model, dataset_of(arrays), epochs=2, **options)
    model = make_model()
    again = fit(model, dataset_of(arrays), epochs=2, callbacks=[steps], **options)
    assert steps.count == 0
    assert again.history == first.history
    assert fit(model, dataset_of(arrays), epochs=1, callbacks=[steps], **options).history == first.history
    assert steps.count == 0
    assert_same_run(model, fit(model, dataset_of(arrays), epochs=3, callbacks=[steps], **options), whole, expected)
    assert steps.count == 5


def test_resume_false_starts_anew_and_replaces_the_checkpoint(make_model, arrays, steps, tmp_path):
    fit(make_model(), *arrays, epochs=2, checkpoint_dir=tmp_path, **QUIET)
    history = fit(make_model(), *arrays, epochs=1, checkpoint_dir=tmp_path, resume=False, **QUIET)
    assert history.epoch == [0]
    assert fit(make_model(), *arrays, epochs=1, checkpoint_dir=tmp_path, callbacks=[steps], **QUIET).history == history.history
    assert steps.count == 0


def test_callbacks_see_the_restored_model_when_training_begins(make_model, arrays, tmp_path):
    fit(make_model(), *arrays, epochs=2, checkpoint_dir=tmp_path, **QUIET)
    model, seen = make_model(), []
    look = keras.callbacks.LambdaCallback(on_train_begin=lambda logs: seen.append(int(model.optimizer.iterations)))
    fit(model, *arrays, epochs=3, checkpoint_dir=tmp_path, callbacks=look, **QUIET)
    assert seen == [2]


def test_a_stop_by_a_callback_within_an_epoch_is_kept_and_the_epoch_completed_later(make_model, arrays, steps, tmp_path):
    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == self.last:
                self.model.stop_training = True

    stop = Stop()
    stop.last = 1
    options = {"epochs": 3, "checkpoint_dir": tmp_path, "callbacks": [stop, steps], **QUIET}
    assert fit(make_model(), dataset_of(arrays), **options).epoch == [0]
    assert steps.count == 2
    stop.last = 2  # the last step of the rest of the first epoch, where the epoch ends anyway
    with pytest.warns(UserWarning, match="averages of epoch 1 are over its steps from 2 on"):
        assert fit(make_model(), dataset_of(arrays), **options).epoch == [0]
    assert steps.count == 5
    stop.last = None
    assert fit(make_model(), dataset_of(arrays), **options).epoch == [0, 1, 2]
    assert steps.count == 15


# Early stopping.


class Scripted(keras.callbacks.Callback):
    """Gives each epoch a validation score from a list, and marks the weights with the epoch's number."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def on_epoch_end(self, epoch, logs=None):
        logs["val_score"] = self.scores[epoch]
        self.model.layers[-1].bias.assign([float(epoch)])


def bias(model):
    return float(keras.ops.convert_to_numpy(model.layers[-1].bias)[0])


@pytest.mark.parametrize("cut", [None, 3])
def test_patience_and_the_best_weights_outlive_a_restart(make_model, arrays, crash, steps, tmp_path, cut):
    scripted = Scripted([5.0, 3.0, 4.0, 4.0, 1.0])
    options = {"epochs": 5, "validation_data": arrays, "checkpoint_dir": tmp_path, **QUIET}
    stopping = lambda patience=2: keras.callbacks.EarlyStopping("val_score", patience=patience, mode="min", restore_best_weights=True)  # noqa: E731
    if cut is not None:
        with pytest.raises(RuntimeError, match="crash"):
            fit(make_model(), *arrays, callbacks=[scripted, stopping(), crash(cut)], **options)
    model = make_model()
    assert fit(model, *arrays, callbacks=[scripted, stopping()], **options).history["val_score"] == [5.0, 3.0, 4.0, 4.0]
    assert bias(model) == 1.0

    model = make_model()  # a run that has stopped stays stopped, with the best weights
    assert fit(model, *arrays, callbacks=[scripted, stopping(), steps], **options).epoch == [0, 1, 2, 3]
    assert steps.count == 0
    assert bias(model) == 1.0

    model = make_model()  # more patience lets it go on from where it stood, not from the best
    history = fit(model, *arrays, callbacks=[scripted, stopping(3), steps], **options)
    assert history.history["val_score"] == [5.0, 3.0, 4.0, 4.0, 1.0]
    assert steps.count == 1
    assert bias(model) == 4.0


def test_patience_restores_the_weights_of_the_best_epoch_and_says_so(make_model, arrays, capsys):
    model = make_model(keras.optimizers.SGD(-0.05))  # uphill
    x, y = arrays
    history = fit(model, x, y, epochs=9, validation_data=arrays, patience=2)
    assert len(history.epoch) == 3
    assert "Stopped early: val_loss has not improved since epoch 1" in capsys.readouterr().out
    assert model.evaluate(x, y, verbose=0, return_dict=True)["loss"] == pytest.approx(history.history["val_loss"][0], abs=1e-5)


def test_patience_of_none_stops_after_the_first_epoch_without_improvement_only(make_model, arrays, tmp_path):
    options = {"epochs": 3, "validation_data": arrays, "checkpoint_dir": tmp_path, "patience": 0, "monitor": "val_score", **QUIET}
    model = make_model()
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanSquaredError(name="score")], run_eagerly=True)
    fit(model, *arrays, callbacks=[Scripted([3.0, 2.0])], **{**options, "epochs": 2})
    assert fit(model, *arrays, callbacks=[Scripted([3.0, 2.0, 1.0])], **options).epoch == [0, 1, 2]  # improving is not being out of patience


def test_model_checkpoint_does_not_forget_its_best(make_model, arrays, tmp_path):
    best = tmp_path / "best.weights.h5"
    keep = lambda: keras.callbacks.ModelCheckpoint(best, monitor="val_score", mode="min", save_best_only=True, save_weights_only=True)  # noqa: E731
    options = {"validation_data": arrays, "checkpoint_dir": tmp_path / "run", **QUIET}
    scripted = Scripted([1.0, 2.0])
    fit(make_model(), *arrays, epochs=1, callbacks=[scripted, keep()], **options)
    before = best.read_bytes()
    fit(make_model(), *arrays, epochs=2, callbacks=[scripted, keep()], **options)
    assert best.read_bytes() == before


# Saves that fail.


class FullDisk(keras.callbacks.Callback):
    """Lets `numpy.savez` find the disk full during the epochs given."""

    def __init__(self, monkeypatch, epochs):
        super().__init__()
        self.real, self.full = np.savez, False
        self.epochs = epochs
        monkeypatch.setattr(np, "savez", self)

    def __call__(self, *arguments, **options):
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.real(*arguments, **options)

    def on_epoch_begin(self, epoch, logs=None):
        self.full = epoch in self.epochs


def test_a_disk_full_for_a_while_is_warned_of_and_forgotten(make_model, arrays, tmp_path, monkeypatch):
    disk = FullDisk(monkeypatch, [1])
    with pytest.warns(RuntimeWarning, match=r"No space left.*last good checkpoint is that of epoch 2, step 0\. Training goes on") as warned:
        history = fit(make_model(), *arrays, epochs=3, checkpoint_dir=tmp_path, callbacks=[disk], **QUIET)
    assert sum(warning.category is RuntimeWarning for warning in warned) == 1
    assert fit(make_model(), *arrays, epochs=3, checkpoint_dir=tmp_path, **QUIET).history == history.history


def test_a_disk_full_at_the_end_is_an_error_with_the_result_in_memory(make_model, arrays, tmp_path, monkeypatch):
    model = make_model()
    with pytest.warns(RuntimeWarning, match="There is no checkpoint yet"), pytest.raises(OSError, match="No space left") as raised:
        fit(model, *arrays, epochs=2, checkpoint_dir=tmp_path, callbacks=[FullDisk(monkeypatch, [0, 1])], **QUIET)
    assert raised.value.errno == errno.ENOSPC
    assert "model.save" in raised.value.__notes__[0]
    assert model.history.epoch == [0, 1]
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_finite_never_replace_good_ones(make_model, arrays, tmp_path):
    x, y = arrays
    good = fit(make_model(), x, y, checkpoint_dir=tmp_path, **QUIET)
    before = (tmp_path / "checkpoint.npz").read_bytes()
    with pytest.warns(RuntimeWarning, match="no longer finite at epoch 3, step 0.*last good checkpoint is that of epoch 2"), pytest.raises(FloatingPointError):
        fit(make_model(), x * np.nan, y, epochs=2, checkpoint_dir=tmp_path, **QUIET)
    assert (tmp_path / "checkpoint.npz").read_bytes() == before
    assert fit(make_model(), x, y, checkpoint_dir=tmp_path, **QUIET).history == good.history


# What does not fit is refused before anything has changed.


@pytest.mark.parametrize(
    "other, difference",
    [
        ({"width": 6}, r"the model has .*dense\w*/kernel of shape \(3, 6\), the checkpoint .*dense\w*/kernel of shape \(3, 5\)"),
        ({"optimizer": "adam"}, r"the model has adam\w*/iteration of shape \(\), the checkpoint sgd\w*/iteration"),
        ({"optimizer": keras.optimizers.SGD()}, r"the model has no further variable, the checkpoint sgd\w*/.*momentum of shape \(3, 5\)"),
    ],
    ids=["width", "optimizer", "option of the optimizer"],
)
def test_a_checkpoint_of_another_model_is_refused_and_kept(make_model, arrays, steps, tmp_path, other, difference):
    fit(make_model(), *arrays, checkpoint_dir=tmp_path, **QUIET)
    content = (tmp_path / "checkpoint.npz").read_bytes()
    model = make_model(**other)
    model.build((None, 3))
    before = model.get_weights()
    with pytest.raises(ValueError, match=difference + r".*another checkpoint_dir.*resume=False"):
        fit(model, *arrays, epochs=2, checkpoint_dir=tmp_path, callbacks=[steps], **QUIET)
    for ours, weight in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(ours, weight)
    assert steps.count == 0
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]


def test_a_directory_that_cannot_be_written_is_found_before_training(make_model, arrays, steps, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="checkpoint_dir"):
        fit(make_model(), *arrays, checkpoint_dir=tmp_path / "file" / "run", callbacks=[steps], **QUIET)
    assert steps.count == 0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"epochs": 0}, "epochs must be an integer of at least 1. Received: epochs=0"),
        ({"epochs": 2.5}, "epochs must be an integer"),
        ({"patience": -1}, "patience must be an integer of at least 0"),
        ({"patience": 1}, "patience watches 'val_loss', which needs validation data"),
        ({"save_every": 0}, "save_every must be a positive number of seconds"),
        ({"save_every_steps": 0}, "save_every_steps must be an integer of at least 1"),
        ({"verbose": 2}, "progress=False"),
        ({"validation_split": 0.99}, "Each part of a split needs an example"),
    ],
)
def test_arguments_out_of_range_are_named(make_model, arrays, options, message):
    with pytest.raises(ValueError, match=message):
        fit(make_model(), *arrays, **QUIET, **options)


def test_a_model_that_is_not_compiled_is_named(arrays, tmp_path):
    with pytest.raises(ValueError, match=r"must be compiled.*Received: model='net'"):
        fit(keras.Sequential([keras.layers.Dense(1)], name="net"), *arrays, checkpoint_dir=tmp_path / "run", **QUIET)
    assert not (tmp_path / "run").exists()


# Data.


@pytest.mark.parametrize("change", [{"batch_size": 6}, {"size": 9}], ids=["batch size", "number of examples"])
def test_other_data_starts_the_epoch_over_with_a_warning(make_model, arrays, crash, steps, tmp_path, change):
    x, y = arrays
    options = {"epochs": 2, "checkpoint_dir": tmp_path, "save_every_steps": 1, **QUIET}
    with pytest.raises(RuntimeError, match="crash"):
        fit(make_model(), x, y, batch_size=4, callbacks=[crash(8)], **options)
    size, batch_size = change.get("size", 18), change.get("batch_size", 4)
    with pytest.warns(UserWarning, match=r"not that of the checkpoint: it was \{'steps': 5, 'batch_size': 4\}, it is .*the start of epoch 2"):
        assert fit(make_model(), x[:size], y[:size], batch_size=batch_size, callbacks=[steps], **options).epoch == [0, 1]
    assert steps.count == -(-size // batch_size)


class Batches(keras.utils.PyDataset):
    def __init__(self, arrays):
        super().__init__()
        self.arrays = arrays

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return tuple(array[index * 6 : index * 6 + 6] for array in self.arrays)


def generate(arrays):
    while True:
        yield from (tuple(array[first : first + 6] for array in arrays) for first in (0, 6, 12))


@pytest.mark.filterwarnings("ignore:Your input ran out of data")  # how Keras learns the size of a dataset that does not know it
@pytest.mark.parametrize(
    "make_data, options",
    [(Batches, {}), (generate, {"steps_per_epoch": 3}), (lambda arrays: dataset_of(arrays, 6).filter(lambda x, y: True), {})],
    ids=["PyDataset", "generator", "dataset of unknown size"],
)
def test_an_epoch_of_other_data_is_started_over_with_the_weights_it_had_reached(make_model, arrays, crash, steps, tmp_path, capsys, make_data, options):
    options = {"epochs": 2, "checkpoint_dir": tmp_path, "save_every_steps": 1, **options}
    with pytest.raises(RuntimeError, match="crash"):
        fit(make_model(), make_data(arrays), callbacks=[crash(5)], **options)
    model = make_model()
    model.build((None, 3))
    assert fit(model, make_data(arrays), callbacks=[steps], **options).epoch == [0, 1]
    assert int(model.optimizer.iterations) == 4 + 3
    assert "Epoch 2 is started over, with the weights of its step 1" in capsys.readouterr().out


def test_a_model_without_variables_and_data_that_shows_no_batch_is_an_error(make_model, arrays, tmp_path):
    fit(make_model(), generate(arrays), steps_per_epoch=3, checkpoint_dir=tmp_path, **QUIET)
    with pytest.raises(ValueError, match="Call the model on a batch"):
        fit(make_model(), generate(arrays), steps_per_epoch=3, epochs=2, checkpoint_dir=tmp_path, **QUIET)


def test_an_endless_dataset_is_read_on_from_epoch_to_epoch(make_model, arrays):
    seen = []
    model = make_model(metrics=None)
    numbered = tf.data.Dataset.range(9).map(lambda n: (tf.fill((2, 3), tf.cast(n, "float32")), tf.zeros((2, 1)))).repeat()
    model.train_step = lambda data: seen.append(int(data[0][0, 0])) or {"loss": 0.0}
    with pytest.raises(ValueError, match=r"endless dataset.*steps_per_epoch"):
        fit(model, numbered, **QUIET)
    fit(model, numbered, steps_per_epoch=4, epochs=3, **QUIET)
    assert seen == [*range(9), 0, 1, 2]


@pytest.mark.parametrize(
    "data", ["no examples", "an empty dataset", "other lengths", "y beside a dataset", "a batch size beside a dataset", "both kinds of weights"]
)
def test_data_that_cannot_be_trained_on_is_named(make_model, arrays, data):
    x, y = arrays
    data, options, message = {
        "no examples": (x[:0], {"y": y[:0]}, "nothing to train on"),
        "an empty dataset": (dataset_of(arrays).take(0), {}, "nothing to train on"),
        "other lengths": (x, {"y": y[:-1]}, r"first dimensions \[17, 18\]"),
        "y beside a dataset": (dataset_of(arrays), {"y": y}, "`y` should not be passed"),
        "a batch size beside a dataset": (dataset_of(arrays), {"batch_size": 4}, "Received: batch_size=4"),
        "both kinds of weights": (x, {"y": y, "class_weight": {0: 2.0}, "sample_weight": y[:, 0]}, "both weights"),
    }[data]
    with pytest.raises(ValueError, match=message):
        fit(make_model(), data, **options, **QUIET)


def test_in_another_thread_a_run_is_saved_too(make_model, arrays, tmp_path):
    thread = threading.Thread(target=lambda: fit(make_model(), *arrays, checkpoint_dir=tmp_path, **QUIET))
    thread.start()
    thread.join()
    assert (tmp_path / "checkpoint.npz").exists()
