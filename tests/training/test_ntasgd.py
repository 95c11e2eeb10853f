import hypothesis
import keras
import numpy as np
import pytest
from hypothesis import strategies

from keras_richctx.training import NTASGD, NonMonotonicTrigger, discriminative_rates, fit

pytestmark = pytest.mark.backends

RATE, INTERVAL, EPOCHS, BATCH = 0.6, 1, 9, 2
RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(6, 2)).astype("float32"), RANDOM.normal(size=(6, 1)).astype("float32")
VALIDATION = RANDOM.normal(size=(5, 2)).astype("float32"), RANDOM.normal(size=(5, 1)).astype("float32")

to_numpy = keras.ops.convert_to_numpy


def simulate(clipnorm=1.0):
    """Algorithm 1 in NumPy, with the criterion of its authors' code: the weights, the means and the validation losses at each epoch's end, and the trigger."""
    w, passed, losses, trigger, ends, means = np.full((2, 1), 0.5), None, [], None, [], []
    for epoch in range(EPOCHS):
        for start in range(0, len(X), BATCH):
            x, y = X[start : start + BATCH], Y[start : start + BATCH]
            gradient = 2 * x.T @ (x @ w - y) / BATCH
            w = w - RATE * gradient * min(1.0, clipnorm / np.linalg.norm(gradient))
            if passed is not None:
                passed.append(w)
        seen = w if passed is None else np.mean(passed, axis=0)
        loss = np.mean((VALIDATION[0] @ seen - VALIDATION[1]) ** 2)
        if passed is None and len(losses) > INTERVAL and loss > min(losses[:-INTERVAL]):
            passed, trigger = [w], epoch
        losses.append(loss)
        ends.append(w)
        means.append(w if passed is None else np.mean(passed, axis=0))
    return ends, means, losses, trigger


def make_model():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False, kernel_initializer=keras.initializers.Constant(0.5))])
    model.compile(NTASGD(RATE, global_clipnorm=1.0, interval=INTERVAL), "mse", jit_compile=False)
    return model


OPTIONS = {"batch_size": BATCH, "epochs": EPOCHS, "shuffle": False, "validation_data": VALIDATION, "verbose": 0}


class Seen(keras.callbacks.Callback):
    """Notes what a callback that stands behind sees at each epoch's end, and what training begins each epoch with."""

    def on_train_begin(self, logs=None):
        self.ends, self.begins = [], []

    def on_epoch_end(self, epoch, logs=None):
        self.ends.append(self.model.get_weights()[0])

    def on_train_batch_begin(self, batch, logs=None):
        if batch == 0:
            self.begins.append(self.model.get_weights()[0])


