"""On JAX a run is that of Keras, with less around its steps."""

import types

import keras
import numpy as np
import pytest

import keras_richctx as krc

pytestmark = [pytest.mark.backends, pytest.mark.skipif(keras.backend.backend() != "jax", reason="needs JAX: KERAS_BACKEND=jax")]
IDS = np.random.default_rng(0).integers(0, 11, (37, 6)).astype("int32")
OPTIONS = {"batch_size": 5, "epochs": 2, "shuffle": False, "validation_data": (IDS[:7], IDS[:7])}


def model_of(**options):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Embedding(11, 8), keras.layers.Dropout(0.3, seed=1), keras.layers.Dense(11)]
    model = keras.Sequential([keras.Input((6,), dtype="int32"), *layers])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"], **options)
    return model


class Watch(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.seen = []

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((batch, dict(logs), type(self.model._jax_state)))

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(self.model.train_on_batch(IDS[:5], IDS[:5], return_dict=True))


@pytest.fixture(scope="module")
def by_keras():
    model, watch = model_of(), Watch()
    return model, model.fit(IDS, IDS, verbose=0, callbacks=[watch], **OPTIONS).history, watch.seen


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"jit_compile": False}])
def test_a_run_is_that_of_keras(by_keras, options):
    (expected, history, seen), watch = by_keras, Watch()
    model = model_of(**options)
    ours = krc.training.fit(model, IDS, IDS, progress=False, callbacks=[watch], **OPTIONS).history
    assert ours == {name: pytest.approx(values, abs=1e-6) for name, values in history.items()}
    for weight, other in zip(model.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_allclose(weight, other, atol=1e-6)
    steps = [entry for entry in watch.seen if isinstance(entry, tuple)]
    assert {kind for *_, kind in steps} == {types.MappingProxyType}
    assert [logs for _, logs, _ in steps] == [pytest.approx(entry[1], abs=1e-6) for entry in seen if isinstance(entry, tuple)]
    assert [entry for entry in watch.seen if isinstance(entry, dict)] == [pytest.approx(entry, abs=1e-6) for entry in seen if isinstance(entry, dict)]
    assert {"_setattr_hook", "make_train_function"}.isdisjoint(vars(model))


def test_a_step_of_one_s_own_keeps_its_metrics():
    class Own(keras.Sequential):
        def train_step(self, state, data):
            logs, state = super().train_step(state, data)
            return {"mine": logs["loss"]}, state

    model = Own(model_of().layers)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    assert list(krc.training.fit(model, IDS, IDS, progress=False).history) == ["mine"]


def test_a_run_within_a_run_has_its_own_callbacks():
    inner = Watch()

    class Again(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            krc.training.fit(self.model, IDS, IDS, progress=False, batch_size=5, callbacks=[inner])

    model = model_of()
    krc.training.fit(model, IDS, IDS, progress=False, batch_size=5, callbacks=[Again()])
    assert [entry[0] for entry in inner.seen if isinstance(entry, tuple)] == list(range(8))
    assert "_setattr_hook" not in vars(model)
