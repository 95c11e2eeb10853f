"""Keras' own token loss is the mean over real positions that this library trains with."""

import keras
import numpy as np
import pytest

from keras_richctx.training import fit

B, T, V = 3, 5, 7


@pytest.fixture
def batch():
    random = np.random.default_rng(0)
    weights = (np.arange(T)[None] < np.array([5, 2, 1])[:, None]).astype("float32")  # (B, T)
    return random.normal(size=(B, T, V)).astype("float32"), random.integers(0, V, size=(B, T)), weights


def mean_over_real_positions(logits, labels, weights):
    log_probabilities = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))  # (B, T, V)
    losses = -np.take_along_axis(log_probabilities, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return (losses * weights).sum() / weights.sum()


@pytest.mark.filterwarnings("ignore:The model does not have any trainable weights")
@pytest.mark.parametrize("pads", [0, 4])
def test_mean_with_sample_weight_divides_by_the_real_positions(batch, pads):
    logits, labels, weights = (np.pad(array, [(0, 0), (0, pads)] + [(0, 0)] * (array.ndim - 2)) for array in batch)
    model = keras.Sequential([keras.layers.Identity()])
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight"), run_eagerly=True)
    loss = fit(model, logits, labels, sample_weight=weights, progress=False).history["loss"][0]
    assert loss == pytest.approx(mean_over_real_positions(*batch), abs=1e-6)
