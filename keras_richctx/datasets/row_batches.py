"""Batches of rows that are packed already: rows of like length together, each batch cut to its longest row."""

import functools
import importlib.util
import operator
import threading

import keras
import numpy as np

from keras_richctx.datasets.passes import numbered_steps

GROUP = 50  # batches, among which rows are sorted by length


def row_batches(inputs, targets, batch_size=32, shuffle=True, seed=0, pad_to_multiple=16):
    """Makes batches of packed rows to fine-tune on, for `fit`.

    Rows come in random order; of each 50 batches the rows are sorted by length, so that there are few pads, and the batches then shuffled. Every row occurs
    once in a pass, and the order is a function of `seed` and of the number of the pass alone.

    Args:
        inputs: dict of arrays `(N, T)`, such as `pack_pairs` and `pack_windows` give, among them `padding_mask`, boolean; pads stand at the end of each row.
            Integers of any size are given as int32.
        targets: array of N labels, or of N rows of them.
        batch_size: int, B; the last batch of a pass may hold fewer. Defaults to `32`.
        shuffle: bool. With `False` each pass has the same batches, from the shortest rows to the longest. Defaults to `True`.
        seed: int. Defaults to `0`.
        pad_to_multiple: int, of which the length of a batch is a multiple, unless that is more than T: XLA compiles a program for each. Defaults to `16`.

    Returns:
        A `tf.data.Dataset` of `(inputs, targets)`, of known cardinality, whose passes are numbered as those of `numbered_steps`: a run that was stopped goes on
        at its very step. Where TensorFlow is not installed, a `keras.utils.PyDataset` of the same batches, with which it goes on at the start of its epoch.

    Raises:
        ValueError: if there are no rows, or an argument is out of its range.

    Example:
        >>> mask = np.arange(32) < np.array([[3], [20], [5]])
        >>> batches = row_batches({"token_ids": np.where(mask, 7, 0), "padding_mask": mask}, np.array([0, 1, 0]), batch_size=2, shuffle=False)
        >>> [(x["token_ids"].shape, y.numpy().tolist()) for x, y in batches]
        [(TensorShape([2, 16]), [0, 0]), (TensorShape([1, 32]), [1])]
    """
    for name, value in (("batch_size", batch_size), ("pad_to_multiple", pad_to_multiple)):
        if operator.index(value) < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    if not len(targets) or len(targets) != len(inputs["padding_mask"]):
        raise ValueError(f"Each row has its target, and there is one at least. Received: {len(inputs['padding_mask'])} rows and {len(targets)} targets")
    rows = _Rows(inputs, targets, batch_size, shuffle, operator.index(seed), pad_to_multiple)
    if importlib.util.find_spec("tensorflow") is None:
        return _PythonBatches(rows)
    import tensorflow as tf

    names = list(inputs)
    kinds = [tf.as_dtype(rows.inputs[name].dtype if rows.inputs[name].dtype == bool else "int32") for name in names]
    target_kind = tf.as_dtype(rows.targets.dtype)

    def make_batch(step):
        *arrays, labels = tf.numpy_function(lambda step: rows.flat(names, int(step)), [step], [*kinds, target_kind], stateful=False)
        x = {name: tf.ensure_shape(array, (None, None)) for name, array in zip(names, arrays)}
        return x, tf.ensure_shape(labels, (None, *rows.targets.shape[1:]))

    return numbered_steps(make_batch, rows.steps)


class _Rows:
    """The rows, and which of them are in a batch."""

    def __init__(self, inputs, targets, batch_size, shuffle, seed, multiple):
        self.inputs, self.targets = {name: np.asarray(array) for name, array in inputs.items()}, np.asarray(targets)
        self.lengths = self.inputs["padding_mask"].sum(axis=1)
        self.steps, self.multiple = -(-len(self.targets) // batch_size), multiple
        self.lock = threading.Lock()  # batches are made by several threads

        @functools.lru_cache(maxsize=2)
        def plan(number):
            if not shuffle:
                order = np.argsort(self.lengths, kind="stable")
                return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
            rng = np.random.default_rng((seed, number))
            order, group = rng.permutation(len(self.targets)), GROUP * batch_size
            groups = [order[start : start + group] for start in range(0, len(order), group)]
            order = np.concatenate([rows[np.argsort(self.lengths[rows], kind="stable")] for rows in groups])
            return [order[i * batch_size : (i + 1) * batch_size] for i in rng.permutation(self.steps)]

        self.plan = plan

    def batch(self, step):
        """Returns the inputs, a dict, and the targets of a batch, by its number, counted over all passes."""
        number, i = divmod(step, self.steps)
        with self.lock:
            rows = self.plan(number)[i]
        width = -(-int(self.lengths[rows].max()) // self.multiple) * self.multiple
        arrays = {name: array[rows, :width] for name, array in self.inputs.items()}
        return {name: array if array.dtype == bool else array.astype("int32") for name, array in arrays.items()}, self.targets[rows]

    def flat(self, names, step):
        """Returns the arrays of a batch, the inputs in the order of `names`, then the targets."""
        inputs, targets = self.batch(step)
        return *(inputs[name] for name in names), targets


class _PythonBatches(keras.utils.PyDataset):
    """The batches without TensorFlow."""

    def __init__(self, rows):
        super().__init__()
        self.rows, self.number = rows, 0

    @property
    def num_batches(self):
        return self.rows.steps

    def __len__(self):
        return self.rows.steps

    def __getitem__(self, index):
        return self.rows.batch(self.number * self.rows.steps + index)

    def on_epoch_end(self):
        """Goes on to the next pass."""
        self.number += 1
