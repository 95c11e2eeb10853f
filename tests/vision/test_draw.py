import re

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.vision.draw import gaussian_divergence

pytestmark = pytest.mark.backends

B, T, H, W, C = 3, 4, 9, 7, 1
SMALL = {"image_shape": (H, W, C), "steps": T, "latent_dim": 2, "units": 6, "read_size": 3, "write_size": 4, "seed": 0}


@pytest.fixture
def images():
    return (np.random.default_rng(0).random((B, H, W, C)) < 0.4).astype("float32")


def model(**options):
    made = krc.models.DRAW(**{**SMALL, **options})
    rng = np.random.default_rng(1)
    for variable in made.trainable_variables:
        variable.assign(rng.normal(0, 0.3, variable.shape))
    return made


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def filters(g, stride, variance, size, length):
    """Equations 19 and 25, in loops."""
    found = np.zeros((size, length))
    for i in range(1, size + 1):
        for a in range(1, length + 1):
            found[i - 1, a - 1] = np.exp(-((a - (g + (i - size / 2 - 0.5) * stride)) ** 2) / (2 * variance))
    return found / np.maximum(found.sum(axis=1, keepdims=True), 1e-8)  # a window may lie beside the image


def test_reading_and_writing_are_the_papers_equations(images):
    made = model()
    hidden = np.random.default_rng(2).normal(size=(B, 6)).astype("float32")
    error = images - 0.3
    read, _ = made.read(images, error, hidden)
    written, _ = made.write(hidden)
    for b in range(B):
        for kind, (kernel, bias) in enumerate([[to_numpy(w) for w in layer.weights] for layer in made.to_windows]):
            size = (3, 4)[kind]
            x, y, log_variance, log_stride, log_intensity = hidden[b] @ kernel + bias  # (21)
            g_x, g_y = (W + 1) / 2 * (x + 1), (H + 1) / 2 * (y + 1)  # (22, 23)
            stride = (max(H, W) - 1) / (size - 1) * np.exp(log_stride)  # (24)
            f_y, f_x = (filters(g, stride, np.exp(log_variance) + 1e-4, size, length) for g, length in ((g_y, H), (g_x, W)))
            if kind == 0:  # (27)
                expected = np.exp(log_intensity) * np.stack([f_y @ part[b, ..., 0] @ f_x.T for part in (images, error)], axis=-1)
                np.testing.assert_allclose(to_numpy(read)[b], expected.ravel(), atol=1e-4)
            else:  # (28, 29)
                writing = (hidden[b] @ to_numpy(made.to_writing.kernel) + to_numpy(made.to_writing.bias)).reshape(4, 4)
                np.testing.assert_allclose(to_numpy(written)[b, ..., 0], f_y.T @ writing @ f_x / np.exp(log_intensity), atol=1e-4)


def test_a_fresh_window_writes_everywhere_about_what_it_is_given():
    made = krc.models.DRAW((28, 28, 1), write_size=5)
    made.to_writing.bias.assign(np.ones(25))
    written, window = made.write(np.zeros((1, made.units), "float32"))
    np.testing.assert_allclose(to_numpy(window)[0], [13.5, 13.5, 6.75, 3.375], rtol=1e-3)
    written = to_numpy(written)[0, ..., 0]
    assert 0.8 < written[10:18, 10:18].min() < written[10:18, 10:18].max() < 1.3
    assert 0.8 < written.min() < written.max() < 3  # a filter at the edge has its weight on half as many pixels


@pytest.mark.parametrize("attention", [True, False])
def test_the_loss_is_the_bound_in_nats(images, attention):
    made = model(attention=attention)
    output = {name: to_numpy(value) for name, value in made(images).items()}
    p = sigmoid(output["logits"].astype("float64"))
    missed = -(images * np.log(p) + (1 - images) * np.log(1 - p)).sum(axis=(1, 2, 3))
    tensors = {name: keras.ops.convert_to_tensor(value) for name, value in output.items()}
    expected = missed + output["divergences"].sum(axis=1)
    assert float(made.compute_loss(images, None, tensors)) == pytest.approx(expected.mean(), rel=1e-4)
    weighted = float(made.compute_loss(images, None, tensors, sample_weight=np.array([0.0, 3.0, 1.0])))
    assert weighted == pytest.approx((expected * [0, 3, 1]).sum() / 4, rel=1e-4)
    assert float(made.compute_loss(images, None, tensors, sample_weight=np.array([[0.0], [3.0], [1.0]]))) == pytest.approx(weighted, rel=1e-6)


