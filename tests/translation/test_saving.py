"""A saved model is the model: in a new process, on the same backend."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_richctx.text import WordTokenizer
from keras_richctx.translation import Seq2Seq

pytestmark = pytest.mark.backends

SCRIPT = Path(__file__).with_name("another_process.py")
MODELS = {
    "luong": {"attention": "luong", "cell": "lstm", "score": "location", "max_source_length": 9},
    "fixed": {"attention": "fixed", "cell": "rnn", "dropout": 0.1},
}


@pytest.fixture(scope="module")
def models(make, trained):
    return {"trained": trained, **{name: make(**options) for name, options in MODELS.items()}}


@pytest.fixture(scope="module")
def folder(models, tmp_path_factory):
    """Where each model is saved, and where another process wrote down what it loaded."""
    folder = tmp_path_factory.mktemp("saved")
    models["trained"].translate("a cat", max_new_tokens=12)  # a used model saves as well as a new one
    for name, model in models.items():
        model.save(folder / f"{name}.keras")
    done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def describe():
    spec = importlib.util.spec_from_file_location("another_process", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.describe


@pytest.mark.parametrize("name", ["trained", *MODELS])
def test_another_process_translates_the_same(name, models, folder, describe):
    expected = describe(models[name])
    with np.load(folder / f"{name}.npz") as loaded:
        assert sorted(loaded.files) == sorted(expected)
        for what in ("words", "config"):
            assert loaded[what].item() == expected[what].item()
        np.testing.assert_array_equal(loaded["weights"], expected["weights"])
        for what in ("scores", "attention"):
            np.testing.assert_allclose(loaded[what], expected[what], rtol=1e-6, atol=1e-6)


def test_a_loaded_model_goes_on_learning(folder, batch, trained):
    inputs, labels, weights = batch
    loaded = keras.saving.load_model(folder / "trained.keras")
    expected, actual = (m.evaluate(inputs, labels, sample_weight=weights, verbose=0, return_dict=True) for m in (trained, loaded))
    assert expected.keys() == actual.keys()
    np.testing.assert_allclose(list(actual.values()), list(expected.values()), rtol=1e-5)
    steps, expected_steps = (int(keras.ops.convert_to_numpy(m.optimizer.iterations)) for m in (loaded, trained))
    assert steps == expected_steps > 0


def test_weights_alone_can_be_loaded_into_a_fresh_model(make, english, french, tmp_path, batch):
    make().save_weights(tmp_path / "model.weights.h5")
    fresh = Seq2Seq(english, french, units=6, embedding_dim=5)
    fresh.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(*(keras.ops.convert_to_numpy(m(batch[0])) for m in (fresh, make())))


def test_weights_of_a_vocabulary_of_another_size_are_refused(make, english, tmp_path):
    make().save_weights(tmp_path / "model.weights.h5")
    larger = WordTokenizer.train(["un deux trois quatre cinq six sept huit neuf dix onze douze treize"], vocab_size=50)
    other = Seq2Seq(english, larger, units=6, embedding_dim=5)
    with pytest.raises(ValueError, match=r"(?s)could not be loaded.*target_embedding.*output_projection"):
        other.load_weights(tmp_path / "model.weights.h5")
