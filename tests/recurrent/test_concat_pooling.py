import keras
import numpy as np
import pytest

from keras_richctx.recurrent.concat_pooling import ConcatPooling

pytestmark = pytest.mark.backends

B, T, D = 5, 6, 3
# a row of real positions only, and rows padded right, padded left, with gaps, and of pads only
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]], bool)
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32") - 2.0  # below zero, where a pool over zeros would differ

to_numpy = keras.ops.convert_to_numpy


def test_equals_numpy_over_the_real_positions():
    rows = [x[real] for x, real in zip(X, MASK)]
    expected = [np.concatenate([row[-1], row.max(axis=0), row.mean(axis=0)]) if len(row) else np.zeros(3 * D) for row in rows]
    noisy = np.where(MASK[..., None], X, np.nan)
    np.testing.assert_allclose(to_numpy(ConcatPooling()(noisy, mask=MASK)), expected, atol=1e-6)


def test_without_a_mask_all_positions_are_real():
    np.testing.assert_allclose(to_numpy(ConcatPooling()(X)), to_numpy(ConcatPooling()(X, mask=np.ones((B, T), bool))), atol=1e-6)


def test_gradients_at_pads_are_zero_and_finite(gradients):
    x = keras.Variable(np.where(MASK[..., None], X, 99.0))
    (gradient,) = gradients(lambda: keras.ops.sum(keras.ops.square(ConcatPooling()(x.value, mask=MASK))), [x])
    assert np.isfinite(gradient).all()
    assert not gradient[~MASK].any()
    assert (np.abs(gradient[MASK]) > 0).all()


def test_half_precision_counts_and_sums_a_long_text():
    x = np.full((1, 4000, 2), 0.5, "float16")
    np.testing.assert_allclose(to_numpy(keras.ops.cast(ConcatPooling(dtype="float16")(x), "float32")), np.full((1, 6), 0.5))


def test_it_takes_the_mask_of_its_input_and_saves(tmp_path):
    inputs = keras.Input((None, D))
    model = keras.Model(inputs, ConcatPooling()(keras.layers.Masking()(inputs)))
    assert model.output_shape == (None, 3 * D)
    model.save(tmp_path / "model.keras")
    padded = np.where(MASK[..., None], X, 0.0)
    for pooled in (model(padded), keras.saving.load_model(tmp_path / "model.keras")(padded)):
        np.testing.assert_allclose(to_numpy(pooled), to_numpy(ConcatPooling()(X, mask=MASK)), atol=1e-6)
