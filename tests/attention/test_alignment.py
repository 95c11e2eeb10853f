import json

import keras
import numpy as np
import pytest

from keras_richctx.attention import Alignment

pytestmark = pytest.mark.backends

B, T, S, D, DV = 3, 4, 5, 6, 7
SCORES = {"additive": {"units": 8}, "dot": {}, "scaled_dot": {}, "general": {}, "cosine": {}, "location": {"units": S + 2}}
scores = pytest.mark.parametrize("score", SCORES)

QUERY, VALUE, KEY = (np.random.default_rng(i).normal(size=shape).astype("float32") for i, shape in enumerate([(B, T, D), (B, S, DV), (B, S, D)]))
MASK = np.arange(S) < np.array([[5], [3], [0]])  # (B, S); the last row is all pads

to_numpy = keras.ops.convert_to_numpy


def make(score, **kwargs):
    """A layer with weights large enough to make a choice."""
    layer = Alignment(score, **SCORES[score], **kwargs)
    layer.build(QUERY.shape, VALUE.shape, KEY.shape)
    random = np.random.default_rng(9)
    layer.set_weights([random.normal(scale=0.7, size=w.shape) for w in layer.get_weights()])
    return layer


def by_hand(layer, mask):
    """Contexts and weights in NumPy, one query after another."""
    w = {v.name: to_numpy(v) for v in layer.weights}
    score = {
        "additive": lambda s, h: np.tanh(s @ w["w1"] + h @ w["w2"]) @ w["v"],
        "dot": lambda s, h: h @ s,
        "scaled_dot": lambda s, h: h @ s / np.sqrt(D),
        "general": lambda s, h: h @ w["w"] @ s,
        "cosine": lambda s, h: w["strength"] * (h @ s) / np.linalg.norm(h, axis=1) / np.linalg.norm(s),
        "location": lambda s, h: (s @ w["w"])[: len(h)],
    }[layer.score]
    weights = np.zeros((B, T, S))
    for b, t in np.ndindex(B, T):
        real = mask[b, t]
        e = np.exp(score(QUERY[b, t], KEY[b])[real])
        weights[b, t, real] = e / e.sum()
    return weights @ VALUE, weights


def check(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(to_numpy(a), to_numpy(e), atol=2e-6)


@scores
def test_equals_a_softmax_by_hand(score):
    layer = make(score)
    check(layer(QUERY, VALUE, KEY), by_hand(layer, np.ones((B, T, S), bool)))
    check(layer(QUERY, VALUE, KEY, mask=MASK), by_hand(layer, np.broadcast_to(MASK[:, None], (B, T, S))))
    one_by_one = np.random.default_rng(3).random((B, T, S)) < 0.5
    check(layer(QUERY, VALUE, KEY, mask=one_by_one), by_hand(layer, one_by_one))
    check(layer(QUERY, VALUE, KEY, mask=one_by_one, value_mask=MASK), by_hand(layer, one_by_one & MASK[:, None]))


@scores
def test_rows_sum_to_one_over_real_positions_and_vanish_over_pads_alone(score):
    context, weights = (to_numpy(y) for y in make(score)(QUERY, VALUE, KEY, mask=MASK))
    assert not weights[np.broadcast_to(~MASK[:, None], weights.shape)].any()
    np.testing.assert_allclose(weights.sum(axis=-1), np.broadcast_to([[1], [1], [0]], (B, T)), atol=1e-6)
    assert not context[2].any()


@scores
def test_the_value_is_the_key_unless_one_is_given(score):
    layer = Alignment(score, **SCORES[score])
    check(layer(QUERY, KEY, mask=MASK), layer(QUERY, KEY, KEY, mask=MASK))


@scores
@pytest.mark.parametrize("noise", [99.0, np.inf, np.nan])
def test_neither_the_number_nor_the_content_of_pads_matters(score, noise):
    layer = make(score)
    context, weights = layer(QUERY, VALUE, KEY, mask=MASK)
    noisy_key = np.concatenate([np.where(MASK[..., None], KEY, noise), np.full((B, 2, D), noise)], axis=1).astype("float32")
    longer_value = np.pad(VALUE, [(0, 0), (0, 2), (0, 0)], constant_values=99.0)
    padded_context, padded_weights = layer(QUERY, longer_value, noisy_key, mask=np.pad(MASK, [(0, 0), (0, 2)]))
    check((padded_context, padded_weights[:, :, :S]), (context, weights))


@scores
def test_a_batch_is_its_rows_one_by_one(score):
    layer = make(score)
    rows = [layer(QUERY[b : b + 1], VALUE[b : b + 1], KEY[b : b + 1], mask=MASK[b : b + 1]) for b in range(B)]
    check(layer(QUERY, VALUE, KEY, mask=MASK), [np.concatenate([to_numpy(row[i]) for row in rows]) for i in (0, 1)])


@scores
def test_queries_do_not_see_each_other(score):
    layer = make(score)
    context, weights = layer(QUERY, VALUE, KEY, mask=MASK)
    check(layer(QUERY[:, 2:3], VALUE, KEY, mask=MASK), (context[:, 2:3], weights[:, 2:3]))


@scores
def test_keys_projected_once_serve_every_query(score):
    layer = make(score)
    keys = layer.project_keys(KEY)
    check(layer.attend(QUERY, keys, VALUE, MASK), layer(QUERY, VALUE, KEY, mask=MASK))


class Listener(keras.layers.Layer):
    """Keeps the mask that arrives with its input."""

    supports_masking = True

    def call(self, inputs, mask=None):
        self.heard = mask
        return inputs


def test_a_mask_that_the_value_carries_is_honoured_and_ends_there():
    value = keras.layers.Masking()(np.where(MASK[..., None], KEY, 0.0))
    layer, listener = Alignment("general"), Listener()
    listener(value)
    np.testing.assert_array_equal(to_numpy(listener.heard), MASK)
    outputs = layer(QUERY, value)
    check(outputs, layer(QUERY, KEY, mask=MASK))
    for output in outputs:
        listener(output)
        assert listener.heard is None


def test_a_mask_that_the_query_carries_hides_no_source():
    query = keras.layers.Masking()(np.where(np.arange(T)[:, None] < 2, QUERY, 0.0))
    layer = Alignment("general")
    _, weights = layer(query, KEY)
    np.testing.assert_allclose(to_numpy(weights).sum(axis=-1), 1.0, atol=1e-6)
    assert (to_numpy(weights) > 0).all()


@scores
def test_gradients_reach_every_weight_and_are_finite_at_pads(score, gradients):
    layer = make(score)
    key = keras.Variable(np.where(MASK[..., None], KEY, 0.0))  # zeros at pads, as encoders give them
    variables = [*layer.trainable_variables, *([] if score == "location" else [key])]  # a location score does not see the keys

    def total():
        context, _ = layer(QUERY, VALUE, 1.0 * key, mask=MASK)
        return keras.ops.sum(keras.ops.square(context))

    by_variable = gradients(total, variables)
    for gradient in by_variable:
        assert np.isfinite(gradient).all()
        assert gradient.any()
    if score != "location":
        assert not by_variable[-1][~MASK].any()


@scores
def test_a_functional_model_with_free_lengths_saves_and_loads(score, tmp_path):
    query, value, key = keras.Input((None, D)), keras.Input((None, DV)), keras.Input((None, D))
    mask = keras.Input((None,), dtype="bool")
    context, weights = make(score)(query, value, key, mask=mask)
    assert context.shape == (None, None, DV)
    assert weights.shape == (None, None, None)
    model = keras.Model([query, value, key, mask], [context, weights])
    expected = model([QUERY, VALUE, KEY, MASK])
    check(expected, make(score)(QUERY, VALUE, KEY, mask=MASK))
    model.save(tmp_path / "model.keras")
    check(keras.saving.load_model(tmp_path / "model.keras")([QUERY, VALUE, KEY, MASK]), expected)


@scores
def test_a_config_makes_the_same_layer(score):
    config = Alignment(score, dtype="mixed_bfloat16", name="mine", **SCORES[score]).get_config()
    assert (config["score"], config["units"], config["name"]) == (score, SCORES[score].get("units"), "mine")
    assert Alignment.from_config(json.loads(json.dumps(config))).get_config() == config


@scores
@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1)])
def test_half_precision_stays_close(score, policy, tolerance):
    exact, half = make(score)(QUERY, VALUE, KEY, mask=MASK), make(score, dtype=policy)(QUERY, VALUE, KEY, mask=MASK)
    for e, h in zip(exact, half, strict=True):
        assert keras.backend.standardize_dtype(h.dtype) == policy.removeprefix("mixed_")
        np.testing.assert_allclose(to_numpy(keras.ops.cast(h, "float32")), to_numpy(e), atol=tolerance)


