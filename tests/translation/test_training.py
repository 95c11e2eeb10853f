import keras
import numpy as np
import pytest

from keras_richctx.attention import coverage_penalty

pytestmark = pytest.mark.backends

SCORES = ["additive", "dot", "scaled_dot", "general", "cosine", "location"]

attentions = pytest.mark.parametrize("attention", ["bahdanau", "luong", "fixed"])

to_numpy = keras.ops.convert_to_numpy


def widen_all(batch, widen):
    """The same batch with five pads more on each side, of noise where a pad may hold anything."""
    inputs, labels, weights = batch
    labels, weights = (np.pad(array, [(0, 0), (0, 5)]) for array in (labels, weights))
    return widen(inputs, source=5, target=5), np.where(weights > 0, labels, 3), weights


def loss_of(model, inputs, labels, weights):
    return model.compute_loss(inputs, labels, model(inputs, training=True), weights)


def test_the_loss_is_the_sum_over_real_positions_divided_by_their_number(make, batch):
    model, (inputs, labels, weights) = make(), batch
    model.compile()
    logits = to_numpy(model(inputs)).astype("float64")
    log = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    of_label = np.take_along_axis(log, labels[..., None], axis=-1)[..., 0]
    expected = -(of_label * weights).sum() / weights.sum()
    np.testing.assert_allclose(float(loss_of(model, inputs, labels, weights)), expected, rtol=1e-5)
    results = model.evaluate(inputs, labels, sample_weight=weights, verbose=0, return_dict=True)
    np.testing.assert_allclose(results["loss"], expected, rtol=1e-5)
    np.testing.assert_allclose(results["token_accuracy"], ((logits.argmax(axis=-1) == labels) * weights).sum() / weights.sum(), rtol=1e-5)


@attentions
def test_padding_changes_neither_the_loss_nor_a_gradient(attention, make, batch, widen, gradients):
    model = make(attention=attention)
    model.compile()
    wide = widen_all(batch, widen)
    np.testing.assert_allclose(float(loss_of(model, *wide)), float(loss_of(model, *batch)), rtol=1e-6)
    expected = gradients(lambda: loss_of(model, *batch), model.trainable_variables)
    for a, e in zip(gradients(lambda: loss_of(model, *wide), model.trainable_variables), expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("attention, score", [*((attention, score) for attention in ("bahdanau", "luong") for score in SCORES), ("fixed", None)])
def test_each_score_learns(attention, score, make, batch, gradients):
    model = make(attention=attention, score=score, max_source_length=9 if score == "location" else None)
    model.compile()
    before = float(loss_of(model, *batch))
    for variable, gradient in zip(model.trainable_variables, gradients(lambda: loss_of(model, *batch), model.trainable_variables), strict=True):
        assert np.isfinite(gradient).all(), variable.path
        assert gradient.any(), variable.path
        variable.assign_sub(0.05 * gradient)
    assert float(loss_of(model, *batch)) < before


def test_fit_lowers_the_loss(make, batch):
    model, (inputs, labels, weights) = make(cell="lstm", dtype="mixed_float16"), batch
    model.compile(keras.optimizers.Adam(0.02))
    losses = model.fit(inputs, labels, sample_weight=weights, epochs=6, verbose=0).history["loss"]
    assert losses[-1] < 0.8 * losses[0]
    assert np.isfinite(losses).all()


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="XLA compiles for TensorFlow and JAX")
def test_one_compiled_training_step_equals_an_eager_one(make, batch):
    inputs, labels, weights = batch
    after = []
    for how in ({"jit_compile": True}, {"run_eagerly": True, "jit_compile": False}):
        model = make()
        model.compile(keras.optimizers.SGD(0.5), **how)
        model.train_on_batch(inputs, labels, sample_weight=weights)
        after.append(np.concatenate([w.ravel() for w in model.get_weights()]))
    np.testing.assert_allclose(after[0], after[1], atol=1e-5)
    assert (after[0] != np.concatenate([w.ravel() for w in make().get_weights()])).any()


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 1e-2), ("mixed_bfloat16", 1e-1)])
def test_half_precision_has_the_same_gradients(policy, tolerance, make, batch, gradients):
    losses, directions = [], []
    for dtype in ("float32", policy):
        model = make(dtype=dtype)
        model.compile()
        losses.append(float(loss_of(model, *batch)))
        directions.append(np.concatenate([g.ravel() for g in gradients(lambda model=model: loss_of(model, *batch), model.trainable_variables)]))
    np.testing.assert_allclose(losses[1], losses[0], rtol=tolerance)
    assert np.linalg.norm(directions[1] - directions[0]) < tolerance * np.linalg.norm(directions[0])


def test_coverage_is_the_distance_from_one_look_a_word():
    random = np.random.default_rng(0)
    weights = random.dirichlet(np.ones(5), size=(2, 4)).astype("float32")  # (B, T, S)
    queries, source = np.arange(4) < np.array([[4], [2]]), np.arange(5) < np.array([[5], [3]])
    total = sum((1 - weights[b, queries[b], i].sum()) ** 2 for b in range(2) for i in range(5) if source[b, i])
    np.testing.assert_allclose(float(coverage_penalty(weights, queries, source)), total / 8, rtol=1e-5)
    assert float(coverage_penalty(weights, queries, np.zeros_like(source))) == 0.0
    once = np.eye(5, dtype="float32")[None]
    assert float(coverage_penalty(once, np.ones((1, 5), bool), np.ones((1, 5), bool))) == 0.0


def test_coverage_is_added_to_the_loss_of_training_alone(make, batch, widen):
    plain, covered, (inputs, labels, weights) = make(), make(coverage=0.5), batch
    for model in (plain, covered):
        model.compile()
    penalty = coverage_penalty(plain.attention_weights(inputs), inputs["decoder_token_ids"] != 0, inputs["encoder_padding_mask"])
    assert float(penalty) > 0.01
    expected = float(loss_of(plain, *batch)) + 0.5 * float(penalty)
    np.testing.assert_allclose(float(loss_of(covered, *batch)), expected, rtol=1e-5)
    np.testing.assert_allclose(float(loss_of(covered, *widen_all(batch, widen))), expected, rtol=1e-5)
    evaluated = covered.evaluate(inputs, labels, sample_weight=weights, verbose=0)[0]
    np.testing.assert_allclose(evaluated, float(loss_of(plain, *batch)), rtol=1e-5)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="XLA is off by default on TensorFlow alone")
def test_by_default_no_program_is_compiled_for_each_shape(make):
    model = make()
    model.compile()
    assert model.jit_compile is False
