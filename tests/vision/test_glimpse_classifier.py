import keras
import numpy as np
import pytest

import keras_richctx as krc

pytestmark = pytest.mark.backends

B, T, K = 5, 3, 4
SMALL = {"num_classes": K, "glimpses": T, "size": 3, "scales": 2, "units": 7, "hidden": 6, "seed": 0}


@pytest.fixture
def images():
    return np.random.default_rng(0).uniform(size=(B, 11, 9, 1)).astype("float32")


def model(images, **options):
    made = krc.models.GlimpseClassifier(**{**SMALL, **options})
    made(images)
    rng = np.random.default_rng(1)
    made.set_weights([rng.normal(0, 0.5, w.shape) for w in made.get_weights()[:-1]] + [made.get_weights()[-1]])  # the last one is the seed's
    return made


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_a_trace_holds_what_the_model_computes_by_hand(images, cell):
    made = model(images, cell=cell)
    trace, output = made.trace(images), made(images)
    np.testing.assert_allclose(trace["centres"], to_numpy(output["centres"]), atol=1e-6)
    np.testing.assert_allclose(trace["probabilities"][:, -1], to_numpy(keras.ops.softmax(output["logits"])), atol=1e-6)
    # l_t = tanh(W_l h_{t-1} + b_l), from a state of zeros on
    kernel, bias = (to_numpy(w) for w in made.choose.weights)
    before = np.concatenate([np.zeros((B, 1, 7)), trace["hidden"][:, :-1]], axis=1)
    np.testing.assert_allclose(trace["centres"], np.tanh(before @ kernel + bias), atol=1e-5)
    for t in range(T):
        np.testing.assert_allclose(trace["patches"][:, t], to_numpy(krc.ops.glimpse(images, trace["centres"][:, t], 3, 2)), atol=1e-6)


def test_a_batch_is_its_images_one_by_one(images):
    made = model(images)
    together = to_numpy(made(images)["logits"])
    for i in range(B):
        np.testing.assert_allclose(to_numpy(made(images[i : i + 1])["logits"])[0], together[i], atol=1e-5)


def test_the_loss_is_the_cross_entropy_and_in_training_the_baseline_and_the_score_function_besides(images):
    made = model(images)
    y = np.array([0, 1, 2, 3, 0])
    output = {name: to_numpy(value) for name, value in made(images, training=True).items()}
    log_softmax = output["logits"] - np.log(np.exp(output["logits"]).sum(axis=1, keepdims=True))
    cross_entropy = -log_softmax[np.arange(B), y]
    right = (output["logits"].argmax(axis=1) == y).astype("float32")
    better = right[:, None] - output["baselines"]
    expected = cross_entropy + (better**2 - better * output["log_probabilities"]).sum(axis=1)
    tensors = {name: keras.ops.convert_to_tensor(value) for name, value in output.items()}
    assert float(made.compute_loss(None, y, tensors, training=True)) == pytest.approx(expected.mean(), rel=1e-5)
    assert float(made.compute_loss(None, y, tensors, training=False)) == pytest.approx(cross_entropy.mean(), rel=1e-5)
    weights = np.array([1.0, 0, 2, 0, 0])
    weighted = float(made.compute_loss(None, y, tensors, sample_weight=weights, training=False))
    assert weighted == pytest.approx((cross_entropy * weights).sum() / 3, rel=1e-5)


def test_log_probabilities_are_those_of_the_normal_distribution(images):
    from scipy.stats import norm

    made = model(images, deviation=0.3)
    output = made.look(images, training=True)
    centres, logs, hidden = (to_numpy(output[name]) for name in ("centres", "log_probabilities", "hidden"))
    before = np.concatenate([np.zeros((B, 1, 7), "float32"), hidden[:, :-1]], axis=1)
    means = np.stack([to_numpy(made.choose(before[:, t])) for t in range(T)], axis=1)
    np.testing.assert_allclose(logs, norm.logpdf(centres, means, 0.3).sum(axis=-1), atol=1e-3)
    assert np.abs(centres - means).mean() > 0.05


@pytest.mark.parametrize("location", ["reinforce", "differentiable"])
def test_the_cross_entropy_reaches_the_choice_of_places_only_where_it_is_differentiable(images, gradients, location):
    made = model(images, location=location)
    y = np.array([0, 1, 2, 3, 0])
    of_choice, of_patches = gradients(lambda: made.compute_loss(None, y, made(images), training=False), [made.choose.kernel, made.see_patches.kernel])
    assert np.abs(of_patches).max() > 1e-6
    assert (np.abs(of_choice).max() > 1e-6) == (location == "differentiable")


