"""The callback that saves a run as it goes on."""

import time
import warnings

import keras
import numpy as np

from keras_richctx.training.model_state import capture, named_metric_variables, named_variables
from keras_richctx.training.position import Position


class Checkpoint(keras.callbacks.Callback):
    """Saves the whole state of a run at each epoch's end, at times within an epoch, and when the run is interrupted.

    It looks between steps, where the state is that of a whole number of steps, and comes last in the list of callbacks, so that a save holds what the others
    have done. A save that fails (a full disk, weights that are no longer finite) is warned of, leaves the last good checkpoint and is tried again when the next
    one is due.

    Args:
        store: a `CheckpointStore`.
        source: the run's `DataSource`.
        run_state: the run's `RunState`.
        interruption: the run's `Interruption`.
        seed: integer, the seed of the order of the data, kept for a later run.
        start: the `Position` that the run starts at.
        saved_state: `(arrays, record)` of `RunState.capture`, to put back when training begins, or `None`.
        every_seconds: number, time between saves within an epoch, or `None` for none.
        every_steps: integer, steps between saves within an epoch, or `None` for none.
        say: function that shows a line of text.
        workers: the run's `Workers`. A save is made when it is due for one of them; the chief writes it.

    Raises:
        OSError: when training ends, if the last save failed for the disk.
        FloatingPointError: when training ends, if the last save failed for the weights.
    """

    def __init__(self, store, source, run_state, interruption, seed, start, saved_state=None, every_seconds=None, every_steps=None, say=print, workers=None):
        super().__init__()
        self.store = store
        self.source = source
        self.run_state = run_state
        self.interruption = interruption
        self.seed = seed
        self.start = start
        self.saved_state = saved_state
        self.every_seconds = every_seconds
        self.every_steps = every_steps
        self.say = say
        self.workers = workers
        self.failure = None
        self.saved = None if saved_state is None else start
        self._tried, self._tried_at = start, time.monotonic()

    def on_train_begin(self, logs=None):
        if self.saved_state is not None:
            self.run_state.restore(*self.saved_state)
        self._tried_at = time.monotonic()

    def on_epoch_begin(self, epoch, logs=None):
        self._now = self._epoch_start = Position(epoch, self.start.step if epoch == self.start.epoch else 0)
        self._run = self.run_state.capture()  # of the whole epochs before, which is what a save within this one holds

    def on_train_batch_begin(self, batch, logs=None):
        self._now = Position(self._epoch_start.epoch, self._epoch_start.step + batch)
        if self._now.step == self.source.steps:
            return  # Keras asks once more where only reading tells that the data is at its end
        if self._any(self.interruption.signal is not None):
            self._stop()
        elif self._any(self._is_due()):
            self._save()

    def on_epoch_end(self, epoch, logs=None):
        begun = self._now.step + self.model.steps_per_execution
        if self.source.exact and begun < self.source.steps:  # another callback has stopped training within the epoch
            self._now = Position(epoch, begun)
        else:
            self._now, self._run = Position(epoch + 1), self.run_state.capture()
        self._save(metrics=False)
        if self._any(self.interruption.signal is not None):
            self._stop()

    def on_train_end(self, logs=None):
        if self.failure is not None:
            self.failure.add_note("Training is done: the model in memory holds its result. Save it elsewhere, as with model.save(path).")
            raise self.failure

    def _any(self, flag):
        return flag if self.workers is None else self.workers.any(flag)

    def _is_due(self):
        if self._now == self._tried:
            return False
        steps = self._now.step - (self._tried.step if self._tried.epoch == self._now.epoch else 0)
        seconds = time.monotonic() - self._tried_at
        return (self.every_steps is not None and steps >= self.every_steps) or (self.every_seconds is not None and seconds >= self.every_seconds)

    def _save(self, metrics=True):
        """Writes the state at the position that the run is at; `metrics` are the running sums of an epoch that is not over."""
        variables = named_variables(self.model)
        arrays = capture(variables)
        run_arrays, run_record = self._run
        record = {"epoch": self._now.epoch, "step": self._now.step, "seed": self.seed, "data": self.source.describe(), "run": run_record}
        try:
            for name, variable in variables.items():
                if variable.trainable and not np.isfinite(arrays[name]).all():
                    raise FloatingPointError(
                        f"The weights are no longer finite at {self._now} (first in {variable.path}): lower the learning rate, or clip the gradients."
                    )
            arrays |= run_arrays | (capture(named_metric_variables(self.model)) if metrics else {})  # by all: what they hold is a sum over the workers
            if self.workers is None or self.workers.is_chief:
                self.store.write(arrays, record)
        except (OSError, FloatingPointError) as failure:
            self.failure = failure
            last = f"The last good checkpoint is that of {self.saved}." if self.saved else "There is no checkpoint yet."
            goes_on = " Training goes on; the next save is tried when it is due." if self.interruption.signal is None else ""
            warnings.warn(f"{failure} {last}{goes_on}", RuntimeWarning, stacklevel=2)
        else:
            self.failure, self.saved = None, self._now
        self._tried, self._tried_at = self._now, time.monotonic()

    def _stop(self):
        if self.saved != self._now:
            self._save()
        if self.failure is None:
            goes_on = "from there" if self.source.exact or not self._now.step else "with its weights, at the start of its epoch"
            message = f"Stopped at {self._now}; the checkpoint is in {str(self.store.directory)!r}. Started again in the same way, the run goes on {goes_on}."
        else:
            message = f"Stopped at {self._now}, which could not be saved."
        self.say(message)
        self.interruption.stop(message)
