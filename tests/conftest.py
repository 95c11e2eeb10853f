"""Fixtures for every test: seeds, and the real data, which is read where it lies and never copied here."""

import os
from pathlib import Path

import hypothesis
import pytest

# The same examples in each run, however slow the machine.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _fresh():
    """Each test starts from the same random state and picture style, whatever ran before it."""
    import keras
    import matplotlib

    keras.utils.set_random_seed(0)
    with matplotlib.rc_context():
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_wait_for_the_disk():
    """No test cuts the power, and `fsync` waits for what other programs write too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def gradients():
    """Derivatives on whatever backend runs: `gradients(function, variables)` of a function without arguments that gives a scalar."""
    from keras_richctx.training import gradients

    return gradients


@pytest.fixture
def without_graphs():
    """Lets TensorFlow compute at once what it would trace first, which takes longer than a few steps or short sentences take."""
    import keras

    if keras.backend.backend() != "tensorflow":
        yield
        return
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def data_dir():
    """The folder of the official data sets, one folder each."""
    return _folder_of("KERAS_RICHCTX_DATA", "the official data sets")


@pytest.fixture(scope="session")
def fixtures_dir():
    """The folder of real weights with known answers."""
    return _folder_of("KERAS_RICHCTX_FIXTURES", "real weights with known answers")


def _folder_of(variable, content):
    if variable not in os.environ:
        pytest.skip(f"{variable} is not set: it names the folder of {content}")
    folder = Path(os.environ[variable])
    assert folder.is_dir(), f"{variable} names no folder. Received: {folder}"
    return folder
