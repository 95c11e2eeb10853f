"""What goes between `NTASGD` and the loop that trains: checks, and the averaged weights wherever weights are looked at."""

import keras

from keras_richctx.training.ntasgd import NTASGD


class NonMonotonicTrigger(keras.callbacks.Callback):
    """Tells an `NTASGD` optimizer the validation loss of each epoch, and puts its averaged weights into the model wherever these are judged or saved.

    Once the optimizer averages, validation is of the averaged weights, and so is what callbacks that stand after this one find in the model at an epoch's end:
    `keras.callbacks.ModelCheckpoint`, `keras.callbacks.EarlyStopping`, the checkpoint of `keras_richctx.training.fit`. Training goes on from the weights that
    it had reached.

    Args:
        monitor: string, the entry of the logs that is the validation loss. Defaults to `"val_loss"`.

    Raises:
        TypeError: when training begins, if the optimizer is not an `NTASGD`.
        ValueError: at an epoch's end, if the logs have no such entry.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> model.compile(NTASGD(0.1, interval=1), "mse")
        >>> x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
        >>> history = model.fit(x, y, epochs=3, validation_data=(x, y), callbacks=[NonMonotonicTrigger()], verbose=0)
        >>> model.optimizer.is_averaging()  # the loss still falls
        False

    References:
        [Merity et al., 2018](https://arxiv.org/abs/1708.02182), algorithm 1.
    """

    def __init__(self, monitor="val_loss"):
        super().__init__()
        self.monitor = monitor

    def on_train_begin(self, logs=None):
        optimizer = self.model.optimizer
        self._optimizer = optimizer.inner_optimizer if isinstance(optimizer, keras.optimizers.LossScaleOptimizer) else optimizer
        if not isinstance(self._optimizer, NTASGD):
            raise TypeError(f"NonMonotonicTrigger is for a model compiled with krc.training.NTASGD. Received: optimizer={self._optimizer!r}")

    def on_epoch_begin(self, epoch, logs=None):
        self._optimizer.hide_average()

    def on_test_begin(self, logs=None):
        self._optimizer.show_average()

    def on_test_end(self, logs=None):
        self._optimizer.hide_average()

    def on_epoch_end(self, epoch, logs=None):
        if self.monitor not in logs:
            raise ValueError(f"There is nothing to check. Received: monitor={self.monitor!r}, and logs of {sorted(logs)}. Pass validation data to fit.")
        self._optimizer.check(logs[self.monitor])
        self._optimizer.show_average()
