"""Steps on JAX that nothing waits for are those of Keras."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.training import jax_steps
from keras_richctx.training.jax_steps import one_ahead

pytestmark = [pytest.mark.backends, pytest.mark.skipif(keras.backend.backend() != "jax", reason="needs JAX: KERAS_BACKEND=jax")]
IDS = np.random.default_rng(0).integers(0, 11, (37, 6)).astype("int32")
OPTIONS = {"batch_size": 5, "epochs": 2, "shuffle": False, "validation_data": (IDS[:7], IDS[:7])}


def model_of(**options):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Embedding(11, 8), keras.layers.Dropout(0.3, seed=1), keras.layers.Dense(11)]
    model = keras.Sequential([keras.Input((6,), dtype="int32"), *layers])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"], **options)
    return model


class Logs(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.seen = []

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((batch, sorted(logs)))


@pytest.fixture(scope="module")
def by_keras():
    model = model_of()
    return model, model.fit(IDS, IDS, verbose=0, **OPTIONS).history


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"steps_per_execution": 3}])
def test_a_run_is_that_of_keras(by_keras, options, ahead, monkeypatch):
    takes_ahead = jax_steps.JaxSteps.__init__
    monkeypatch.setattr(jax_steps.JaxSteps, "__init__", lambda self, step, wants_logs, one_ahead: takes_ahead(self, step, wants_logs, ahead))
    expected, history = by_keras
    model = model_of(**options)
    assert krc.training.fit(model, IDS, IDS, progress=False, **OPTIONS).history == {name: pytest.approx(of_it, abs=1e-6) for name, of_it in history.items()}
    for weight, other in zip(model.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)
    assert "_setattr_hook" not in vars(model)
    assert not isinstance(model.train_function, jax_steps.JaxSteps)


def test_a_callback_that_is_called_after_steps_is_given_the_metrics():
    model, logs = model_of(), Logs()
    krc.training.fit(model, IDS, IDS, progress=False, callbacks=[logs], **OPTIONS)
    assert logs.seen == [(batch, ["accuracy", "loss"]) for _ in range(2) for batch in range(8)]


def test_nothing_is_read_after_a_step_that_nobody_asks_for(monkeypatch):
    given = []

    class Watched(jax_steps.JaxSteps):
        def __call__(self, state, iterator):
            logs, state = super().__call__(state, iterator)
            given.append(logs)
            return logs, state

    monkeypatch.setattr(jax_steps, "JaxSteps", Watched)
    model = model_of()
    krc.training.fit(model, IDS, IDS, progress=False, **OPTIONS)
    assert given == [{}] * 16


def test_an_epoch_that_is_shorter_than_the_data_goes_on_where_the_last_one_ended(monkeypatch):
    step = jax_steps.JaxSteps.__init__
    monkeypatch.setattr(jax_steps.JaxSteps, "__init__", lambda self, by_keras, wants_logs, one_ahead: step(self, by_keras, wants_logs, True))

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 7

        def __getitem__(self, index):
            return IDS[index * 5 : index * 5 + 5], IDS[index * 5 : index * 5 + 5]

    def trained(fit, **options):
        model = model_of()
        fit(model, Batches(), epochs=3, steps_per_epoch=3, shuffle=False, **options)
        return model.get_weights()

    ours, theirs = trained(krc.training.fit, progress=False), trained(keras.Model.fit, verbose=0)
    for weight, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)


def own_step(model):
    class Own(keras.Sequential):
        def train_step(self, state, data):
            logs, state = super().train_step(state, data)
            return {"mine": logs["loss"]}, state

    return Own(model.layers)


def step_of_an_instance(model):
    by_keras = model.train_step
    model.train_step = lambda state, data: ({"mine": by_keras(state, data)[0]["loss"]}, by_keras(state, data)[1])
    return model


@pytest.mark.parametrize("change", [own_step, step_of_an_instance])
def test_the_metrics_of_a_step_of_one_s_own_are_those_of_the_last_step(change):
    histories = []
    for fit, options in [(krc.training.fit, {"progress": False}), (keras.Model.fit, {"verbose": 0})]:
        model = change(model_of())
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        histories.append(fit(model, IDS, IDS, **OPTIONS, **options).history)
    assert {"mine", "val_loss"} <= set(histories[0])
    assert histories[0] == {name: pytest.approx(values, abs=1e-6) for name, values in histories[1].items()}


def test_a_run_within_a_run_has_its_own_callbacks():
    inner, outer = Logs(), Logs()

    class Again(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if not epoch:
                krc.training.fit(self.model, IDS, IDS, progress=False, batch_size=5, callbacks=[inner])

    krc.training.fit(model_of(), IDS, IDS, progress=False, callbacks=[Again()], **OPTIONS)
    krc.training.fit(model_of(), IDS, IDS, progress=False, callbacks=[Again(), outer], **OPTIONS)
    assert inner.seen == [(batch, ["accuracy", "loss"]) for batch in range(8)]
    assert outer.seen == [(batch, ["accuracy", "loss"]) for _ in range(2) for batch in range(8)]


def test_one_ahead():
    taken = []

    def items(count):
        for item in range(count):
            taken.append(item)
            yield item

    ahead = one_ahead(items(3))
    assert [(item, len(taken)) for item in ahead] == [(0, 2), (1, 3), (2, 3)]
    assert list(one_ahead(items(1))) == [0]
    assert list(one_ahead(items(0))) == []
