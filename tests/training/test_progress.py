"""What a reader sees of a run, on a terminal, in a notebook and in a file."""

import io
import re
import time

import keras
import pytest
import rich.console

from keras_richctx.training import fit
from keras_richctx.training.position import BEGINNING, Position
from keras_richctx.training.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""

    class Clock:
        now = 1000.0

    monkeypatch.setattr(time, "monotonic", lambda: Clock.now)
    return Clock


class Model:
    """As much of a `keras.Model` as a progress bar asks."""

    steps_per_execution = 1

    def get_metrics_result(self):
        return {"loss": 0.123456, "[accuracy]": 1}


def show(progress, clock, epochs, steps, seconds_a_step, validation_steps=0, first=BEGINNING):
    """Plays a run to `progress`."""
    progress.set_model(Model())
    progress.set_params({"steps": steps})
    with progress:
        for epoch in range(first.epoch, epochs):
            progress.on_epoch_begin(epoch)
            for step in range(steps - (first.step if epoch == first.epoch else 0)):
                progress.on_train_batch_begin(step)
                clock.now += seconds_a_step
            for step in range(validation_steps):
                progress.on_test_batch_begin(step)
                clock.now += seconds_a_step
            progress.on_epoch_end(epoch, {"loss": 0.5, "val_loss": 2e-7})


def test_in_a_file_it_is_one_line_an_epoch_and_one_every_half_minute(clock):
    out = io.StringIO()
    show(Progress(2, console=rich.console.Console(file=out, width=40)), clock, epochs=2, steps=4, seconds_a_step=20, validation_steps=1)
    assert out.getvalue().splitlines() == [
        "epoch 1/2  step 2/4  loss 0.1235  [accuracy] 1  2:00 left",
        "epoch 1/2  validation step 0",
        "epoch 1/2  1:40  loss 0.5  val_loss 2e-07",
        "epoch 2/2  step 1/4  loss 0.1235  [accuracy] 1  1:15 left",  # five intervals in 100 s, the validation's among them
        "epoch 2/2  step 3/4  loss 0.1235  [accuracy] 1  0:23 left",
        "epoch 2/2  1:40  loss 0.5  val_loss 2e-07",
    ]


def test_a_resumed_epoch_counts_from_where_it_was(clock):
    out = io.StringIO()
    first = Position(epoch=1, step=2)
    show(Progress(3, first, rich.console.Console(file=out, width=40)), clock, epochs=3, steps=4, seconds_a_step=3600, first=first)
    assert out.getvalue().splitlines()[:2] == ["epoch 2/3  step 3/4  loss 0.1235  [accuracy] 1", "epoch 2/3  2:00:00  loss 0.5  val_loss 2e-07"]


def test_on_a_terminal_it_is_a_bar_that_is_gone_at_the_end(clock):
    out = io.StringIO()
    show(Progress(2, console=rich.console.Console(file=out, width=100, force_terminal=True, color_system=None)), clock, 2, 3, 1.0, validation_steps=2)
    shown = out.getvalue()
    assert re.search(r"epoch 1/2  step 2/3 ━+.* loss 0\.1235  \[accuracy\] 1  0:\d\d left", shown)
    assert "epoch 1/2  validation step 1/?" in shown
    left = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.rsplit("\x1b[2K", 1)[1])
    assert "━" not in left  # the last thing that is done is to erase the bar
    assert shown.count("epoch 2/2  0:05  loss 0.5") == 1


def test_the_bar_is_removed_when_training_fails(make_model, arrays, crash, monkeypatch):
    out, real = io.StringIO(), rich.console.Console
    monkeypatch.setattr(rich.console, "Console", lambda quiet: real(file=out, force_terminal=True, color_system=None))
    monkeypatch.setattr(time, "monotonic", iter(range(10**6)).__next__)  # a second between any two looks, so that every step is drawn
    with pytest.raises(RuntimeError, match="crash"):
        fit(make_model(), *arrays, batch_size=4, callbacks=[crash(3)])
    assert "epoch 1/1  step 2/5" in out.getvalue()
    assert "\x1b[?25h" in out.getvalue().rsplit("━", 1)[1]  # the cursor is shown again


def test_in_a_notebook_one_output_is_drawn_again_and_again(clock, monkeypatch, capsys):
    pytest.importorskip("IPython")
    shown = []

    class Handle:
        update = staticmethod(lambda drawing: shown.append(re.sub("<.*?>", "", drawing._repr_mimebundle_([], [])["text/html"])))

    def display(drawing, display_id):
        Handle.update(drawing)
        return Handle

    monkeypatch.setattr("IPython.display.display", display)
    console = rich.console.Console(force_jupyter=True, width=100)
    show(Progress(1, console=console), clock, epochs=1, steps=3, seconds_a_step=1.0)
    assert len(shown) == 4  # before each step, and the empty one that is left
    assert re.search(r"epoch 1/1  step 2/3 ━+ +loss 0\.1235  \[accuracy\] 1  0:01 left", shown[2])
    assert "step" not in shown[3]
    assert capsys.readouterr().out == "epoch 1/1  0:03  loss 0.5  val_loss 2e-07\n"


def test_without_progress_nothing_is_shown(make_model, arrays, tmp_path, capfd):
    for epochs in (1, 2):
        fit(make_model(), *arrays, epochs=epochs, validation_data=arrays, checkpoint_dir=tmp_path, progress=False)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "epoch" not in shown.err


def test_what_a_callback_adds_to_the_logs_is_shown_and_kept(make_model, arrays, capsys):
    class Score(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            logs["bleu"] = 12.5

    history = fit(make_model(), *arrays, callbacks=[Score()])
    assert history.history["bleu"] == [12.5]
    assert re.search(r"epoch 1/1  0:\d\d  loss [\d.]+  mae [\d.]+  bleu 12\.5", capsys.readouterr().out)