def test_fit_equals_a_simulation_of_the_algorithm():
    ends, means, losses, trigger = simulate()
    assert 2 <= trigger < EPOCHS - 3, "the trigger is pulled on the way"
    assert np.abs(means[-1] - ends[-1]).max() > 0.05, "and makes a difference"
    model, seen = make_model(), Seen()
    history = model.fit(X, Y, callbacks=[NonMonotonicTrigger(), seen], **OPTIONS)
    np.testing.assert_allclose(history.history["val_loss"], losses, rtol=1e-4)
    np.testing.assert_allclose(seen.ends, means, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(seen.begins[1:], ends[:-1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], means[-1], rtol=1e-4, atol=1e-5)
    assert int(to_numpy(model.optimizer.averaged)) == 1 + (EPOCHS - 1 - trigger) * len(X) // BATCH


@hypothesis.given(strategies.lists(strategies.integers(0, 6), max_size=12), strategies.integers(1, 4))
def test_the_trigger_is_that_of_the_authors_code(losses, interval):
    optimizer = NTASGD(interval=interval)
    optimizer.build([keras.Variable(0.0)])
    for count, loss in enumerate(losses):
        earlier = losses[:count]
        pulled = any(k > interval and losses[k] > min(losses[:k][:-interval]) for k in range(count))
        assert optimizer.is_averaging() == pulled
        optimizer.check(loss)
        assert optimizer.is_averaging() == pulled or (len(earlier) > interval and loss > min(earlier[:-interval]))


def test_a_run_that_was_cut_short_ends_as_one_that_was_not(tmp_path):
    class Crash(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if self.model.optimizer.is_averaging() and batch == 1:
                raise RuntimeError("crash")

    options = {**OPTIONS, "progress": False, "checkpoint_dir": tmp_path, "save_every_steps": 1}
    del options["verbose"]
    with pytest.raises(RuntimeError, match="crash"):
        fit(make_model(), X, Y, callbacks=[NonMonotonicTrigger(), Crash()], **options)
    resumed = make_model()
    history = fit(resumed, X, Y, callbacks=[NonMonotonicTrigger()], **options)
    _, means, losses, _ = simulate()
    np.testing.assert_allclose(history.history["val_loss"], losses, rtol=1e-4)
    np.testing.assert_allclose(resumed.get_weights()[0], means[-1], rtol=1e-4, atol=1e-5)


def test_the_saved_weights_are_the_averaged_ones_and_a_loaded_model_goes_on_from_the_others(tmp_path):
    ends, means, _, trigger = simulate()
    last = trigger + 2
    model = make_model()
    save = keras.callbacks.ModelCheckpoint(tmp_path / "model.keras")
    model.fit(X, Y, callbacks=[NonMonotonicTrigger(), save], **{**OPTIONS, "epochs": last + 1})
    for on in (model, keras.saving.load_model(tmp_path / "model.keras")):
        np.testing.assert_allclose(on.get_weights()[0], means[last], rtol=1e-4, atol=1e-5)
        on.fit(X, Y, callbacks=[NonMonotonicTrigger()], **{**OPTIONS, "initial_epoch": last + 1})
        np.testing.assert_allclose(on.get_weights()[0], means[-1], rtol=1e-4, atol=1e-5)
        on.optimizer.hide_average()
        np.testing.assert_allclose(on.get_weights()[0], ends[-1], rtol=1e-4, atol=1e-5)


def test_early_stopping_restores_the_averaged_weights():
    _, means, losses, _ = simulate()
    model = make_model()
    model.fit(X, Y, callbacks=[NonMonotonicTrigger(), keras.callbacks.EarlyStopping(patience=EPOCHS, restore_best_weights=True)], **OPTIONS)
    np.testing.assert_allclose(model.get_weights()[0], means[int(np.argmin(losses))], rtol=1e-4, atol=1e-5)


def test_without_the_trigger_it_is_plain_descent():
    weights = []
    for optimizer in (NTASGD(RATE, global_clipnorm=1.0, weight_decay=0.1), keras.optimizers.SGD(RATE, global_clipnorm=1.0, weight_decay=0.1)):
        model = make_model()
        model.compile(optimizer, "mse", jit_compile=False)
        model.fit(X, Y, callbacks=[NonMonotonicTrigger()] if isinstance(optimizer, NTASGD) else [], **{**OPTIONS, "epochs": 2})
        weights.append(model.get_weights()[0])
    np.testing.assert_allclose(*weights, rtol=1e-6)


def test_it_averages_with_discriminative_rates_as_without():
    model = make_model()
    discriminative_rates(model.optimizer, model)
    model.fit(X, Y, callbacks=[NonMonotonicTrigger()], **OPTIONS)
    np.testing.assert_allclose(model.get_weights()[0], simulate()[1][-1], rtol=1e-4, atol=1e-5)


def test_a_config_makes_the_same_optimizer():
    optimizer = NTASGD(3.0, interval=2, weight_decay=0.1, momentum=0.5)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert type(again) is NTASGD
    assert again.get_config() == optimizer.get_config()
    assert {"interval": 2, "weight_decay": 0.1, "momentum": 0.5, "global_clipnorm": 0.25}.items() <= again.get_config().items()


@pytest.mark.parametrize("argument", [{"use_ema": True}, {"gradient_accumulation_steps": 2}, {"interval": -1}, {"interval": 2.5}], ids=str)
def test_what_it_does_not_take_is_named(argument):
    ((name, value),) = argument.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        NTASGD(**argument)


def test_a_wrong_optimizer_and_a_missing_loss_are_named():
    model = make_model()
    with pytest.raises(ValueError, match=r"monitor='val_loss', and logs of \['loss'\]\. Pass validation data"):
        model.fit(X, Y, callbacks=[NonMonotonicTrigger()], verbose=0)
    model.compile("sgd", "mse")
    with pytest.raises(TypeError, match=r"krc\.training\.NTASGD"):
        model.fit(X, Y, callbacks=[NonMonotonicTrigger()], verbose=0)
