import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.transformer import sinusoids

pytestmark = pytest.mark.backends


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


def test_sinusoids_are_those_of_the_paper():
    positions, width = np.array([0, 1, 37, 5000]), 10
    wanted = np.zeros((4, width))
    for row, p in enumerate(positions):
        for i in range(width // 2):
            wanted[row, 2 * i] = np.sin(p / 10_000 ** (2 * i / width))
            wanted[row, 2 * i + 1] = np.cos(p / 10_000 ** (2 * i / width))
    np.testing.assert_allclose(to_numpy(sinusoids(positions, width)), wanted, atol=1e-3)
    np.testing.assert_allclose(to_numpy(sinusoids(positions[:3], width)), wanted[:3], atol=1e-5)


def test_an_odd_width_ends_with_a_sine():
    assert to_numpy(sinusoids(np.arange(3), 7)).shape == (3, 7)
    np.testing.assert_allclose(to_numpy(sinusoids(np.arange(3), 7))[:, 0], np.sin(np.arange(3)), atol=1e-6)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16", "bfloat16"])
def test_no_two_of_600_positions_are_alike_in_half_precision(policy):
    encoded = to_numpy(krc.layers.SinusoidalPositions(dtype=policy)(np.zeros((1, 600, 64), "float32")))[0]
    assert len(np.unique(encoded, axis=0)) == 600


@pytest.mark.parametrize("make", [krc.layers.SinusoidalPositions, lambda: krc.layers.LearnedPositions(9)])
def test_given_positions_say_where_each_vector_stands(make):
    layer, x = make(), np.random.default_rng(0).normal(size=(2, 5, 6)).astype("float32")
    plain = to_numpy(layer(x))
    np.testing.assert_allclose(to_numpy(layer(x, np.arange(5))), plain, atol=1e-6)
    shifted = np.concatenate([x[:1, 2:], x[:1, :2]], axis=1)  # its first vector, the third of x, stands at 2
    np.testing.assert_allclose(to_numpy(layer(shifted, np.array([[2, 3, 4, 0, 1]])))[0, :3], plain[0, 2:], atol=1e-6)


def test_learnt_positions_take_a_batch_of_any_length_below_their_last():
    layer = krc.layers.LearnedPositions(9)
    model = keras.Sequential([keras.Input((None, 6)), layer])
    x = np.zeros((2, 4, 6), "float32")
    np.testing.assert_array_equal(to_numpy(model(x))[1], to_numpy(layer.embeddings)[:4])
