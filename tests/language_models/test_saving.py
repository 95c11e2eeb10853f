"""A saved model is the model, in a process that has never seen it."""

import json
import subprocess
import sys
import zipfile

import h5py
import keras
import numpy as np
import pytest

from keras_richctx.language_models import AWDLSTM, ULMFiTClassifier
from keras_richctx.training import discriminative_rates

pytestmark = pytest.mark.backends

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
print(json.dumps(said))
"""


def test_another_process_loads_tied_weights_tied_and_a_classifier_with_its_optimizer(tokenizer, draw, to_numpy, tmp_path):
    model, ids = AWDLSTM(tokenizer, embedding_dim=4, units=5, num_layers=2), draw(3, 6)
    model.compile("sgd")
    model.fit(ids, ids, verbose=0)
    classifier = ULMFiTClassifier(model, num_classes=3)
    classifier.compile(discriminative_rates(keras.optimizers.Adam(0.01), classifier, decay=2.0))
    classifier.fit({"token_ids": ids}, np.array([0, 1, 2]), verbose=0)
    model.save(tmp_path / "language_model.keras")
    classifier.save(tmp_path / "classifier.keras")
    with zipfile.ZipFile(tmp_path / "language_model.keras") as archive, h5py.File(archive.open("model.weights.h5")) as file:
        shapes = []
        file.visititems(lambda name, item: shapes.append(item.shape) if isinstance(item, h5py.Dataset) else None)
    assert shapes.count((model.vocab_size, 4)) == 1, "the matrix is saved once"

    arguments = [sys.executable, "-c", ANOTHER_PROCESS, tmp_path, json.dumps(ids.tolist())]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    np.testing.assert_allclose(said["logits"], to_numpy(model(ids)), atol=1e-5)
    assert said["weights"] == len(model.weights)
    np.testing.assert_allclose(said["without_matrix"], said["bias"], atol=1e-7)  # without the matrix of the embedding the output layer has only its bias
    np.testing.assert_allclose(said["classes"], to_numpy(classifier({"token_ids": ids})), atol=1e-5)
    assert (said["steps"], said["trained"], said["lowest_rate"]) == (1, len(classifier.trainable_weights), 0.125)
