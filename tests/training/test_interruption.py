"""Ctrl-C and SIGTERM: what was done is kept, and the way to go on is said."""

import signal

import keras
import pytest

from keras_richctx.training import fit
from keras_richctx.training.interruption import Interruption


class Signals(keras.callbacks.Callback):
    """Sends itself a signal within the step, counted from 0, or the validation."""

    def __init__(self, *numbers, step=None, validation=False):
        super().__init__()
        self.numbers, self.step, self.validation = numbers, step, validation

    def on_train_batch_end(self, batch, logs=None):
        if batch == self.step:
            self.send()

    def on_test_batch_end(self, batch, logs=None):
        if self.validation:
            self.validation = False
            self.send()

    def send(self):
        for number in self.numbers:
            signal.raise_signal(number)


@pytest.fixture(autouse=True)
def handlers_are_put_back():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    assert {number: signal.getsignal(number) for number in before} == before


@pytest.mark.parametrize("number, raised, code", [(signal.SIGINT, KeyboardInterrupt, None), (signal.SIGTERM, SystemExit, 143)], ids=["Ctrl-C", "SIGTERM"])
def test_the_state_is_saved_after_the_very_step_and_the_run_goes_on_from_there(make_model, arrays, assert_same_run, tmp_path, capfd, number, raised, code):
    options = {"batch_size": 4, "epochs": 2, "shuffle": False}
    whole, cut, resumed = make_model(), make_model(), make_model()
    for model in (whole, cut):
        model.build((None, 3))
    cut.set_weights(whole.get_weights())
    expected = fit(whole, *arrays, **options, progress=False)
    with pytest.raises(raised) as error:
        fit(cut, *arrays, checkpoint_dir=tmp_path, callbacks=[Signals(number, step=2)], **options)
    assert getattr(error.value, "code", None) == code
    message = f"Stopped at epoch 1, step 3; the checkpoint is in {str(tmp_path)!r}. Started again in the same way, the run goes on from there."
    shown = capfd.readouterr()
    assert message in shown.out
    assert "Stopping at the end of this step" in shown.err
    if code is None:
        assert str(error.value) == message
    history = fit(resumed, *arrays, checkpoint_dir=tmp_path, **options)
    assert "Going on from epoch 1, step 3" in capfd.readouterr().out
    assert_same_run(resumed, history, whole, expected)


def test_data_that_is_read_from_an_epoch_s_start_only_is_said_to_be(make_model, arrays, tmp_path):
    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return tuple(array[4 * index : 4 * index + 4] for array in arrays)

    with pytest.raises(KeyboardInterrupt, match=r"epoch 1, step 3; .* the run goes on with its weights, at the start of its epoch"):
        fit(make_model(), Batches(), checkpoint_dir=tmp_path, progress=False, callbacks=[Signals(signal.SIGINT, step=2)])


def test_a_signal_during_validation_stops_at_the_end_of_the_epoch(make_model, arrays, tmp_path):
    options = {"epochs": 3, "validation_data": arrays, "checkpoint_dir": tmp_path, "progress": False}
    with pytest.raises(KeyboardInterrupt, match="Stopped at epoch 2, step 0"):
        fit(make_model(), *arrays, callbacks=[Signals(signal.SIGINT, validation=True)], **options)
    assert fit(make_model(), *arrays, **{**options, "epochs": 1}).epoch == [0]


def test_a_second_signal_stops_at_once_and_leaves_the_last_checkpoint(make_model, arrays, tmp_path):
    options = {"batch_size": 4, "checkpoint_dir": tmp_path, "progress": False}
    fit(make_model(), *arrays, **options)
    before = (tmp_path / "checkpoint.npz").read_bytes()
    with pytest.raises(KeyboardInterrupt, match="stopped at once"):
        fit(make_model(), *arrays, epochs=2, callbacks=[Signals(signal.SIGINT, signal.SIGINT, step=1)], **options)
    assert (tmp_path / "checkpoint.npz").read_bytes() == before


def test_without_a_checkpoint_signals_are_not_touched(make_model, arrays):
    seen = []
    look = keras.callbacks.LambdaCallback(on_train_begin=lambda logs: seen.append(signal.getsignal(signal.SIGINT)))
    fit(make_model(), *arrays, callbacks=[look], progress=False)
    assert seen == [signal.getsignal(signal.SIGINT)]


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as nohup does
    try:
        with Interruption() as interruption:
            signal.raise_signal(signal.SIGTERM)
            assert interruption.signal is None
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
