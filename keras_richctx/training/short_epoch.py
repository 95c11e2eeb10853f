"""A first epoch of fewer steps than the others."""

import keras

_CUT = object()


class ShortEpoch(keras.callbacks.Callback):
    """Ends the first epoch after `steps` steps; the epochs after it have their full length.

    `keras.Model.fit` leaves an epoch, before validation, once `model.stop_training` is true, and asks it again at the epoch's end. A mark of our own is
    set for the first question and taken back before the second; a `True` of any other callback is left as it is.

    Args:
        steps: integer, steps that the first epoch still has.
        steps_per_execution: integer, that of the model. Defaults to `1`.
    """

    def __init__(self, steps, steps_per_execution=1):
        super().__init__()
        self.last_step = steps - steps_per_execution
        self._first = True

    def on_train_batch_begin(self, batch, logs=None):
        if self._first and batch >= self.last_step and not self.model.stop_training:
            self.model.stop_training = _CUT

    def on_epoch_end(self, epoch, logs=None):
        self._first = False
        if self.model.stop_training is _CUT:
            self.model.stop_training = False
