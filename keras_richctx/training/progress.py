"""How far a run has come: a bar where one can be drawn, and lines elsewhere."""

import contextlib
import math
import time

import keras
import rich.console
import rich.progress
import rich.text

from keras_richctx.training.position import BEGINNING


def show_line(console, text):
    """Shows a line of text on a `rich.console.Console`, above the bar if there is one, and never wrapped or coloured."""
    if console.is_jupyter and not console.quiet:
        print(text)  # one stream of text; rich would make a box of each line
    else:
        console.print(text, markup=False, highlight=False, soft_wrap=True)


class Progress(keras.callbacks.Callback, contextlib.AbstractContextManager):
    """Shows the epoch, the step, the loss, the metrics and the time left of a run, and leaves one line for each epoch.

    On a terminal and in a notebook that is a bar, drawn anew at most five times a second; anywhere else (a file, a pipe) a line at most every 30 seconds.
    Metrics are fetched only to be drawn, so a device is not held up at each step. Used as a context manager, which removes the bar in whatever way training
    ends.

    The time left is that of the whole run at the speed of this session since its first step, validations included; early stopping is not foreseen. Where the
    clock ends the run, it is what the clock says, and the number of epochs is not told, as it is not known.

    Args:
        epochs: integer, the total number of epochs.
        start: the `Position` that the run starts at. Defaults to its beginning.
        console: a `rich.console.Console`. Defaults to one on the standard output.
        seconds_left: function that gives the time left of a run that the clock ends, such as that of `TimeLimit`, or `None`. Defaults to `None`.

    Example:
        >>> with Progress(epochs=2, console=rich.console.Console(force_terminal=False)) as progress:
        ...     progress.on_epoch_begin(0)
        ...     progress.on_epoch_end(0, {"loss": 0.25})
        epoch 1/2  0:00  loss 0.25
    """

    def __init__(self, epochs, start=BEGINNING, console=None, seconds_left=None):
        super().__init__()
        self.epochs = epochs
        self.start = start
        self.console = console or rich.console.Console()
        self.seconds_left = seconds_left
        self._bar = _Bar(self.console) if self.console.is_jupyter or self.console.is_interactive else None
        self._interval = 30.0 if self._bar is None else 0.2
        self._drawn_at = time.monotonic() if self._bar is None else -math.inf  # a bar shows at once that something is done
        self._first_step_at = None
        self._executions = 0  # begun in this session

    def __exit__(self, *exception):
        if self._bar is not None:
            self._bar.close()

    def on_epoch_begin(self, epoch, logs=None):
        self._name = f"epoch {epoch + 1}" if self.seconds_left else f"epoch {epoch + 1}/{self.epochs}"
        self._before = self.start.step if epoch == self.start.epoch else 0
        self._epochs_left = self.epochs - epoch - 1
        self._began_at = time.monotonic()

    def on_train_batch_begin(self, batch, logs=None):
        self._executions += 1
        if self._executions == 2:
            self._first_step_at = time.monotonic()
        if self._is_due():
            numbers = _numbers(self.model.get_metrics_result()) if batch else ""
            self._draw("step", self._before + batch, self.params["steps"], numbers, self._time_left(self._before + batch))

    def on_test_batch_begin(self, batch, logs=None):
        if self._is_due():
            self._draw("validation step", batch)

    def on_epoch_end(self, epoch, logs=None):
        show_line(self.console, f"{self._name}  {_clock(time.monotonic() - self._began_at)}  {_numbers(logs or {})}")

    def _is_due(self):
        return time.monotonic() - self._drawn_at >= self._interval

    def _draw(self, unit, done, total=None, numbers="", left=""):
        self._drawn_at = time.monotonic()
        if self._bar is None:
            count = f"{done}/{total}" if total else str(done)
            show_line(self.console, "  ".join(part for part in (self._name, f"{unit} {count}", numbers, left) if part))
        else:
            self._bar.draw(f"{self._name}  {unit}", done, total, f"{numbers}  {left}")

    def _time_left(self, step):
        """The time to the end of the run as text, or nothing while it cannot be known."""
        if self.seconds_left:
            return f"{_clock(self.seconds_left())} left"
        timed = (self._executions - 2) * self.model.steps_per_execution  # the first step, which compiles, does not count
        if timed <= 0 or not self.params["steps"]:
            return ""
        steps_left = self._epochs_left * self.params["steps"] + self.params["steps"] - step
        return f"{_clock(steps_left * (time.monotonic() - self._first_step_at) / timed)} left"


class _Bar:
    """One line that is drawn again and again, on a terminal or in a notebook."""

    def __init__(self, console):
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.MofNCompleteColumn(),
            rich.progress.BarColumn(bar_width=20),
            rich.progress.TextColumn("{task.fields[text]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._bar.add_task("", text="")
        (self._task,) = self._bar.tasks
        self._in_notebook = console.is_jupyter
        self._handle = None

    def draw(self, description, done, total, text):
        self._task.total = total  # update takes None for no change
        self._bar.update(self._task.id, description=description, completed=done, text=text)
        if not self._in_notebook:
            self._bar.start()
            self._bar.refresh()
        elif self._handle is None:
            from IPython.display import display

            self._handle = display(self._bar, display_id=True)
        else:
            self._handle.update(self._bar)

    def close(self):
        if not self._in_notebook:
            self._bar.stop()
        elif self._handle is not None:
            self._handle.update(rich.text.Text(""))


def _numbers(logs):
    """`loss 1.234  accuracy 0.5`, for a dict of numbers; what is not one number is left out."""
    return "  ".join(f"{name} {float(value):.4g}" for name, value in logs.items() if getattr(value, "ndim", 0) == 0)


def _clock(seconds):
    """`2:05`, or `1:02:05` from an hour on."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
