import keras
import numpy as np
import pytest

from keras_richctx.training import TimeLimit, fit, time_limit
from keras_richctx.training.after_steps import is_called_after_steps
from keras_richctx.training.progress import Progress

X, Y = np.ones((12, 3), "float32"), np.ones((12, 1), "float32")  # six steps of two


class Clock:
    """A clock that a step moves on by a second."""

    now = 100.0

    def __call__(self):
        return self.now


class Tick(keras.callbacks.Callback):
    """Moves the clock on with each step, and notes the learning rate of each."""

    def __init__(self, clock, stop_after=None):
        super().__init__()
        self.clock = clock
        self.stop_after = stop_after
        self.rates = []

    def on_train_batch_end(self, batch, logs=None):
        self.rates.append(float(self.model.optimizer.learning_rate))
        self.clock.now += 1
        if len(self.rates) == self.stop_after:
            raise RuntimeError("crash")


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time_limit, "monotonic", clock)
    return clock


def train(seconds, tick, progress=False, **options):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.4), "mse")
    history = fit(model, X, Y, batch_size=2, epochs=1000, callbacks=[tick, TimeLimit(seconds, 0.4)], progress=progress, **options)
    return model, history


def test_the_rate_falls_along_half_a_cosine_and_training_ends_at_zero(clock):
    tick = Tick(clock)
    model, history = train(10, tick)
    np.testing.assert_allclose(tick.rates, 0.2 * (1 + np.cos(np.pi * np.arange(10) / 10)), atol=1e-6)
    assert float(model.optimizer.learning_rate) == 0.0
    assert history.epoch == [0, 1], "the second epoch ends within"


def test_the_time_left_is_that_of_the_clock_and_the_number_of_epochs_is_not_told(clock, capsys, monkeypatch):
    monkeypatch.setattr(Progress, "_is_due", lambda progress: True)
    train(8, Tick(clock), progress=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[1] for line in lines if line.startswith("epoch 2  step")] == ["step 0/6", "step 1/6"]
    assert lines[-2].endswith("0:01 left")


def test_a_resumed_run_has_the_time_that_its_checkpoint_left_it(clock, tmp_path):
    with pytest.raises(RuntimeError, match="crash"):
        train(10, Tick(clock, stop_after=5), checkpoint_dir=tmp_path, save_every_steps=1)
    clock.now += 1000  # what passes between two sessions does not count
    tick = Tick(clock)
    train(10, tick, checkpoint_dir=tmp_path)
    # the checkpoint before the fifth step, at second 4, holds the rate that was set for it
    np.testing.assert_allclose(tick.rates, 0.2 * (1 + np.cos(np.pi * np.arange(4, 10) / 10)), atol=1e-5)


class Optimizer:
    """Notes the rates that it is given."""

    def __init__(self):
        self.iterations, self.rates = 0, [0.4]

    learning_rate = property(lambda self: self.rates[-1], lambda self, rate: self.rates.append(rate))


def test_a_gpu_is_held_up_neither_for_the_metrics_nor_for_a_rate_at_each_step(clock):
    limit, model = TimeLimit(time_limit.RATES, 0.4, warmup_steps=3), keras.Model()
    model.optimizer = Optimizer()
    assert not is_called_after_steps(limit)
    limit.set_model(model)
    limit.on_train_begin()
    for step in range(11):
        limit.on_train_batch_begin(step)
        model.optimizer.iterations += 1
        clock.now += 0.25
    # each of the steps in which it rises, and then each second
    np.testing.assert_allclose(model.optimizer.rates[1:], [0.4 / 3, 0.8 / 3, 0.4, 0.4, 0.4], rtol=1e-4)


def test_an_optimizer_with_a_schedule_is_refused(clock):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(0.1, 10)), "mse")
    with pytest.raises(TypeError, match="LearningRateSchedule"):
        fit(model, X, Y, callbacks=[TimeLimit(10, 0.1)], progress=False)


@pytest.mark.parametrize("arguments, name", [((0, 0.1), "seconds=0"), ((float("nan"), 0.1), "seconds=nan"), ((5, -0.1), "learning_rate=-0.1")])
def test_numbers_that_are_not_positive_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        TimeLimit(*arguments)
