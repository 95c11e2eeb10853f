import json
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest

import keras_richctx as krc

pytestmark = [pytest.mark.backends, pytest.mark.skipif(keras.backend.backend() != "jax", reason="needs JAX: KERAS_BACKEND=jax")]


@pytest.fixture(scope="module")
def runs():
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("jax_runs.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name, part", [("data", [12, 4, 3]), ("data, as on GPUs", [12, 4, 3]), ("model", [12, 1, 3]), ("both", [12, 2, 3])])
def test_four_devices_train_as_one(runs, name, part):
    np.testing.assert_allclose(runs[name]["loss"], runs["one"]["loss"], rtol=1e-5)
    for there, here in zip(runs[name]["weights"], runs["one"]["weights"], strict=True):
        np.testing.assert_allclose(there, here, atol=1e-5)
    assert runs[name]["a part"] == part  # of the heads


def test_a_step_of_several_gpus_is_made_at_first_and_where_a_callback_asks(runs):
    assert runs["steps made as on GPUs"] == 3


def test_copies_lie_on_as_many_devices_each(runs):
    assert runs["refused"] == "Each copy of the model lies on as many devices. Received: parts=3 for 4 devices."


def test_more_devices_than_there_are_are_refused():
    with pytest.raises(ValueError, match="Received: devices=99"):
        krc.training.strategy("model_parallel", 99)
