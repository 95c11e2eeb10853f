import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

layers = pytest.mark.parametrize("cls", [SimpleRNN, LSTM, GRU])
rates = pytest.mark.parametrize("rate", ["dropout", "recurrent_dropout", "weight_dropout"])
X = np.random.default_rng(0).normal(size=(3, 5, 4)).astype("float32")


def numpy(x):
    return keras.ops.convert_to_numpy(x)


@layers
@rates
def test_dropout_is_drawn_in_training_only_and_anew_each_time(cls, rate):
    layer, plain = cls(8, seed=1, **{rate: 0.5}), cls(8)
    layer.build(X.shape)
    plain.build(X.shape)
    plain.set_weights(layer.get_weights())
    np.testing.assert_array_equal(numpy(layer(X)), numpy(plain(X)))
    first, second = numpy(layer(X, training=True)), numpy(layer(X, training=True))
    assert np.abs(first - second).max() > 1e-3
    assert np.abs(first - numpy(plain(X))).max() > 1e-3


@layers
@rates
def test_a_seed_repeats_the_draws(cls, rate):
    made = []
    for _ in range(2):
        layer = cls(8, seed=5, **{rate: 0.5}, kernel_initializer="ones", recurrent_initializer="ones")
        made.append(numpy(layer(X, training=True)))
    np.testing.assert_array_equal(*made)


def test_one_mask_serves_all_steps():
    # h_t = h_{t-1} * keep + x: with an identity for a recurrent kernel, a unit either sums up all steps or forgets each at once
    layer = SimpleRNN(64, recurrent_dropout=0.5, return_sequences=True, seed=0, use_bias=False)
    layer.build((1, None, 1))
    small = 1e-3
    layer.set_weights([np.full((1, 64), small), 0.5 * np.eye(64)])  # kept values are doubled
    outputs = numpy(layer(np.ones((1, 6, 1), "float32"), training=True))[0] / small  # (T, U)
    kept = np.isclose(outputs[-1], 6, rtol=1e-3)
    forgotten = np.isclose(outputs[-1], 1, rtol=1e-3)
    assert (kept ^ forgotten).all()
    assert 10 < kept.sum() < 54
    np.testing.assert_allclose(outputs[:, kept], np.broadcast_to(np.arange(1.0, 7.0)[:, None], (6, kept.sum())), rtol=1e-3)


def test_weight_dropout_drops_entries_of_the_recurrent_matrix_and_nothing_else():
    layer = SimpleRNN(32, weight_dropout=0.25, seed=0, use_bias=False, return_sequences=True)
    layer.build((None, None, 32))
    small = 1e-3
    layer.set_weights([small * np.eye(32), np.ones((32, 32))])
    outputs = numpy(layer(np.eye(32, dtype="float32")[:, None].repeat(2, axis=1) * [[[1.0], [0.0]]], training=True)) / small  # row b: unit b alone at t = 1
    first, second = outputs[:, 0], outputs[:, 1]  # the second shows row b of the dropped matrix
    np.testing.assert_allclose(first, np.eye(32), atol=1e-4)
    dropped = np.isclose(second, 0, atol=1e-4)
    np.testing.assert_allclose(second[~dropped], 4 / 3, rtol=1e-3)
    assert 0.2 < dropped.mean() < 0.3
    assert dropped.sum(axis=0).min() > 0
    assert dropped.sum(axis=0).max() < 32


@layers
@rates
@pytest.mark.parametrize("value", [-0.1, 1.0, 2])
def test_a_share_lies_between_zero_and_one(cls, rate, value):
    with pytest.raises(ValueError, match=rf"{rate} is a share of at least 0 and below 1\. Received: {rate}={value}"):
        cls(4, **{rate: value})