def test_the_hidden_layer_is_as_wide_as_the_query_unless_told():
    layer = Alignment()
    layer(QUERY, VALUE)
    assert [tuple(w.shape) for w in layer.weights] == [(D, D), (DV, D), (D,)]


def test_an_unknown_score_is_refused():
    with pytest.raises(ValueError, match=r"Unknown alignment score.*Received: score='adaptive'.*additive, dot, scaled_dot"):
        Alignment("adaptive")


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "general", "cosine"])
def test_units_are_refused_where_there_are_none(score):
    with pytest.raises(ValueError, match=rf"The {score} score has no units\. Received: units=4"):
        Alignment(score, units=4)


def test_a_location_score_wants_to_know_the_longest_source():
    with pytest.raises(ValueError, match=r"one weight vector a source position.*Received: units=None"):
        Alignment("location")


@pytest.mark.parametrize("score", ["additive", "location"])
@pytest.mark.parametrize("units", [0, -3, 2.5, "8"])
def test_units_are_a_positive_integer(score, units):
    with pytest.raises(ValueError, match=rf"a positive integer\. Received: units={units!r}"):
        Alignment(score, units=units)


@pytest.mark.parametrize("score, name", [("dot", "dot"), ("scaled_dot", "scaled dot"), ("cosine", "cosine")])
def test_different_widths_are_refused_where_features_are_multiplied_one_by_one(score, name):
    with pytest.raises(ValueError, match=rf"The {name} score .*same width"):
        Alignment(score)(QUERY, VALUE)


def test_a_source_longer_than_the_location_score_knows_is_refused():
    with pytest.raises(ValueError, match=r"knows 4 source positions. Received: a source of 5 positions.*more units"):
        Alignment("location", units=4)(QUERY, KEY)
    with pytest.raises(ValueError, match=r"A mask is boolean here"):
        Alignment("dot")(QUERY, KEY, mask=MASK.astype("float32"))


@pytest.mark.parametrize("shape", [(S,), (B, 1, T, S), (T, S), (B, T, S + 1)])
def test_a_mask_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"Received: a mask of shape \("):
        Alignment("scaled_dot")(QUERY, KEY, mask=np.ones(shape, "bool"))
