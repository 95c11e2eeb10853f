"""The callback that puts a model back into the state of a checkpoint."""

import warnings

import keras

from keras_richctx.training.model_state import build_by_tracing, difference, named_metric_variables, named_variables, restore
from keras_richctx.training.position import Position


class Resume(keras.callbacks.Callback):
    """Puts the weights, the seed generators, the optimizer and the averages of a begun epoch back when training begins.

    Nothing is assigned before everything has been compared, so a checkpoint of another model changes nothing.

    Args:
        arrays: dict of NumPy arrays, as read from a `CheckpointStore`.
        start: the `Position` to go on from.
        source: the run's `DataSource`.
        directory: path of the checkpoint, for messages.

    Raises:
        ValueError: when training begins, if the checkpoint is of another model or optimizer, or if the model has no variables yet and the data does not show
            what a batch looks like.
    """

    def __init__(self, arrays, start, source, directory):
        super().__init__()
        self.saved = {name: array for name, array in arrays.items() if name.startswith(("model/", "optimizer/"))}
        self.saved_metrics = {name: array for name, array in arrays.items() if name.startswith("metrics/")}
        self.start = start
        self.source = source
        self.directory = directory

    def on_train_begin(self, logs=None):
        self._build()
        if (found := difference(named_variables(self.model), self.saved)) is not None:
            raise ValueError(
                f"The checkpoint is of another model or optimizer: {found}. Received: checkpoint_dir={str(self.directory)!r}. Build and compile the model "
                "as it was, or keep the runs apart with another checkpoint_dir; resume=False starts anew and replaces the checkpoint."
            )
        restore(named_variables(self.model), self.saved)

    def on_epoch_begin(self, epoch, logs=None):
        if epoch != self.start.epoch or self.start.step == 0:
            return
        metrics = named_metric_variables(self.model)
        if difference(metrics, self.saved_metrics) is None:
            restore(metrics, self.saved_metrics)
        else:
            warnings.warn(
                f"The averages of epoch {epoch + 1} are over its steps from {self.start.step} on: the checkpoint has none for the metrics of this model.",
                stacklevel=2,
            )

    def _build(self):
        """Makes what Keras would make in the first step, if anything that the checkpoint holds is not there yet."""
        if not self.model.optimizer.built and self.model.built:
            self.model.optimizer.build(self.model.trainable_variables)
        there = named_variables(self.model) | (named_metric_variables(self.model) if self.saved_metrics else {})
        if keras.backend.backend() != "tensorflow" or difference(there, self.saved | self.saved_metrics) is None:
            return
        spec = self.source.batch_spec()
        if spec is not None:
            build_by_tracing(self.model, spec)
        elif not self.model.built:
            raise ValueError(
                "A model without variables cannot take those of a checkpoint. Received: data that shows no batch without using it up. "
                "Call the model on a batch before fit."
            )


def starting_position(record, source, say):
    """Returns the `Position` from which a run goes on after the checkpoint of `record`.

    Within an epoch that is the very step, if the data can be read from there; an epoch is started over if it cannot, or if the data has changed.
    """
    saved = Position(record["epoch"], record["step"])
    over = Position(saved.epoch)
    if record["data"] != source.describe():
        warnings.warn(
            f"The data is not that of the checkpoint: it was {record['data']}, it is {source.describe()}. "
            f"Training goes on at the start of epoch {over.epoch + 1}.",
            stacklevel=2,
        )
        return over
    if saved.step and not source.exact:
        say(f"Epoch {saved.epoch + 1} is started over, with the weights of its step {saved.step}: this data is read from an epoch's start only.")
        return over
    return saved
