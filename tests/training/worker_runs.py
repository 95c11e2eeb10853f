"""One worker of a run of several: `python worker_runs.py DIRECTORY [DEATH]`, with TF_CONFIG set; the chief writes DIRECTORY/result.json.

A death is `before:N`, before step N, counted from 0 over the whole run, or, of the chief, `write:N` or `rename:N`, within its N-th save: when half a file is
there, or between the two renames. How many steps were done by then is left in DIRECTORY/died.txt.
"""

import json
import os
import pathlib
import signal
import sys

import keras
import numpy as np

import keras_richctx as krc


def die(root, steps):
    """Kills this process, as a machine dies."""
    (root / "died.txt").write_text(str(steps))
    os.kill(os.getpid(), signal.SIGKILL)


class Die(keras.callbacks.Callback):
    """Dies before a step."""

    def __init__(self, root, step):
        super().__init__()
        self.root = root
        self.step = step

    def on_train_batch_begin(self, batch, logs=None):
        if int(keras.ops.convert_to_numpy(self.model.optimizer.iterations)) == self.step:
            die(self.root, self.step)


def die_in_a_save(root, at, count):
    """Makes this process die within its `count`-th save."""
    savez, replace, records = np.savez, os.replace, []

    def write(file, record, **arrays):
        records.append(json.loads(str(record)))
        if at == "write" and len(records) == count:
            file.write(b"PK" + bytes(1000))
            file.flush()
            die(root, steps())
        savez(file, record=record, **arrays)

    def rename(source, target):
        if at == "rename" and len(records) == count and pathlib.Path(source).suffix == ".tmp":
            die(root, steps())
        replace(source, target)

    def steps():
        return 3 * records[-1]["epoch"] + records[-1]["step"]

    np.savez, os.replace = write, rename


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


def main(root, death="none:0"):
    how, number = death.split(":")
    if how in ("write", "rename"):
        die_in_a_save(root, how, int(number))
    strategy = krc.training.strategy("auto")
    lengths = np.array([7, 6, 6, 5, 4, 3, 2, 1, 1])
    random = np.random.default_rng(0)
    x, y = (np.where(np.arange(7) < lengths[:, None], random.integers(1, 11, (9, 7)), 0) for _ in range(2))
    with strategy.scope():
        options = {"callbacks": [Die(root, int(number))] if how == "before" else [], "save_every_steps": 2}
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
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
