"""A model and data small enough to train in a moment, and ways to stop a run in the middle."""

import keras
import numpy as np
import pytest

SIZE, BATCH = 18, 4  # five steps an epoch, the last one of two examples


class Steps(keras.callbacks.Callback):
    """Counts the steps of a session."""

    count = 0

    def on_train_batch_end(self, batch, logs=None):
        self.count += 1


class Crash(Steps):
    """Raises an error before the step of this number, counted from 0 over the session."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def on_train_batch_begin(self, batch, logs=None):
        if self.count == self.step:
            raise RuntimeError("crash")


@pytest.fixture
def arrays():
    x = np.random.default_rng(0).normal(size=(SIZE, 3)).astype("float32")
    return x, x.sum(axis=1, keepdims=True)


@pytest.fixture
def make_model():
    """Makes a compiled model with dropout; its variables are made when it first sees data."""

    def make(optimizer=None, width=5, **options):
        model = keras.Sequential([keras.layers.Dense(width, activation="tanh"), keras.layers.Dropout(0.3, seed=7), keras.layers.Dense(1)])
        model.compile(optimizer or keras.optimizers.SGD(0.05, momentum=0.9), "mse", **{"run_eagerly": True, "metrics": ["mae"], **options})
        return model

    return make


def values(model):
    """All that training changes, as one list of arrays."""
    return [keras.ops.convert_to_numpy(variable) for variable in model.variables + model.optimizer.variables]


@pytest.fixture
def assert_same_run():
    """Compares two models and their histories, all of them."""

    def assert_same(model, history, other, other_history):
        for ours, theirs in zip(values(model), values(other), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-6)
        assert history.epoch == other_history.epoch
        assert history.history.keys() == other_history.history.keys()
        for name in history.history:
            np.testing.assert_allclose(history.history[name], other_history.history[name], atol=1e-6)

    return assert_same


@pytest.fixture
def crash():
    return Crash


@pytest.fixture
def steps():
    return Steps()
