"""The backend's own kernel against the scan: on PyTorch everywhere, on TensorFlow and JAX where there is a GPU."""

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN
from keras_richctx.recurrent.fused import has_kernel

pytestmark = pytest.mark.backends

B, T, D, U = 5, 6, 3, 4
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]], bool)
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
LAYERS = {"rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}

kinds = pytest.mark.parametrize("kind", LAYERS)


def pair(kind, **options):
    """The same layer with the kernel and without."""
    if not has_kernel(kind):
        pytest.skip(f"{keras.backend.backend()} has no kernel for {kind} on this machine: it needs a GPU")
    layers = [LAYERS[kind](U, use_cudnn=use, **options) for use in ("auto", False)]
    for layer in layers:
        layer.build(X.shape)
        layer.set_weights([np.random.default_rng(i).normal(scale=0.5, size=w.shape) for i, w in enumerate(layer.get_weights())])
    return layers


@kinds
@pytest.mark.parametrize("mask", [None, MASK], ids=["no_mask", "mask"])
@pytest.mark.parametrize("options", [{}, {"return_sequences": True, "go_backwards": True}, {"return_sequences": True, "return_state": True}], ids=str)
def test_the_kernel_equals_the_scan_whatever_the_padding(kind, mask, options):
    outputs = [keras.tree.flatten(layer(X, mask=mask)) for layer in pair(kind, **options)]
    for kernel, scan in zip(*outputs, strict=True):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(kernel), keras.ops.convert_to_numpy(scan), atol=1e-5)


@kinds
def test_gradients_of_the_kernel_equal_the_scans(kind, gradients):
    found = []
    for layer in pair(kind, return_sequences=True):
        x, states = keras.Variable(X), [keras.Variable(0.3 * X[:, 0, :1].repeat(U, 1)) for _ in layer.cell.state_names]
        loss = lambda layer=layer, x=x, states=states: keras.ops.sum(layer(x.value, mask=MASK, initial_state=[s.value for s in states]) ** 2)  # noqa: E731
        found.append(gradients(loss, [*layer.trainable_variables, x, *states]))
    for kernel, scan in zip(*found, strict=True):
        np.testing.assert_allclose(kernel, scan, atol=1e-4)


@kinds
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_the_kernel_runs_in_float32_under_half_precision(kind, policy):
    exact, _ = pair(kind, return_sequences=True)
    half, _ = pair(kind, return_sequences=True, dtype=policy)
    outputs = half(X, mask=MASK)
    assert keras.backend.standardize_dtype(outputs.dtype) == policy.removeprefix("mixed_")
    np.testing.assert_allclose(keras.ops.convert_to_numpy(keras.ops.cast(outputs, "float32")), keras.ops.convert_to_numpy(exact(X, mask=MASK)), atol=2e-2)


@kinds
@pytest.mark.parametrize("jit_compile", ["auto", False] if keras.backend.backend() == "torch" else ["auto", True, False])
@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_a_model_trains_with_the_kernel_however_it_is_compiled(kind, jit_compile, policy):
    weights = []
    for layer in pair(kind, dtype=policy):
        model = keras.Sequential([keras.layers.Masking(), layer, keras.layers.Dense(1, dtype="float32", kernel_initializer="ones")])
        model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=jit_compile)
        model.fit(np.where(MASK[..., None], X, 0.0), np.ones((B, 1)), batch_size=B, epochs=2, verbose=0)
        weights.append(model.get_weights())
    for kernel, scan in zip(*weights, strict=True):
        np.testing.assert_allclose(kernel, scan, atol=1e-4 if policy == "float32" else 2e-2)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="elsewhere XLA has a kernel, or is not there")
@pytest.mark.parametrize("jit_compile", [True, False])
def test_what_xla_compiles_goes_without_the_kernel_in_whatever_function(jit_compile, monkeypatch):
    import tensorflow as tf

    layer, seen = LSTM(U, return_sequences=True), []
    layer.build(X.shape)
    expected = layer(X)
    monkeypatch.setattr(layer, "_may_use_kernel", lambda: True)
    monkeypatch.setattr(layer, "_run_kernel", lambda sequences, states, mask, weights: seen.append("kernel") or (expected, states))

    def call(x):  # as a step on several devices does: the model is not what is called first
        return layer.stateless_call(layer.trainable_variables, layer.non_trainable_variables, x)[0]

    np.testing.assert_allclose(tf.function(lambda x: tf.function(call)(x), jit_compile=jit_compile)(X), expected, atol=1e-6)
    assert seen == ([] if jit_compile else ["kernel"])