def test_by_reinforce_a_reward_moves_places_and_the_core_stays_out_of_it(images, gradients):
    made = model(images)
    y = np.array([0, 1, 2, 3, 0])

    def loss():
        return made.compute_loss(None, y, made(images, training=True), training=True)

    def cross_entropy():
        return made.compute_loss(None, y, made(images, training=True), training=False)

    seed = to_numpy(made.noise.state)
    variables = [made.choose.kernel, made.cell.kernel]
    of_choice, of_cell = gradients(loss, variables)
    made.noise.state.assign(seed)
    without, of_cell_alone = gradients(cross_entropy, variables)
    assert np.abs(of_choice).max() > 1e-6
    assert not np.any(without)
    np.testing.assert_allclose(of_cell, of_cell_alone, atol=1e-6)


@pytest.mark.parametrize("location", ["reinforce", "differentiable"])
def test_it_learns_where_the_bright_half_is(location):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 32)
    x = rng.uniform(0, 0.2, (32, 12, 12, 1)).astype("float32")
    x[np.arange(32), 1 + 8 * y, 6] = 1.0  # one bright pixel, above or below
    made = krc.models.GlimpseClassifier(2, glimpses=2, size=4, scales=2, units=16, hidden=16, location=location, seed=0)
    made.compile(keras.optimizers.Adam(0.01), jit_compile=False)
    history = made.fit(x, y, batch_size=32, epochs=40, verbose=0)
    assert history.history["accuracy"][-1] > 0.9
    assert made.evaluate(x, y, verbose=0, return_dict=True)["accuracy"] > 0.9


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1)])
def test_half_precision_stays_close(images, policy, tolerance):
    exact = model(images)
    half = krc.models.GlimpseClassifier(**SMALL, dtype=policy)
    half(images)
    half.set_weights(exact.get_weights())
    np.testing.assert_allclose(to_numpy(half(images)["logits"]), to_numpy(exact(images)["logits"]), atol=tolerance)


def test_a_saved_model_gives_the_same_numbers(images, tmp_path):
    made = model(images, location="differentiable", cell="gru")
    made.compile("adam", jit_compile=False)
    made.optimizer.build(made.trainable_variables)
    made.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(loaded.predict(images, verbose=0)["logits"], to_numpy(made(images)["logits"]), atol=1e-6)
    assert loaded.get_config() == made.get_config()


def test_what_cannot_be_is_refused_by_name(images):
    with pytest.raises(ValueError, match=r"rnn, lstm, gru\. Received: cell='elman'"):
        krc.models.GlimpseClassifier(3, cell="elman")
    with pytest.raises(ValueError, match=r"reinforce, differentiable\. Received: location='random'"):
        krc.models.GlimpseClassifier(3, location="random")
    with pytest.raises(ValueError, match=r"glimpses is a positive integer\. Received: glimpses=0"):
        krc.models.GlimpseClassifier(3, glimpses=0)
    for deviation in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"Received: deviation={deviation}"):
            krc.models.GlimpseClassifier(3, deviation=deviation)
    for seed in (-1, 1.5):
        with pytest.raises(ValueError, match=f"Received: seed={seed}"):
            krc.models.GlimpseClassifier(3, seed=seed)
    with pytest.raises(ValueError, match=r"a loss of its own\. Received: loss='mse'"):
        krc.models.GlimpseClassifier(3).compile("adam", loss="mse")


def test_labels_and_weights_may_have_an_axis_of_one(images):
    made = model(images)
    output = made(images, training=True)
    y, weights = np.array([0, 1, 2, 3, 0]), np.array([1.0, 0, 2, 0, 0])
    expected = float(made.compute_loss(None, y, output, weights))
    assert float(made.compute_loss(None, y[:, None], output, weights[:, None])) == pytest.approx(expected, rel=1e-6)


def test_a_window_larger_than_the_image_sees_it_whole_and_nothing_beside(images):
    made = model(images, size=37, scales=1)
    patches = made.trace(images)["patches"]  # wherever their middle is in the image, they reach beyond all of its edges
    np.testing.assert_allclose(patches.sum(axis=(2, 3, 4, 5)), np.repeat(images.sum(axis=(1, 2, 3))[:, None], T, axis=1), rtol=1e-3)


def test_images_of_another_form_are_refused_and_not_mixed_up(images):
    made = model(images)
    for wrong in (np.zeros((1, 11, 9, 2)), np.zeros((B, 11, 9)), images[0]):
        for call in (made, made.trace):
            with pytest.raises(ValueError, match=r"\(batch, rows, columns, 1\)\. Received: images of shape|shape \(batch, rows, columns, channels\)"):
                call(wrong.astype("float32"))
    with pytest.raises(ValueError, match=r"the id of a class for each image.*Received: y of shape \(5, 4\)"):
        made.compute_loss(None, np.eye(4)[[0, 1, 2, 3, 0]], made(images))
    with pytest.raises(ValueError, match=r"Received: images of shape \(5, 11, 9\)"):
        krc.models.GlimpseClassifier(**SMALL)(images[..., 0])
    assert krc.models.GlimpseClassifier(**SMALL).trace(images)["centres"].shape == (B, T, 2)  # not built before
