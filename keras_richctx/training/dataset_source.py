"""A `tf.data.Dataset`, read from any step on."""

from keras_richctx.training.data_source import DataSource
from keras_richctx.training.short_epoch import ShortEpoch


class DatasetSource(DataSource):
    """A `tf.data.Dataset` that is read pass after pass, and from any step on.

    The dataset is repeated without end, an epoch is `steps` batches of that stream, and a run goes on at step $n$ by skipping the first $n$ batches. That
    gives the batches which an uninterrupted run would have seen if the dataset, under `.repeat()`, is a function of its seeds and of the number of the
    pass alone. The skipped batches are computed and thrown away, so a late start costs the time in which the pipeline alone makes them.

    Where the model runs several steps in one execution (`steps_per_execution` of `keras.Model.compile`), an epoch is rounded up to whole executions; the next
    epoch goes on with the batch after.

    Args:
        dataset: a `tf.data.Dataset` of batches, of known finite size, or endless if `steps` is given.
        steps: integer, batches of an epoch, or `None` for all that the dataset has.
        batch_size: integer, or `None` where unknown.
        steps_per_execution: integer, that of the model. Defaults to `1`.
        **beside: what `keras.Model.fit` takes beside a dataset: `class_weight`.

    Raises:
        ValueError: if the dataset is endless or empty and no `steps` are given.
    """

    exact = True

    def __init__(self, dataset, steps=None, batch_size=None, steps_per_execution=1, **beside):
        if steps is None:
            steps = int(dataset.cardinality())
        if steps == -1:
            raise ValueError("An endless dataset needs a length of epoch. Received: steps_per_epoch=None. Pass it, or a dataset without .repeat().")
        if steps <= 0:
            raise ValueError(f"There is nothing to train on: an epoch must hold at least one batch. Received: {steps} batches.")
        super().__init__(dataset, steps=-(-steps // steps_per_execution) * steps_per_execution, batch_size=batch_size, shuffle=False, **beside)
        self.steps_per_execution = steps_per_execution

    def arguments(self, start):
        stream = self.data.repeat().skip(start.epoch * self.steps + start.step)
        return {**super().arguments(start), "x": stream, "batch_size": None, "steps_per_epoch": self.steps}

    def callbacks(self, start):
        return [ShortEpoch(self.steps - start.step, self.steps_per_execution)] if start.step else []

    def batch_spec(self):
        return self.data.element_spec
