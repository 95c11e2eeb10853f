"""The command in this process, on models and data that are made in a moment."""

import functools

import keras
import pytest
import tensorflow as tf
from typer.testing import CliRunner

from keras_richctx.datasets import load
from keras_richctx.translation import recipe as recipe_module
from richctx.app import app

TINY = ["--tokenizer", "word", "--units", "8", "--batch-size", "8", "--epochs", "2", "--validation", "4"]  # of `pairs_file`: 28 to train on, 4 steps an epoch


@pytest.fixture(scope="session")
def cli():
    """Runs `richctx` with arguments and gives the result: `exit_code`, `stdout`, `stderr`, `output` (both).

    Without graphs, which take longer to trace than these runs take.
    """

    def run(*arguments, **options):
        arguments = [str(argument) for argument in arguments]
        tf.config.run_functions_eagerly(True)
        try:
            return CliRunner(env={"COLUMNS": "300"}).invoke(app, arguments, prog_name="richctx", **options)
        finally:
            tf.config.run_functions_eagerly(False)

    return run


@pytest.fixture(scope="session")
def pairs_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    pairs = load("phrasebook", size=32, max_words=7)
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def train(cli, pairs_file):
    """Trains the tiny model in a directory; further options win."""

    def run(out, *options, pairs=pairs_file):
        return cli("translate", "train", "--pairs", pairs, "--out", out, *TINY, *options)

    return run


@pytest.fixture(scope="session")
def trained(tmp_path_factory, train):
    """A directory with the tiny model in it; not to be changed."""
    out = tmp_path_factory.mktemp("trained") / "run"
    result = train(out)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def at_step(monkeypatch):
    """Makes the next trainings call a function before a step, counted over the whole run."""

    def arrange(step, act):
        class Act(keras.callbacks.Callback):
            def on_train_batch_begin(self, batch, logs=None):
                if int(self.model.optimizer.iterations) == step:
                    act()

        real = recipe_module.fit

        @functools.wraps(real)
        def fit(*arguments, callbacks, **options):
            return real(*arguments, callbacks=[*callbacks, Act()], **options)

        monkeypatch.setattr(recipe_module, "fit", fit)

    return arrange
