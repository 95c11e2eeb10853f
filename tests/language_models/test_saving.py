"""A saved model is the model, in a process that has never seen it."""

import json
import subprocess
import sys
import zipfile

import h5py
import keras
import numpy as np
import pytest

from keras_richctx.language_models import AWDLSTM, CharRNN, ULMFiTClassifier
from keras_richctx.text import CodePointTokenizer
from keras_richctx.training import discriminative_rates

pytestmark = pytest.mark.backends

ONE_STEP = {"run_eagerly": keras.backend.backend() != "jax"}  # which costs less than a program

ANOTHER_PROCESS = """
import json, sys
import keras, numpy as np
import keras_richctx

folder, ids = sys.argv[1], np.array(json.loads(sys.argv[2]))
to_numpy = keras.ops.convert_to_numpy
model = keras.saving.load_model(folder + "/language_model.keras")
said = {"logits": to_numpy(model(ids)).tolist(), "weights": len(model.weights)}
model.embedding.embeddings.assign(np.zeros(model.embedding.embeddings.shape))
said["without_matrix"] = to_numpy(model(ids))[0, 0].tolist()
said["bias"] = to_numpy(model.output_projection.bias).tolist()
classifier = keras.saving.load_model(folder + "/classifier.keras")
said |= {"classes": to_numpy(classifier({"token_ids": ids})).tolist(), "trained": len(classifier.trainable_weights)}
said |= {"steps": int(classifier.optimizer.iterations), "lowest_rate": list(classifier.optimizer.get_config()["rates"].values())[0]}
writer = keras.saving.load_model(folder + "/writer.keras")
said |= {"written": writer.generate("to be", max_new_tokens=12, temperature=0.8, seed=3), "config": writer.get_config(), "compiled": writer.compiled}
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def ids(draw):
    return draw(3, 6)


@pytest.fixture(scope="module")
def models(tokenizer, ids):
    """A trained model with tied weights, a classifier that was made of it and trained, and a model of characters."""
    keras.utils.set_random_seed(0)
    model = AWDLSTM(tokenizer, embedding_dim=4, units=5, num_layers=2)
    model.compile("sgd", **ONE_STEP)
    model.fit(ids, ids, verbose=0)
    classifier = ULMFiTClassifier(model, num_classes=3)
    classifier.compile(discriminative_rates(keras.optimizers.Adam(0.01), classifier, decay=2.0), **ONE_STEP)
    classifier.fit({"token_ids": ids}, np.array([0, 1, 2]), verbose=0)
    writer = CharRNN(CodePointTokenizer.train(["to be, or not to be"]), units=20, num_layers=2, cell="gru", dropout=0.1)
    writer.compile(keras.optimizers.Adam(0.01))
    return {"language_model": model, "classifier": classifier, "writer": writer}


@pytest.fixture(scope="module")
def folder(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    for name, model in models.items():
        model.save(folder / f"{name}.keras")
    return folder


@pytest.fixture(scope="module")
def said(folder, ids):
    """What another process says of the three."""
    arguments = [sys.executable, "-c", ANOTHER_PROCESS, folder, json.dumps(ids.tolist())]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_another_process_loads_tied_weights_tied_and_a_classifier_with_its_optimizer(models, folder, said, ids, to_numpy):
    model, classifier = models["language_model"], models["classifier"]
    with zipfile.ZipFile(folder / "language_model.keras") as archive, h5py.File(archive.open("model.weights.h5")) as file:
        shapes = []
        file.visititems(lambda name, item: shapes.append(item.shape) if isinstance(item, h5py.Dataset) else None)
    assert shapes.count((model.vocab_size, 4)) == 1, "the matrix is saved once"
    np.testing.assert_allclose(said["logits"], to_numpy(model(ids)), atol=1e-5)
    assert said["weights"] == len(model.weights)
    np.testing.assert_allclose(said["without_matrix"], said["bias"], atol=1e-7)  # without the matrix of the embedding the output layer has only its bias
    np.testing.assert_allclose(said["classes"], to_numpy(classifier({"token_ids": ids})), atol=1e-5)
    assert (said["steps"], said["trained"], said["lowest_rate"]) == (1, len(classifier.trainable_weights), 0.125)


def test_another_process_writes_the_same(models, said):
    writer = models["writer"]
    expected = [writer.generate("to be", max_new_tokens=12, temperature=0.8, seed=3), json.loads(json.dumps(writer.get_config())), True]
    assert [said["written"], said["config"], said["compiled"]] == expected
