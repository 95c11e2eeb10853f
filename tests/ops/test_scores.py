import keras
import numpy as np
import pytest

from keras_richctx.ops import additive_score, cosine_score, dot_score, general_score, location_score, scaled_dot_score

pytestmark = pytest.mark.backends

B, T, S, D, DK, U = 2, 3, 4, 5, 6, 7

to_numpy = keras.ops.convert_to_numpy


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


QUERY, KEY, WIDE_KEY = draw(B, T, D), draw(B, S, D, seed=1), draw(B, S, DK, seed=2)
W1, W2, V = draw(D, U, seed=3), draw(DK, U, seed=4), draw(U, seed=5)
W_GENERAL, W_LOCATION = draw(DK, D, seed=6), draw(D, S, seed=7)


def by_loops(query, key, score):
    """Scores pair by pair: the definition, one query and one key at a time, in float64."""
    query, key = query.astype("float64"), key.astype("float64")
    return np.array([[[score(s, h) for h in keys] for s in queries] for queries, keys in zip(query, key)])


def check(actual, expected):
    np.testing.assert_allclose(to_numpy(actual), expected, rtol=1e-5, atol=1e-5)


def test_dot_is_the_inner_product():
    check(dot_score(QUERY, KEY), by_loops(QUERY, KEY, lambda s, h: s @ h))


def test_scaled_dot_is_the_inner_product_over_the_root_of_the_width():
    check(scaled_dot_score(QUERY, KEY), by_loops(QUERY, KEY, lambda s, h: s @ h / np.sqrt(D)))


def test_cosine_is_that_of_the_angle():
    check(cosine_score(QUERY, KEY), by_loops(QUERY, KEY, lambda s, h: s @ h / np.linalg.norm(s) / np.linalg.norm(h)))


def test_general_is_a_bilinear_form():
    check(general_score(QUERY, WIDE_KEY, W_GENERAL), by_loops(QUERY, WIDE_KEY, lambda s, h: h @ W_GENERAL @ s))


def test_additive_is_a_perceptron_over_the_pair():
    check(additive_score(QUERY, WIDE_KEY, V, W1, W2), by_loops(QUERY, WIDE_KEY, lambda s, h: V @ np.tanh(s @ W1 + h @ W2)))


def test_additive_is_one_matrix_over_the_concatenation():
    both = np.concatenate([W1, W2])  # (D + DK, U)
    check(additive_score(QUERY, WIDE_KEY, V, W1, W2), by_loops(QUERY, WIDE_KEY, lambda s, h: V @ np.tanh(np.concatenate([s, h]) @ both)))


def test_location_sees_the_query_alone():
    check(location_score(QUERY, W_LOCATION), by_loops(QUERY, KEY, lambda s, h: 0.0) + QUERY @ W_LOCATION)


def test_keys_that_were_multiplied_before_give_the_same():
    check(general_score(QUERY, WIDE_KEY @ W_GENERAL), to_numpy(general_score(QUERY, WIDE_KEY, W_GENERAL)))
    check(additive_score(QUERY @ W1, WIDE_KEY @ W2, V), to_numpy(additive_score(QUERY, WIDE_KEY, V, W1, W2)))


def test_dot_is_what_keras_attention_computes():
    _, weights = keras.layers.Attention()([QUERY, KEY], return_attention_scores=True)
    check(keras.ops.softmax(dot_score(QUERY, KEY)), to_numpy(weights))


def test_additive_with_identities_is_what_keras_additive_attention_computes():
    layer = keras.layers.AdditiveAttention()
    layer.build([QUERY.shape, KEY.shape])
    scale = draw(D, seed=8)
    layer.set_weights([scale])
    _, weights = layer([QUERY, KEY], return_attention_scores=True)
    check(keras.ops.softmax(additive_score(QUERY, KEY, scale, np.eye(D, dtype="float32"), np.eye(D, dtype="float32"))), to_numpy(weights))


def test_cosine_lies_between_minus_one_and_one_and_forgets_lengths():
    check(cosine_score(1e3 * QUERY, 1e-3 * KEY), to_numpy(cosine_score(QUERY, KEY)))
    check(cosine_score(QUERY, QUERY)[:, 0, 0], np.ones(B))
    check(cosine_score(QUERY, -QUERY)[:, 0, 0], -np.ones(B))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_zero_vector_has_cosine_zero_and_a_finite_gradient(dtype, gradients):
    query, key = keras.Variable(QUERY), keras.Variable(np.where(np.arange(S)[:, None] < 2, KEY, 0.0))

    def total():
        scores = cosine_score(keras.ops.cast(query.value, dtype), keras.ops.cast(key.value, dtype))
        return keras.ops.sum(keras.ops.cast(scores, "float32")[:, :, :2])

    scores = cosine_score(keras.ops.cast(query.value, dtype), keras.ops.cast(key.value, dtype))
    assert keras.backend.standardize_dtype(scores.dtype) == dtype
    scores = to_numpy(keras.ops.cast(scores, "float32"))
    assert not scores[:, :, 2:].any()
    np.testing.assert_allclose(scores[:, :, :2], to_numpy(cosine_score(QUERY, KEY))[:, :, :2], atol=2e-2)
    for gradient in gradients(total, [query, key]):
        assert np.isfinite(gradient).all()


def test_scaling_before_the_product_keeps_half_precision_from_overflowing():
    query = keras.ops.full((1, 1, 256), 16.0, dtype="float16")
    assert to_numpy(scaled_dot_score(query, 8 * query)).item() == 32768.0  # the product itself, 524,288, is beyond float16


@pytest.mark.parametrize("name, score", [("dot", dot_score), ("scaled dot", scaled_dot_score), ("cosine", cosine_score)])
def test_different_widths_are_refused_where_features_are_multiplied_one_by_one(name, score):
    with pytest.raises(ValueError, match=rf"The {name} score .*same width.*\(2, 3, 5\).*\(2, 4, 6\).*general or the additive"):
        score(QUERY, WIDE_KEY)


@pytest.mark.parametrize("size", [1e-20, 1e-9, 1.0, 1e25])
def test_a_cosine_does_not_hang_on_the_size(size):
    x = np.full((1, 1, 4), size, "float32")
    np.testing.assert_allclose(to_numpy(cosine_score(x, np.ones((1, 1, 4), "float32"))), 1.0, rtol=1e-6)


def test_a_cosine_of_integers_is_a_float():
    np.testing.assert_allclose(to_numpy(cosine_score(np.full((1, 1, 4), 3), np.ones((1, 1, 4), "int32"))), 1.0, rtol=1e-6)
