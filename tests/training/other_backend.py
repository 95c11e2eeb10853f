"""Trains on arrays on the backend that KERAS_BACKEND names, is cut short and goes on: `python other_backend.py DIRECTORY`."""

import contextlib
import pathlib
import sys

import keras
import numpy as np

from keras_richctx.training import fit, strategy


class Crashed(Exception):
    """Cuts a run short."""


class Crash(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        if self.model.optimizer.iterations == 7:
            raise Crashed


def make_model():
    model = keras.Sequential([keras.layers.Dense(5), keras.layers.Dropout(0.3, seed=1), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.05, 15)), "mse", metrics=["mae"])
    return model


def main(root):
    x = np.random.default_rng(0).normal(size=(18, 3)).astype("float32")
    options = {"batch_size": 4, "epochs": 3, "shuffle": False, "validation_data": (x, x[:, :1]), "patience": 3, "progress": False}
    with strategy("auto").scope():
        whole, cut = make_model(), make_model()
    whole.build((None, 3)), cut.build((None, 3))
    cut.set_weights(whole.get_weights())
    expected = fit(whole, x, x[:, :1], checkpoint_dir=root / "whole", **options)
    with contextlib.suppress(Crashed):
        fit(cut, x, x[:, :1], checkpoint_dir=root / "cut", callbacks=[Crash()], **options)
    resumed = make_model()
    history = fit(resumed, x, x[:, :1], checkpoint_dir=root / "cut", **options)  # from the end of the first epoch
    for ours, theirs in zip(resumed.variables + resumed.optimizer.variables, whole.variables + whole.optimizer.variables, strict=True):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(ours), keras.ops.convert_to_numpy(theirs), atol=1e-6)
    for name, values in expected.history.items():
        np.testing.assert_allclose(history.history[name], values, atol=1e-6)

    # A save within an epoch holds the weights of that very step.
    steps = make_model()
    with contextlib.suppress(Crashed):
        fit(steps, x, x[:, :1], checkpoint_dir=root / "steps", callbacks=[Crash()], save_every_steps=1, **options)
    resumed = make_model()
    fit(resumed, x, x[:, :1], checkpoint_dir=root / "steps", **options)
    assert int(resumed.optimizer.iterations) == 6 + 2 * 5  # the second epoch was started over with the weights of its first step
    assert "tensorflow" not in sys.modules


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