def test_the_divergence_is_the_integral():
    from scipy.integrate import quad
    from scipy.stats import norm

    mean, deviation = 0.7, 0.4
    integral, _ = quad(lambda z: norm.pdf(z, mean, deviation) * (norm.logpdf(z, mean, deviation) - norm.logpdf(z)), -5, 6)
    found = gaussian_divergence(np.array([[mean, mean]], "float32"), np.log(np.array([[deviation, deviation]], "float32")))
    assert float(found[0]) == pytest.approx(2 * integral, rel=1e-4)


@pytest.mark.parametrize("attention", [True, False])
def test_without_images_the_first_step_shows_what_is_written_on_the_first_canvas(attention):
    made = model(attention=attention)
    canvases = made.canvas(5)
    assert canvases.shape == (5, T, H, W, C)
    assert ((canvases > 0) & (canvases < 1)).all()
    again = krc.models.DRAW.from_config(made.get_config())
    again.set_weights(made.get_weights())
    state = again.draws.state
    state.assign(to_numpy(made.draws.state).astype("uint32"))
    np.testing.assert_allclose(again.canvas(2), made.canvas(2), atol=1e-5)
    assert not np.allclose(made.canvas(1), made.canvas(1))  # drawn anew


def test_a_trace_says_where_it_read_and_wrote(images):
    trace = model().trace(images)
    assert {name: value.shape for name, value in trace.items()} == {
        "canvases": (B, T, H, W, C),
        "divergences": (B, T),
        "read_windows": (B, T, 4),
        "write_windows": (B, T, 4),
    }
    assert set(model(attention=False).trace(images)) == {"canvases", "divergences"}


def test_all_that_it_has_is_trained(images, gradients):
    made = model()
    for gradient, variable in zip(gradients(lambda: made.compute_loss(images, None, made(images)), made.trainable_variables), made.trainable_variables):
        assert np.isfinite(gradient).all()
        assert np.abs(gradient).max() > 0, variable.path


@pytest.mark.parametrize("attention", [True, False])
def test_it_learns_two_pictures(attention):
    pictures = np.zeros((2, H, W, C), "float32")
    pictures[0, 2:4], pictures[1, :, 5] = 1, 1
    made = krc.models.DRAW(**{**SMALL, "steps": 2, "units": 16, "attention": attention})
    made.compile(keras.optimizers.Adam(0.03), jit_compile=False)
    losses = made.fit(np.tile(pictures, (8, 1, 1, 1)), batch_size=16, epochs=50, verbose=0).history["loss"]
    assert losses[0] > 25
    assert losses[-1] < (18 if attention else 8)  # one bit is 0.7 nats; windows have to be found first


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 0.02), ("mixed_bfloat16", 0.1)])
def test_half_precision_stays_close(images, policy, tolerance):
    exact = model()
    half = krc.models.DRAW(**SMALL, dtype=policy)
    half.set_weights(exact.get_weights())
    output, expected = half(images), exact(images)
    assert keras.backend.standardize_dtype(output["logits"].dtype) == "float32"
    assert float(half.compute_loss(images, None, output)) == pytest.approx(float(exact.compute_loss(images, None, expected)), rel=tolerance)


def test_a_saved_model_draws_the_same(images, tmp_path):
    made = model()
    made.compile("adam", jit_compile=False)
    made.optimizer.build(made.trainable_variables)
    made.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(to_numpy(loaded(images)["logits"]), to_numpy(made(images)["logits"]), atol=1e-5)
    assert loaded.get_config() == made.get_config()


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match=r"read_size is an integer of at least 2\. Received: read_size=1"):
        krc.models.DRAW(read_size=1)
    for shape in ((28, 28), 28, (0, 7, 1), (None, 7, 1), (1, 1, 1)):
        with pytest.raises(ValueError, match=re.escape(f"Received: image_shape={shape}")):
            krc.models.DRAW(image_shape=shape)
    with pytest.raises(ValueError, match="Received: seed=-1"):
        krc.models.DRAW(seed=-1)
    for n in (0, -1, 1.5, None):
        with pytest.raises(ValueError, match=f"Received: count={n}"):
            model().canvas(n)
    for wrong in (255.0, -1.0, np.nan):
        with pytest.raises(ValueError, match=r"from 0 to 1\. Received: images with pixels from"):
            model().trace(np.full((2, H, W, C), wrong))
    with pytest.raises(ValueError, match=r"shape \(9, 7, 1\)\. Received: images of shape \(2, 7, 9, 1\)"):
        model()(np.zeros((2, 7, 9, 1)))
    with pytest.raises(ValueError, match=r"a loss of its own\. Received: loss='mse'"):
        model().compile("adam", loss="mse")
