"""Training that ends on time, with the learning rate at zero."""

import math
from time import monotonic

import keras

RATES = 1000  # how often the rate is set, at most, where each step does not ask for its own


class TimeLimit(keras.callbacks.Callback):
    r"""Ends training after a time on the clock, and lowers the learning rate to zero until then.

    $$\eta(t) = \eta_0\, \frac{1 + \cos(\pi t / T)}{2}$$

    where $t$ is the time since training began and $T$ the limit. What a step costs need not be known: a machine that slows down makes fewer steps of them, and
    the rate is at zero in time all the same. Reading data, validation and checkpoints count; a validation that begins at the end comes on top.

    The rate itself says how much of the time is spent, so a run that was cut short and goes on from a checkpoint has the time that the checkpoint left it.
    Where the number of steps is known beforehand, a schedule of Keras does the same, and the same again the next time.

    Args:
        seconds: number, T.
        learning_rate: float, $\eta_0$, as in the optimizer, which must have a number for it and no schedule.
        warmup_steps: integer, the first steps of the optimizer, in which the rate is only a part of that: $1 / w, 2 / w, \dots$ Defaults to `0`.

    Raises:
        ValueError: if a number is not positive.
        TypeError: when training begins, from Keras, if the optimizer has a schedule.

    Example:
        >>> model = keras.Sequential([keras.layers.Dense(1)])
        >>> model.compile(keras.optimizers.SGD(0.1), "mse")
        >>> x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
        >>> history = krc.training.fit(model, x, y, epochs=1000, callbacks=[TimeLimit(0.5, 0.1)], progress=False)
        >>> len(history.epoch) < 1000, float(model.optimizer.learning_rate)
        (True, 0.0)
    """

    reads_metrics_of_steps = False

    def __init__(self, seconds, learning_rate, warmup_steps=0):
        super().__init__()
        for name, value in (("seconds", seconds), ("learning_rate", learning_rate)):
            if not 0 < value < math.inf:
                raise ValueError(f"{name} must be a positive number. Received: {name}={value!r}")
        self.seconds = seconds
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self._end = None

    def seconds_left(self):
        """Returns how much time is left, zero at least; all of it before training begins."""
        return self.seconds if self._end is None else max(0.0, self._end - monotonic())

    def on_train_begin(self, logs=None):
        rate = float(keras.ops.convert_to_numpy(self.model.optimizer.learning_rate))
        step = int(keras.ops.convert_to_numpy(self.model.optimizer.iterations))
        if 0 < step <= self.warmup_steps:
            rate /= step / self.warmup_steps  # the rate that the checkpoint has is that of its last step
        # t / T = arccos(2 eta / eta_0 - 1) / pi
        spent = math.acos(min(max(2 * rate / self.learning_rate - 1, -1.0), 1.0)) / math.pi
        self._end = monotonic() + (1 - spent) * self.seconds
        self._is_warm, self._due = not self.warmup_steps, -math.inf

    def on_train_batch_begin(self, batch, logs=None):
        now = monotonic()
        if self._is_warm and now < self._due:
            return  # a GPU that is given a number at each step waits for it at each
        self._due = now + self.seconds / RATES
        # eta = eta_0 (1 + cos(pi t / T)) / 2
        rate = self.learning_rate * (1 + math.cos(math.pi * (1 - self.seconds_left() / self.seconds))) / 2
        if not self._is_warm:
            step = int(keras.ops.convert_to_numpy(self.model.optimizer.iterations)) + 1
            self._is_warm = step >= self.warmup_steps
            rate *= min(1.0, step / self.warmup_steps)
        self.model.optimizer.learning_rate = rate

    def on_train_batch_end(self, batch, logs=None):
        if self.seconds_left() == 0:
            self.model.optimizer.learning_rate = 0.0  # for a checkpoint to say that no time is left
            self.model.stop_training = True
