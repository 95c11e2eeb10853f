"""The loss of word2vec, and its gradient, beside the formulas in NumPy."""

import keras
import numpy as np
import pytest

from keras_richctx.ops import pair_loss

pytestmark = pytest.mark.backends

B, C, K, D = 3, 5, 4, 7


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    return {
        "inputs": rng.normal(size=(B, C, D)).astype("float32"),
        "outputs": rng.normal(size=(B, K, D)).astype("float32"),
        "labels": rng.integers(0, 2, (B, K)),
        "input_mask": np.arange(C)[None] < np.array([5, 2, 0])[:, None],
        "output_mask": rng.random((B, K)) < 0.7,
    }


def by_hand(inputs, outputs, labels, input_mask, output_mask):
    """The loss of each row, and the gradients of their sum, in float64, pair by pair."""
    losses, of_inputs, of_outputs = np.zeros(B), np.zeros((B, C, D)), np.zeros((B, K, D))
    for b in range(B):
        for i in np.flatnonzero(input_mask[b]):
            for j in np.flatnonzero(output_mask[b]):
                v, u, y = inputs[b, i].astype("float64"), outputs[b, j].astype("float64"), labels[b, j]
                p = 1 / (1 + np.exp(-v @ u))
                losses[b] -= np.log(p) if y else np.log(1 - p)
                of_inputs[b, i] += (p - y) * u
                of_outputs[b, j] += (p - y) * v
    return losses, of_inputs, of_outputs


def test_equals_numpy_pair_by_pair(batch):
    losses, _, _ = by_hand(**batch)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(pair_loss(**batch)), losses, atol=1e-6, rtol=1e-6)


def test_the_gradients_are_those_of_the_formula(batch, gradients):
    inputs, outputs = keras.Variable(batch.pop("inputs")), keras.Variable(batch.pop("outputs"))
    found = gradients(lambda: keras.ops.sum(pair_loss(inputs.value, outputs.value, **batch)), [inputs, outputs])
    _, *expected = by_hand(keras.ops.convert_to_numpy(inputs), keras.ops.convert_to_numpy(outputs), **batch)
    for gradient, formula in zip(found, expected):
        np.testing.assert_allclose(gradient, formula, atol=1e-6, rtol=1e-5)


def test_what_is_masked_does_not_matter(batch):
    losses = keras.ops.convert_to_numpy(pair_loss(**batch))
    batch["inputs"] = np.where(batch["input_mask"][..., None], batch["inputs"], 50.0).astype("float32")
    batch["outputs"] = np.where(batch["output_mask"][..., None], batch["outputs"], -50.0).astype("float32")
    np.testing.assert_allclose(keras.ops.convert_to_numpy(pair_loss(**batch)), losses, rtol=1e-6)


def test_large_scores_stay_finite():
    losses = pair_loss(np.full((1, 1, 1), 1e3, "float32"), np.array([[[1.0], [1.0]]], "float32"), np.array([[1, 0]]))
    np.testing.assert_allclose(keras.ops.convert_to_numpy(losses), [1000.0])
