"""Dropout that goes along time or over words, penalties on outputs, and a matrix with two uses."""

import json

import keras
import numpy as np
import pytest

from keras_richctx.recurrent.activation_regularization import ActivationRegularization
from keras_richctx.recurrent.embedding_dropout import EmbeddingDropout
from keras_richctx.recurrent.tied_dense import TiedDense
from keras_richctx.recurrent.variational_dropout import VariationalDropout

pytestmark = pytest.mark.backends

B, T, D, V = 3, 5, 7, 11
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
IDS = np.random.default_rng(1).integers(0, V, (B, T))
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 1]], bool)

to_numpy = keras.ops.convert_to_numpy


def test_a_variational_mask_is_one_for_all_steps_of_a_row():
    factors = to_numpy(VariationalDropout(0.4)(np.ones((50, T, D), "float32"), training=True))
    np.testing.assert_array_equal(factors, np.repeat(factors[:, :1], T, axis=1))
    np.testing.assert_allclose(np.unique(factors), [0, 1 / 0.6], rtol=1e-6)
    assert len(np.unique(factors[:, 0], axis=0)) > 20, "rows have masks of their own"
    assert 0.3 < (factors[:, 0] == 0).mean() < 0.5


def test_a_word_is_dropped_at_all_of_its_places_or_at_none():
    ids = np.random.default_rng(2).integers(0, 300, (40, 50))
    factors = to_numpy(EmbeddingDropout(0.3, vocab_size=300)(np.ones((40, 50, D), "float32"), ids, training=True))
    of_word = {}
    for word, factor in zip(ids.ravel(), factors.reshape(-1, D)):
        np.testing.assert_array_equal(factor, of_word.setdefault(word, factor))
        assert len(set(factor)) == 1
    values = np.array([factor[0] for factor in of_word.values()])
    np.testing.assert_allclose(np.unique(values), [0, 1 / 0.7], rtol=1e-6)
    assert 0.2 < (values == 0).mean() < 0.4


def test_dropping_words_is_dropping_rows_of_the_matrix():
    matrix = np.random.default_rng(3).normal(size=(V, D)).astype("float32")
    dropped = to_numpy(EmbeddingDropout(0.5, V, seed=4)(matrix[None], np.arange(V)[None], training=True))[0]
    looked_up = to_numpy(EmbeddingDropout(0.5, V, seed=4)(matrix[IDS], IDS, training=True))
    np.testing.assert_array_equal(looked_up, dropped[IDS])
    assert 0 < (dropped == 0).all(axis=1).sum() < V


def test_each_call_draws_anew_and_outside_of_training_nothing_is_dropped():
    variational, embedding = VariationalDropout(0.5), EmbeddingDropout(0.5, V)
    for call in (lambda training: variational(X, training=training), lambda training: embedding(X, IDS, training=training)):
        assert (to_numpy(call(True)) != to_numpy(call(True))).any()
        np.testing.assert_array_equal(to_numpy(call(False)), X)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all_real", "padded"])
def test_the_penalties_are_means_of_squares_over_real_positions(mask):
    dropped = np.random.default_rng(5).normal(size=X.shape).astype("float32")
    real = np.ones((B, T), bool) if mask is None else mask
    changes = [X[b, t] - X[b, t + 1] for b in range(B) for t in range(T - 1) if real[b, t] and real[b, t + 1]]
    layer = ActivationRegularization(alpha=3.0, beta=0.5)
    noisy = [np.where(real[..., None], x, 99.0) for x in (X, dropped)]
    np.testing.assert_array_equal(to_numpy(layer(*noisy, mask=mask, training=True)), noisy[1])
    np.testing.assert_allclose(
        [float(to_numpy(loss)) for loss in layer.losses], [3 * np.mean(dropped[real] ** 2), 0.5 * np.mean(np.square(changes))], rtol=1e-5
    )


def test_a_single_step_does_not_change_and_an_empty_batch_of_pads_costs_nothing():
    layer = ActivationRegularization(alpha=0.0)
    layer(X[:, :1], X[:, :1], training=True)
    assert [float(to_numpy(loss)) for loss in layer.losses] == [0.0]
    layer = ActivationRegularization()
    layer(X, X, mask=np.zeros((B, T), bool), training=True)
    assert [float(to_numpy(loss)) for loss in layer.losses] == [0.0, 0.0]


def test_outside_of_training_nothing_is_penalized():
    layer = ActivationRegularization()
    layer(X, X)
    assert layer.losses == []


def test_a_tied_layer_is_a_dense_one_with_the_transposed_matrix():
    embedding, tied, dense = keras.layers.Embedding(V, D), TiedDense(V), keras.layers.Dense(V)
    embedding.build((None, None))
    tied(X, embedding.embeddings)
    dense.build(X.shape)
    bias = np.arange(V, dtype="float32")
    tied.set_weights([bias])
    dense.set_weights([to_numpy(embedding.embeddings).T, bias])
    np.testing.assert_allclose(to_numpy(tied(X, embedding.embeddings)), to_numpy(dense(X)), atol=1e-5)
    assert [weight.shape for weight in tied.weights] == [(V,)]


def test_a_tied_matrix_has_the_gradients_of_both_uses(gradients):
    embedding, tied, dense = keras.layers.Embedding(V, D), TiedDense(V), keras.layers.Dense(V)
    embedding.build((None, None))
    tied.build((None, None, D))
    dense.build((None, None, D))
    dense.set_weights([to_numpy(embedding.embeddings).T, np.zeros(V)])

    def loss(logits):
        return keras.ops.mean(keras.ops.square(logits - 1.0))

    (both,) = gradients(lambda: loss(tied(embedding(IDS), embedding.embeddings)), [embedding.embeddings])
    below, above = gradients(lambda: loss(dense(embedding(IDS))), [embedding.embeddings, dense.kernel])
    np.testing.assert_allclose(both, below + above.T, atol=1e-6)
    assert np.abs(below).max() > 1e-4 < np.abs(above).max()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_goes_in_and_out(policy):
    half = policy.removeprefix("mixed_")
    embedding = keras.layers.Embedding(V, D, dtype=policy)
    x = embedding(IDS)
    x = EmbeddingDropout(0.5, V, dtype=policy)(x, IDS, training=True)
    x = VariationalDropout(0.5, dtype=policy)(x, training=True)
    penalty = ActivationRegularization(dtype=policy)
    x = penalty(x, x, training=True)
    tied = TiedDense(V, dtype=policy)
    logits = tied(x, embedding.embeddings)
    assert keras.backend.standardize_dtype(logits.dtype) == half
    assert {keras.backend.standardize_dtype(loss.dtype) for loss in penalty.losses} == {"float32"}
    assert {weight.dtype for weight in [*tied.weights, *embedding.weights]} == {"float32"}


@pytest.mark.parametrize(
    "layer",
    [VariationalDropout(0.2, seed=1), EmbeddingDropout(0.2, 9, seed=1), ActivationRegularization(0.5, 0.25), TiedDense(9)],
    ids=lambda layer: type(layer).__name__,
)
def test_a_config_makes_the_same_layer(layer):
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(layer)))
    again = keras.saving.deserialize_keras_object(config)
    assert type(again) is type(layer)
    assert again.get_config() == layer.get_config()


def test_numbers_out_of_range_are_named():
    with pytest.raises(ValueError, match=r"Received: rate=1\.0"):
        EmbeddingDropout(1.0, V)
    with pytest.raises(ValueError, match=r"Received: beta=-1"):
        ActivationRegularization(beta=-1)
