"""What `fit` does differently where a model lies on several devices."""

import contextlib

import keras

from keras_richctx.training.after_steps import is_called_after_steps, metrics_of_epochs
from keras_richctx.training.changed import changed
from keras_richctx.training.dataset_source import DatasetSource
from keras_richctx.training.distributed_step import DistributedStep, are_gpus
from keras_richctx.training.open_source import open_source
from keras_richctx.training.replica_batches import replica_batches
from keras_richctx.training.wide_integers import widen


def is_distributed(model):
    """Whether a model was made under a strategy of `tf.distribute` with more than one replica, or more than one machine."""
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    several = (tf.distribute.MultiWorkerMirroredStrategy, tf.distribute.TPUStrategy)
    return model.distribute_strategy.num_replicas_in_sync > 1 or isinstance(model.distribute_strategy, several)


class Distribution(contextlib.AbstractContextManager):
    """Trains a model on the devices of its strategy: within the block, `keras.Model.fit` and `evaluate` take the steps of `DistributedStep`.

    Args:
        model: a compiled `keras.Model`, made within the scope of its strategy.
        source: a `DatasetSource`.
        callbacks: list of `keras.callbacks.Callback`; the metrics are read after each step if one of them is called then.

    Raises:
        ValueError: if the data is of another kind, a batch has fewer rows than there are replicas, or the model cannot be trained on several devices.
    """

    def __init__(self, model, source, callbacks=()):
        self.model = model
        self.strategy = model.distribute_strategy
        self.replicas = self.strategy.num_replicas_in_sync
        if not isinstance(source, DatasetSource):
            raise ValueError(
                f"On several devices, data is a tf.data.Dataset of known size (or with steps_per_epoch), or arrays. Received: {type(source.data).__name__}. "
                "tf.data.Dataset.from_generator makes one of a generator."
            )
        self.batch_size = source.batch_size or _rows_of_a_batch(source.data)
        if self.batch_size < self.replicas:
            raise ValueError(f"A batch has at least one example for each of the {self.replicas} devices. Received: batches of {self.batch_size}.")
        with self.strategy.scope():
            model._symbolic_build(data_batch=next(iter(source.data)))  # makes all variables, which may not be made within a step
        self._step = DistributedStep(model, wants_logs=any(map(is_called_after_steps, callbacks)))

    def __enter__(self):
        self.model.train_function = self._step.train_function()
        self.model.test_function = self._step.test_function()
        self._changed = contextlib.ExitStack()
        # all is built; Keras would take a batch to find that out
        self._changed.enter_context(changed(self.model, _maybe_symbolic_build=lambda **given: None, make_train_function=self._make_train_function))
        self._changed.enter_context(metrics_of_epochs(self.model))
        return self

    def _make_train_function(self, force=False):
        if force:
            self.model.train_function = self._step.train_function(anew=True)

    def __exit__(self, *exception):
        self.model.train_function = self.model.test_function = None
        self._step.close()
        self._changed.close()

    def training(self, arguments):
        """Returns the arguments of `keras.Model.fit` for a stream of batches with that stream dealt out."""
        return {**arguments, "x": self._deal(arguments["x"], self.batch_size)}

    def validation(self, data, batch_size, steps):
        """Returns validation data dealt out, and its number of steps."""
        if data is None:
            return None, steps
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data) if isinstance(data, tuple) else (data, None, None)
        source = validation_source(x, y, sample_weight, batch_size or self.batch_size, steps)
        per_execution = self.model.steps_per_execution
        if source.steps % per_execution:
            raise ValueError(f"Validation takes whole executions of {per_execution} steps. Received: {source.steps} batches.")
        return self._deal(source.data, source.batch_size or _rows_of_a_batch(source.data)), source.steps

    def _deal(self, dataset, batch_size):
        import tensorflow as tf

        def of_worker(context):
            count = self.replicas // context.num_input_pipelines
            parts = replica_batches(dataset, batch_size, self.replicas, context.input_pipeline_id * count, count)
            return parts.map(widen) if are_gpus(self.strategy.extended.worker_devices) else parts

        options = tf.distribute.InputOptions(experimental_fetch_to_device=not self._step.reads_ahead)
        return self.strategy.distribute_datasets_from_function(of_worker, options)


def validation_source(x, y, sample_weight, batch_size, steps):
    """Returns the `DatasetSource` of validation data, in its own order, and not repeated."""
    is_dataset = hasattr(x, "cardinality")
    source = open_source(x, None if is_dataset else batch_size, steps, shuffle=False, y=y, sample_weight=sample_weight)
    if not isinstance(source, DatasetSource):
        raise ValueError(f"On several devices, validation data is a tf.data.Dataset of known size, or arrays. Received: {type(x).__name__}.")
    source.data = source.data.take(source.steps)
    return source


def _rows_of_a_batch(dataset):
    """The number of rows of the batches of a dataset: what its shape says, or the more of its first two batches, one of which may be a short one."""
    first = keras.tree.flatten(dataset.element_spec)[0].shape[0]
    return first if first is not None else max(int(keras.tree.flatten(batch)[0].shape[0]) for batch in dataset.take(2))
