"""What TokenAccuracy and Perplexity share: which positions count, how batches add up, and how they live in Keras."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras.src.backend import set_keras_mask

from keras_richctx.metrics import Perplexity, TokenAccuracy

pytestmark = pytest.mark.backends

B, T, V = 5, 7, 11
METRICS = [TokenAccuracy, Perplexity]


def batch(seed=0):
    """Labels, logits and weights: sequences of 7, 4, 1, 0 and 7 tokens."""
    rng = np.random.default_rng(seed)
    weights = (np.arange(T) < np.array([7, 4, 1, 0, 7])[:, None]).astype("float32")
    return rng.integers(0, V, (B, T)).astype("int32"), rng.normal(size=(B, T, V)).astype("float32"), weights


def value(metric, *batches):
    for y_true, y_pred, weights in batches:
        metric.update_state(y_true, y_pred, sample_weight=weights)
    return float(metric.result())


def expected(metric, y_true, y_pred, weights):
    """The same in float64 NumPy."""
    y_true, y_pred, weights = y_true.ravel(), y_pred.reshape(-1, V).astype("float64"), weights.ravel()
    if metric is TokenAccuracy:
        return np.average(y_pred.argmax(-1) == y_true, weights=weights)
    log_p = y_pred - np.log(np.exp(y_pred).sum(-1, keepdims=True))
    return np.exp(-np.average(log_p[np.arange(len(y_true)), y_true], weights=weights))


@pytest.mark.parametrize("metric", METRICS)
def test_equals_numpy_over_the_real_positions(metric):
    y_true, y_pred, weights = batch()
    assert value(metric(), batch()) == pytest.approx(expected(metric, y_true, y_pred, weights), rel=1e-6)
    assert value(metric(), (y_true, y_pred, None)) == pytest.approx(expected(metric, y_true, y_pred, np.ones((B, T))), rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=6)  # each new shape compiles anew on JAX
@given(label=st.sampled_from([0, V - 1, -1, 10**6]), junk=st.sampled_from([0.0, 1e30, -np.inf, np.nan]))
def test_neither_the_number_nor_the_content_of_pads_matters(metric, label, junk):
    (y_true, y_pred, weights), pad = batch(), 3
    longer = (
        np.pad(np.where(weights > 0, y_true, label), [(0, 0), (0, pad)], constant_values=label).astype("int32"),
        np.pad(np.where(weights[..., None] > 0, y_pred, junk), [(0, 0), (0, pad), (0, 0)], constant_values=junk).astype("float32"),
        np.pad(weights, [(0, 0), (0, pad)]),
    )
    assert value(metric(), longer) == pytest.approx(value(metric(), batch()), rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=6)  # each new shape compiles anew on JAX
@given(cuts=st.sets(st.integers(1, B - 1)), order=st.permutations(range(B)))
def test_neither_the_order_nor_the_cut_of_batches_matters(metric, cuts, order):
    parts = [[array[list(rows)] for array in batch()] for rows in np.split(np.array(order), sorted(cuts))]
    assert value(metric(), *parts) == pytest.approx(value(metric(), batch()), rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_a_mask_on_the_predictions_is_a_weight_of_zero(metric):
    y_true, y_pred, weights = batch()
    y_pred = keras.ops.convert_to_tensor(y_pred)
    set_keras_mask(y_pred, keras.ops.convert_to_tensor(weights > 0))
    assert value(metric(), (y_true, y_pred, None)) == pytest.approx(value(metric(), batch()), rel=1e-6)
    first_two = np.broadcast_to(np.arange(T) < 2, (B, T)).astype("float32")
    assert value(metric(), (y_true, y_pred, first_two)) == pytest.approx(expected(metric, *batch()[:2], weights * first_two), rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_a_weight_above_zero_weighs_and_one_below_does_not_count(metric):
    y_true, y_pred, _ = batch()
    weights = np.random.default_rng(1).normal(size=(B, T)).astype("float32")
    assert value(metric(), (y_true, y_pred, weights)) == pytest.approx(expected(metric, y_true, y_pred, np.maximum(weights, 0)), rel=1e-5)
    per_sequence = np.array([1, 0, 3, 0, 2], "float32")
    whole = expected(metric, y_true, y_pred, np.repeat(per_sequence[:, None], T, 1))
    assert value(metric(), (y_true, y_pred, per_sequence)) == pytest.approx(whole, rel=1e-5)
    assert value(metric(), (y_true, y_pred, per_sequence[:, None])) == pytest.approx(whole, rel=1e-5)


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_counted_is_0_and_a_reset_forgets(metric):
    y_true, y_pred, weights = batch()
    metric = metric()
    assert float(metric.result()) == 0
    assert value(metric, (y_true, y_pred, 0 * weights)) == 0
    before = value(metric, batch())
    metric.update_state(*batch(seed=1)[:2])
    metric.reset_state()
    assert value(metric, batch()) == before


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_sums_do_not_stall_where_half_precision_would(metric, dtype):
    y_true = np.zeros((10, 300), "int32")  # 3,000 tokens; a bfloat16 stops at 256, a float16 loses every other count from 2,048
    metric = metric(dtype=dtype)
    for row in y_true:
        metric.update_state(row[None], np.zeros((1, 300, 3), "float32"))
    assert float(metric.count) == 3000
    assert float(metric.result()) == pytest.approx(1 if isinstance(metric, TokenAccuracy) else 3, rel=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_logits_are_summed_in_single_precision(dtype):
    y_true, y_pred, weights = batch()
    half = keras.ops.cast(y_pred, dtype)
    rounded = keras.ops.convert_to_numpy(keras.ops.cast(half, "float32"))
    assert value(Perplexity(), (y_true, half, weights)) == pytest.approx(expected(Perplexity, y_true, rounded, weights), rel=1e-6)


def test_accuracy_takes_ids_as_well_as_logits():
    y_true, y_pred, weights = batch()
    assert value(TokenAccuracy(), (y_true, y_pred.argmax(-1), weights)) == value(TokenAccuracy(), batch())


def test_perplexity_takes_probabilities_as_well_as_logits():
    y_true, y_pred, weights = batch()
    probabilities = keras.ops.softmax(y_pred)
    assert value(Perplexity(from_logits=False), (y_true, probabilities, weights)) == pytest.approx(value(Perplexity(), batch()), rel=1e-5)


@pytest.mark.parametrize("metric", [TokenAccuracy(name="right"), Perplexity(from_logits=False, name="ppl", dtype="float32")])
def test_a_metric_comes_back_from_its_config(metric):
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(metric))
    assert type(again) is type(metric)
    assert again.get_config() == metric.get_config()


def test_a_model_evaluates_them_as_weighted_metrics():
    y_true, _, weights = batch()
    model = keras.Sequential([keras.layers.Embedding(V, V)])
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), weighted_metrics=[TokenAccuracy(), Perplexity()])
    tokens = np.random.default_rng(2).integers(0, V, (B, T))
    scores = model.evaluate(tokens, y_true, sample_weight=weights, batch_size=2, verbose=0, return_dict=True)
    logits = keras.ops.convert_to_numpy(model(tokens))
    for name, metric in {"token_accuracy": TokenAccuracy, "perplexity": Perplexity}.items():
        assert scores[name] == pytest.approx(expected(metric, y_true, logits, weights), rel=1e-5)


@pytest.mark.parametrize(
    "metric, true, pred, message",
    [
        (TokenAccuracy, (2, 3), (2, 3, 4, 5), r"TokenAccuracy takes.*y_pred of shape \(2, 3, 4, 5\)"),
        (TokenAccuracy, (2,), (2, 4), r"y_true of shape \(2,\)"),
        (Perplexity, (2, 3), (2, 3), r"Perplexity takes.*y_pred of shape \(2, 3\)"),
        (Perplexity, (2, 3, 1), (2, 3, 4), r"y_true of shape \(2, 3, 1\)"),
    ],
)
def test_another_rank_is_refused(metric, true, pred, message):
    with pytest.raises(ValueError, match=message):
        metric().update_state(np.zeros(true, "int32"), np.zeros(pred, "float32"))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("shape", [(B, T - 1, V), (1, T, V)])
def test_predictions_of_another_length_or_number_are_refused(metric, shape):
    with pytest.raises(ValueError, match=r"shape"):
        metric().update_state(np.zeros((B, T), "int32"), np.zeros(shape, "float32"))
