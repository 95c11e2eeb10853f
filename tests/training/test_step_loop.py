"""Several steps in one program are those that Keras takes one by one."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.training import step_loop
from keras_richctx.training.read_ahead import ReadAhead, copy_to
from keras_richctx.training.step_loop import StepLoop, can_loop, can_read_ahead
from keras_richctx.training.wide_integers import narrow, widen, widened

pytestmark = pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="tf.data and XLA of TensorFlow")
IDS = np.random.default_rng(0).integers(0, 11, (37, 6)).astype("int32")


def model_of(steps_per_execution=3, model_class=keras.Model, **options):
    keras.utils.set_random_seed(0)
    ids = keras.Input((None,), dtype="int32")
    h = keras.layers.Dropout(0.3, seed=1)(keras.layers.Embedding(11, 8, mask_zero=True)(ids))
    model = model_class(ids, keras.layers.Dense(11)(keras.layers.Dense(5, activation="relu")(h)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], **{"jit_compile": True, "steps_per_execution": steps_per_execution, **options})
    return model


def pretend_gpu(monkeypatch):
    import tensorflow as tf

    monkeypatch.setattr(step_loop, "gpus", lambda: [tf.config.LogicalDevice("/device:CPU:0", "CPU")])


class Logs(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.seen = []

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((batch, *sorted(logs.items())))


def trained(fit, **options):
    model, logs = model_of(**options), Logs()
    history = fit(model, logs)
    return model, logs.seen, history.history


def through_fit(model, logs, x=IDS):
    return krc.training.fit(model, x, x, batch_size=5, epochs=2, steps_per_epoch=9, shuffle=False, callbacks=[logs], progress=False)


def by_keras(model, logs):
    import tensorflow as tf

    batches = tf.data.Dataset.from_tensor_slices((IDS, IDS)).batch(5).repeat()  # the eighth of each pass is a short one
    return model.fit(batches, epochs=2, steps_per_epoch=9, callbacks=[logs], verbose=0)


@pytest.fixture(scope="module")
def one_by_one():
    return trained(by_keras)


def test_a_loop_of_steps_trains_as_one_after_the_other(one_by_one):
    model, seen, history = trained(through_fit)
    assert isinstance(model.train_function, StepLoop)
    assert sorted(count for count, *_ in model.train_function._programs) == [1, 3]
    expected, seen_by_keras, history_of_keras = one_by_one
    for weight, other in zip(model.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)
    assert [entry[0] for entry in seen] == [entry[0] for entry in seen_by_keras]
    for entry, other in zip(seen, seen_by_keras, strict=True):
        assert dict(entry[1:]) == pytest.approx(dict(other[1:]), abs=1e-6)
    assert {name: pytest.approx(values, abs=1e-6) for name, values in history_of_keras.items()} == history


@pytest.mark.parametrize("steps_per_execution", [1, 3])
def test_a_strategy_of_one_device_reads_ahead_too(one_by_one, steps_per_execution, monkeypatch):
    import tensorflow as tf

    pretend_gpu(monkeypatch)
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    by_strategy = strategy.experimental_distribute_dataset
    with strategy.scope():
        model, sees = model_of(steps_per_execution), SeesReading()
        through_fit(model, sees)
    assert sees.ahead == {True}
    assert strategy.experimental_distribute_dataset == by_strategy, "the strategy is left as it was"
    for weight, other in zip(model.get_weights(), one_by_one[0].get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)


def test_each_length_has_a_program_that_knows_it(monkeypatch):
    import tensorflow as tf

    def batches():
        for length in (3, 6, 3, 5):
            yield IDS[:7, :length], IDS[:7, :length]

    spec = tf.TensorSpec((None, None), "int32")
    data = tf.data.Dataset.from_generator(batches, output_signature=(spec, spec))
    alone = model_of(steps_per_execution=1)
    expected = alone.fit(data, steps_per_epoch=4, verbose=0)
    pretend_gpu(monkeypatch)
    model = model_of(steps_per_execution=1)
    history = krc.training.fit(model, data, steps_per_epoch=4, progress=False)
    assert len(model.train_function._programs) == 3
    assert history.history["loss"] == pytest.approx(expected.history["loss"], abs=1e-6)
    for weight, other in zip(model.get_weights(), alone.get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)


class SeesReading(Logs):
    """Notes after each step whether batches were read ahead for it."""

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        self.ahead = set()

    def on_train_batch_end(self, batch, logs=None):
        super().on_train_batch_end(batch, logs)
        self.ahead.add(isinstance(self.model.train_function._runs[-1].ahead, ReadAhead))


@pytest.mark.parametrize("steps_per_execution", [1, 3])
def test_batches_that_are_read_ahead_are_the_same(one_by_one, steps_per_execution, monkeypatch):
    pretend_gpu(monkeypatch)
    model, sees = model_of(steps_per_execution), SeesReading()
    through_fit(model, sees)
    assert sees.ahead == {True}
    assert not model.train_function._runs  # nothing is kept for another run
    for weight, other in zip(model.get_weights(), one_by_one[0].get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)


def test_on_a_gpu_one_step_is_taken_so_too_and_metrics_are_read_where_one_looks(one_by_one, monkeypatch):
    pretend_gpu(monkeypatch)
    model, seen, history = trained(through_fit, steps_per_execution=1)
    assert isinstance(model.train_function, StepLoop)
    assert len(seen) == 18
    assert dict(seen[-1][1:])["loss"] == pytest.approx(history["loss"][-1])
    alone = model_of(steps_per_execution=1)
    alone_history = krc.training.fit(alone, IDS, IDS, batch_size=5, epochs=2, steps_per_epoch=9, shuffle=False, validation_data=(IDS, IDS), progress=False)
    for name, values in one_by_one[2].items():
        assert alone_history.history[name] == pytest.approx(values, abs=1e-6)
        assert history[name] == pytest.approx(values, abs=1e-6)
    assert set(alone_history.history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
    for weight, other in zip(alone.get_weights(), one_by_one[0].get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)
    assert set(alone.fit(IDS, IDS, batch_size=5, verbose=0).history) == {"loss", "accuracy"}  # Keras goes on with the same program, and is given the metrics


class Wanted(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.by_steps = self.model.train_function.wants_logs


def test_without_a_callback_that_looks_no_metrics_are_read_after_a_step():
    model, wanted = model_of(), Wanted()
    for others, expected in (([], False), ([Logs()], True), ([], False)):
        history = krc.training.fit(model, IDS, IDS, batch_size=5, callbacks=[wanted, *others], progress=False)
        assert wanted.by_steps is expected
        assert set(history.history) == {"loss", "accuracy"}


def test_a_loop_is_compiled_once_and_anew_where_a_callback_asks():
    model, logs = model_of(), Logs()
    through_fit(model, logs)
    first = model.train_function
    through_fit(model, logs)
    assert model.train_function is first
    assert len(first._programs) == 2

    class Anew(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.model.make_train_function(force=True)

    krc.training.fit(model, IDS, IDS, batch_size=5, callbacks=[Anew()], progress=False)
    assert isinstance(model.train_function, StepLoop)
    assert model.train_function is not first


class OwnStep(keras.Model):
    def train_step(self, data):
        super().train_step(data)
        return {"mine": keras.ops.ones(())}


@pytest.mark.parametrize("options", [{"steps_per_execution": 1}, {"jit_compile": False}, {"model_class": OwnStep}, {"run_eagerly": True, "jit_compile": False}])
def test_what_cannot_be_looped_is_left_to_keras(options):
    model = model_of(**options)
    assert not can_loop(model)
    history = through_fit(model, Logs())
    assert not isinstance(model.train_function, StepLoop)
    assert set(history.history) == ({"mine"} if "model_class" in options else {"loss", "accuracy"})


def test_a_step_that_one_model_alone_has_is_left_to_keras():
    model = model_of()
    assert can_loop(model)
    model.train_step = lambda data: {"mine": 0.0}
    assert not can_loop(model)


def test_integers_are_widened_and_narrowed_and_nothing_else_is():
    import tensorflow as tf

    batch = ({"ids": tf.constant([1, -2]), "mask": tf.constant([True, False])}, tf.constant([3], tf.int64), tf.constant([0.5]))
    assert [tensor.dtype for tensor in tf.nest.flatten(widen(*batch))] == [tf.int64, tf.bool, tf.int64, tf.float32]
    for batch_too in (narrow(widen(*batch)), narrow(batch)):
        tf.nest.assert_same_structure(batch_too, batch)
        for tensor, other in zip(tf.nest.flatten(batch_too), tf.nest.flatten(batch), strict=True):
            assert tensor.dtype == other.dtype
            np.testing.assert_array_equal(tensor, other)
    assert widen(tf.constant([0.5])).dtype == tf.float32  # a dataset of x alone has no tuples


def test_what_is_read_ahead_is_all_of_the_data_in_its_order_to_its_end():
    import tensorflow as tf

    data = tf.data.Dataset.range(11, output_type=tf.int32).batch(2)
    ahead = ReadAhead(2, copy_to("CPU:0"))
    for _ in range(2):  # another iterator, as in the next epoch, is read from its start
        iterator = iter(data)
        calls = [ahead.take(iterator) for _ in range(5)]
        assert [[narrow(batch).numpy().tolist() for batch in batches] for batches in calls] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10]], [], []]
    tf.nest.assert_same_structure(calls[0][0], widened(iterator.element_spec))
    ahead.close()


def test_an_error_of_the_data_comes_when_its_batch_is_asked_for(monkeypatch):
    import tensorflow as tf

    def batches():
        for i in range(4):
            yield IDS[:5], IDS[:5]
            if i == 2:
                raise OSError("the disk is gone")

    pretend_gpu(monkeypatch)
    spec = tf.TensorSpec((5, 6), "int32")
    data = tf.data.Dataset.from_generator(batches, output_signature=(spec, spec))
    model, logs = model_of(steps_per_execution=1), Logs()
    with pytest.raises(tf.errors.UnknownError, match="the disk is gone"):
        krc.training.fit(model, data, steps_per_epoch=4, callbacks=[logs], progress=False)
    assert len(logs.seen) == 3
    assert not model.train_function._runs


@pytest.mark.parametrize("steps_per_execution", [1, 3])
def test_no_batch_is_lost_where_a_callback_trains_the_model_too(steps_per_execution, monkeypatch):
    pretend_gpu(monkeypatch)

    class Between(keras.callbacks.Callback):
        """Has the step made anew, as `GradualUnfreezing` does, takes a step of its own, and at last a whole run."""

        def on_train_begin(self, logs=None):
            self.own = []

        def on_epoch_begin(self, epoch, logs=None):
            self.model.make_train_function(force=True)

        def on_epoch_end(self, epoch, logs=None):
            self.own.append(self.model.train_on_batch(IDS[:5], IDS[:5], return_dict=True))
            if not epoch:
                seen = Logs()
                self.fit(self.model, seen)
                self.own.append({name: value for *_, (name, value) in seen.seen[-1:]})

    ends = []
    for fit in (by_keras, through_fit):
        model, between = model_of(steps_per_execution), Between()
        between.fit = lambda model, logs, fit=fit: fit(model, logs)
        fit(model, between)
        ends.append((model.get_weights(), between.own))
    (expected, own_by_keras), (weights, own) = ends
    assert own == [pytest.approx(entry, abs=1e-5) for entry in own_by_keras]
    for weight, other in zip(weights, expected, strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-5)


class Numbered(keras.utils.PyDataset):
    """Batches without an end, some of them made by other threads."""

    num_batches = None

    def __getitem__(self, index):
        rows = np.arange(5 * index, 5 * index + 5) % len(IDS)
        return IDS[rows], IDS[rows]


def test_what_keras_stops_after_an_epoch_is_not_read_beyond_it(monkeypatch):
    pretend_gpu(monkeypatch)
    model, sees = model_of(steps_per_execution=1), SeesReading()
    history = krc.training.fit(model, Numbered(workers=2), epochs=3, steps_per_epoch=4, callbacks=[sees], progress=False)
    assert sees.ahead == {False}
    assert history.epoch == [0, 1, 2]


def test_what_calls_the_model_after_a_run_is_given_what_keras_makes(monkeypatch):
    pretend_gpu(monkeypatch)
    models = [model_of(steps_per_execution=1) for _ in range(2)]
    through_fit(models[0], Logs())
    models[1].optimizer.build(models[1].trainable_variables)
    for variable, other in zip(*([*model.variables, *model.optimizer.variables] for model in models[::-1]), strict=True):
        variable.assign(other)  # those of dropout's seeds too
    for model in models:
        model.reset_metrics()
    logs, expected = (model.train_on_batch(IDS[:7], IDS[:7], return_dict=True) for model in models)
    assert logs == pytest.approx(expected, abs=1e-6)
    assert not models[0].train_function._runs


def test_without_a_gpu_nothing_is_read_ahead():
    model, sees = model_of(), SeesReading()
    through_fit(model, sees)
    assert sees.ahead == {bool(step_loop.gpus())}


def test_weights_of_classes_are_those_of_keras_where_batches_are_read_ahead(monkeypatch):
    def model_of_classes(steps_per_execution):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((6,)), keras.layers.Embedding(11, 8), keras.layers.Flatten(), keras.layers.Dense(11)])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, jit_compile=True, steps_per_execution=steps_per_execution)
        return model

    given = {"batch_size": 5, "shuffle": False, "class_weight": {number: 1.0 + number for number in range(11)}}
    by_keras = model_of_classes(1)
    by_keras.fit(IDS[:30], IDS[:30].sum(1) % 11, **given, verbose=0)
    pretend_gpu(monkeypatch)
    model, sees = model_of_classes(3), SeesReading()
    krc.training.fit(model, IDS[:30], IDS[:30].sum(1) % 11, **given, callbacks=[sees], progress=False)
    assert sees.ahead == {True}
    for weight, other in zip(model.get_weights(), by_keras.get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)


def test_only_dense_tensors_of_the_processor_are_read_ahead():
    import tensorflow as tf

    def of(*parts):
        return tf.data.Dataset.from_tensor_slices(parts)

    several = tf.distribute.MirroredStrategy(["CPU:0"]).distribute_datasets_from_function(lambda context: of(IDS).batch(5))
    assert can_read_ahead(iter(of(IDS).batch(5)))
    assert can_read_ahead(iter(several))
    assert not any(map(can_read_ahead, (iter(of(IDS, [["word"]] * 37)), iter(of(tf.ragged.constant([[1], [1, 2]])).batch(2)))))
