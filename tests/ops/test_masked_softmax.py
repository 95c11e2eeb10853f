import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from keras_richctx.ops import masked_softmax

pytestmark = pytest.mark.backends

SHAPE = (2, 3, 5)


def softmax(scores, mask=None):
    """The definition, in NumPy and float64."""
    scores = np.asarray(scores, "float64")
    mask = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(mask, np.exp(np.where(mask, scores - scores.max(axis=-1, keepdims=True, where=mask, initial=-1e9), 0.0)), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def run(scores, mask=None, **kwargs):
    return keras.ops.convert_to_numpy(masked_softmax(keras.ops.convert_to_tensor(scores), mask, **kwargs))


@pytest.fixture
def scores():
    return np.random.default_rng(0).normal(scale=3.0, size=SHAPE).astype("float32")


@pytest.fixture
def mask():
    """Rows with gaps, with one real position, with all, and one (the last) with none."""
    mask = np.random.default_rng(1).random(SHAPE) < 0.5
    mask[0, 0], mask[0, 1], mask[1, 2] = True, np.arange(5) == 3, False
    return mask


some_scores = arrays.arrays("float32", SHAPE, elements=st.floats(-1e6, 1e6, width=32))
some_masks = arrays.arrays("bool", SHAPE)


def test_equals_the_definition(scores, mask):
    np.testing.assert_allclose(run(scores, mask), softmax(scores, mask), atol=1e-6)
    np.testing.assert_allclose(run(scores), softmax(scores), atol=1e-6)


@given(some_scores, some_masks)
def test_a_row_sums_to_one_over_its_real_positions_and_is_zero_elsewhere(scores, mask):
    weights = run(scores, mask)
    assert not weights[~mask].any()
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), atol=1e-6)


@given(some_scores, some_masks, st.sampled_from([np.nan, np.inf, -np.inf, 1e9, -1e38]))
def test_what_stands_at_masked_positions_does_not_matter(scores, mask, noise):
    np.testing.assert_array_equal(run(scores, mask), run(np.where(mask, scores, np.float32(noise)), mask))


@given(arrays.arrays("float32", SHAPE, elements=st.floats(-100, 100, width=32)), some_masks, st.integers(-1000, 1000))
def test_adding_a_constant_to_a_row_changes_nothing(scores, mask, constant):
    np.testing.assert_allclose(run(scores, mask), run(scores + np.float32(constant), mask), atol=1e-3)


def test_a_row_without_real_positions_gives_zeros(scores):
    assert not run(scores, np.zeros(SHAPE, "bool")).any()


def test_a_mask_broadcasts_over_queries(scores, mask):
    rows = mask[:, :1]  # (B, 1, S)
    np.testing.assert_array_equal(run(scores, rows), run(scores, np.broadcast_to(rows, SHAPE)))


def test_a_mask_of_all_true_is_no_mask(scores):
    np.testing.assert_allclose(run(scores, np.ones(SHAPE, "bool")), run(scores), atol=1e-7)


def test_zeros_and_ones_are_a_mask(scores, mask):
    np.testing.assert_array_equal(run(scores, mask.astype("int32")), run(scores, mask))


def test_another_axis_sums_to_one(scores, mask):
    moved = run(scores.swapaxes(1, 2), mask.swapaxes(1, 2), axis=1)
    np.testing.assert_array_equal(moved.swapaxes(1, 2), run(scores, mask))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_keeps_its_type_and_does_not_overflow(dtype):
    scores = keras.ops.cast(np.array([[65504.0, -65504.0, 60000.0, 1.0], [-65504.0, -65504.0, 3.0, 4.0]]), dtype)
    mask = np.array([[True, True, False, True], [True, True, False, False]])
    weights = masked_softmax(scores, mask)
    assert keras.backend.standardize_dtype(weights.dtype) == dtype
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(keras.ops.cast(weights, "float32")), [[1, 0, 0, 0], [0.5, 0.5, 0, 0]])


def test_the_gradient_is_finite_and_zero_at_masked_positions(scores, mask, gradients):
    variable = keras.Variable(np.where(mask, scores, 1e9))
    (gradient,) = gradients(lambda: keras.ops.sum(keras.ops.square(masked_softmax(variable.value, mask))), [variable])
    assert np.isfinite(gradient).all()
    assert not gradient[~mask].any()
    weights = softmax(scores, mask)
    # the derivative of sum_i a_i^2 by e_j is 2 a_j (a_j - sum_i a_i^2)
    np.testing.assert_allclose(gradient, 2 * weights * (weights - np.square(weights).sum(axis=-1, keepdims=True)), atol=1e-6)


def test_a_mask_of_floats_is_refused(scores):
    with pytest.raises(ValueError, match=r"A mask is boolean here.*Received: mask of dtype float32.*mask == 0"):
        masked_softmax(scores, np.zeros(SHAPE, "float32"))


@pytest.mark.parametrize("shape", [(7, 2, 3, 5), (2, 3, 4), (2, 4, 5), (4, 3, 5), (2,)])
def test_a_mask_that_would_enlarge_the_scores_is_refused(scores, shape):
    with pytest.raises(ValueError, match=r"broadcasts to the shape of the scores. Received: a mask of shape \("):
        run(scores, np.ones(shape, "bool"))


def test_the_lowest_scores_are_above_a_mask():
    np.testing.assert_allclose(run(np.array([[-1e32, -1e32, 0.0]], "float32"), [[True, True, False]]), [[0.5, 0.5, 0.0]])


def test_integers_give_floats():
    np.testing.assert_allclose(run(np.array([[1, 1]])), [[0.5, 0.5]])
    np.testing.assert_allclose(run(np.array([[1, 1]]), [[True, False]]), [[1.0, 0.0]])


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_gives_nothing(shape):
    assert run(np.zeros(shape, "float32"), np.ones(shape, "bool")).shape == shape
