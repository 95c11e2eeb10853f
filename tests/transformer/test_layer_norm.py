"""The normalisation of a block is that of Keras, whatever it is given."""

import keras
import numpy as np
import pytest

from keras_richctx.transformer.layer_norm import LayerNorm

pytestmark = pytest.mark.backends

D = 37
X = np.random.default_rng(0).normal(size=(5, 3, D)).astype("float32")


def pair(**options):
    """The same weights in ours and in Keras' own."""
    layers = [kind(epsilon=1e-5, **options) for kind in (LayerNorm, keras.layers.LayerNormalization)]
    for layer in layers:
        layer.build(X.shape)
        layer.set_weights([np.linspace(0.5, 2, D), np.linspace(-1, 1, D)])
    return layers


def spiked(x):
    """All that varies is in the feature that the others are compared with."""
    return np.concatenate([np.full_like(x[..., :1], 300.0), 0.01 * x[..., 1:]], axis=-1)


@pytest.mark.parametrize("x", [X, X + 10_000, 1e-4 * X, 1e4 * X, spiked(X)], ids=["usual", "far off", "small", "large", "spiked"])
def test_it_is_the_equation_in_double_precision(x):
    if keras.backend.backend() != "jax" and x.mean() > 1000:
        pytest.skip("elsewhere it is Keras' own, which loses more there")
    ours, _ = pair()
    exact = x.astype("float64")
    exact = (exact - exact.mean(-1, keepdims=True)) / np.sqrt(exact.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(ours(x)), exact * np.linspace(0.5, 2, D) + np.linspace(-1, 1, D), rtol=1e-4, atol=1e-4)


def test_it_and_its_gradients_are_those_of_keras(gradients):
    found = []
    for layer in pair():
        x = keras.Variable(X)
        loss = lambda layer=layer, x=x: keras.ops.sum(layer(x.value) ** 3)  # noqa: E731
        found.append([keras.ops.convert_to_numpy(layer(X)), *gradients(loss, [*layer.trainable_variables, x])])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="elsewhere it is Keras' own, which on TensorFlow is off there")
def test_a_row_without_differences_has_none_after_it():
    ours, _ = pair()
    np.testing.assert_allclose(keras.ops.convert_to_numpy(ours(np.full((2, D), 7.0, "float32"))), np.tile(np.linspace(-1, 1, D), (2, 1)), atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_it_computes_in_float32_at_least(dtype):
    ours, theirs = pair(dtype=dtype)
    found, expected = ours(X.astype("float32")), theirs(X.astype("float32"))
    assert keras.backend.standardize_dtype(found.dtype) == keras.backend.standardize_dtype(expected.dtype)
    found, expected = (keras.ops.convert_to_numpy(keras.ops.cast(one, "float32")) for one in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("options", [{"axis": 1}, {"axis": [-2, -1]}, {"center": False}, {"scale": False}, {"rms_scaling": True}])
def test_another_kind_is_refused(options):
    with pytest.raises(ValueError, match="keep their defaults"):
        LayerNorm(**options)


def test_it_is_made_again_from_its_config():
    ours, _ = pair()
    again = LayerNorm.from_config(ours.get_config())
    again.build(X.shape)
    again.set_weights(ours.get_weights())
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(again(X)), keras.ops.convert_to_numpy(ours(X)))
