"""One worker of a run of several: `python worker_runs.py DIRECTORY [KILL_AT_STEP]`, with TF_CONFIG set; the chief writes DIRECTORY/result.json."""

import json
import os
import pathlib
import signal
import sys

import keras
import numpy as np

import keras_richctx as krc


class Die(keras.callbacks.Callback):
    """Kills this process at a step, as a machine dies: without a word."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def on_train_batch_begin(self, batch, logs=None):
        if int(keras.ops.convert_to_numpy(self.model.optimizer.iterations)) == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def make_model():
    keras.utils.set_random_seed(0)
    ids = keras.Input((None,), dtype="int32")
    h = keras.layers.Embedding(11, 8, mask_zero=True)(ids)
    logits = keras.layers.Dense(11, kernel_regularizer="l2")(krc.layers.GRU(5, return_sequences=True)(h))
    model = keras.Model(ids, logits)
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["sparse_categorical_accuracy"])
    return model


def train(x, y, **options):
    model = make_model()
    # the last batch of an epoch is of one example, so that the second worker has none
    history = krc.training.fit(model, x, y, batch_size=4, epochs=3, validation_data=(x, y), progress=False, shuffle=False, **options)
    return model.get_weights(), history.history


def main(root, kill_at=None):
    strategy = krc.training.strategy("auto")
    lengths = np.array([7, 6, 6, 5, 4, 3, 2, 1, 1])
    random = np.random.default_rng(0)
    x, y = (np.where(np.arange(7) < lengths[:, None], random.integers(1, 11, (9, 7)), 0) for _ in range(2))
    with strategy.scope():
        options = {"callbacks": [Die(kill_at)] if kill_at is not None else [], "save_every_steps": 2}
        weights, history = train(x, y, checkpoint_dir=root / "run", **options)
    if json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 0:
        alone, expected = train(x, y)
        result = {
            "workers": strategy.num_replicas_in_sync,
            "weights": max(float(np.abs(a - b).max()) for a, b in zip(weights, alone, strict=True)),
            "history": max(abs(a - b) for name in expected for a, b in zip(expected[name], history[name], strict=True)),
            "epochs": len(history["loss"]),
        }
        (root / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:]))
