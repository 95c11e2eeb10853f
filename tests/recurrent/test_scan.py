"""The scan, whose gradient is written out, against the plain loop, which the backend differentiates."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

LAYERS = {"rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}
kinds = pytest.mark.parametrize("kind", LAYERS)


def draw(random, *shape):
    return random.normal(size=shape).astype("float32")


def both_ways(kind, gradients, mask, shape, training=False, **options):
    """Outputs, final states and gradients of a layer by its scan and by the plain loop, on the same draws."""
    results = []
    for plain in (False, True):
        random = np.random.default_rng(7)
        batch, length, width, units = shape
        layer = LAYERS[kind](units, return_sequences=True, return_state=True, use_cudnn=False, seed=3, **options)
        layer.build((None, None, width))
        layer.set_weights([0.7 * draw(random, *w.shape) for w in layer.get_weights()])
        x, states = keras.Variable(draw(random, batch, length, width)), [keras.Variable(draw(random, batch, units)) for _ in layer.cell.state_names]
        share = [keras.ops.convert_to_tensor(draw(random, batch, length, units)), *(keras.ops.convert_to_tensor(draw(random, batch, units)) for _ in states)]
        if plain:
            layer.cell.__class__ = type("Plain", (layer.cell.__class__,), {"has_scan": False})

        def loss(layer=layer, x=x, states=states, share=share):
            parts = layer(x.value, initial_state=[s.value for s in states], mask=mask, training=training)
            return sum(keras.ops.sum(part * weight) for part, weight in zip(parts, share))

        first = keras.ops.convert_to_numpy(loss())
        layer.seed_generator.state.assign(keras.random.SeedGenerator(3).state.value)
        results.append([first, *gradients(loss, [*layer.trainable_variables, x, *states])])
    return results


@kinds
@settings(max_examples=2 if keras.backend.backend() == "jax" else 12)  # JAX compiles each shape
@given(data=st.data())
def test_the_written_out_gradient_is_the_backends(kind, gradients, data):
    shape = tuple(data.draw(st.integers(1, 5)) for _ in range(4))
    mask = data.draw(st.none() | st.lists(st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]))
    scan, plain = both_ways(kind, gradients, None if mask is None else np.array(mask), shape)
    for ours, expected in zip(scan, plain, strict=True):
        np.testing.assert_allclose(ours, expected, atol=2e-5, rtol=1e-4)


@kinds
@pytest.mark.parametrize("options", [{"recurrent_dropout": 0.4}, {"weight_dropout": 0.4}, {"dropout": 0.4, "recurrent_dropout": 0.2}], ids=str)
def test_dropout_goes_backwards_as_it_went_forwards(kind, gradients, options):
    mask = np.array([[1, 1, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1]], bool)
    scan, plain = both_ways(kind, gradients, mask, (3, 4, 2, 5), training=True, **options)
    for ours, expected in zip(scan, plain, strict=True):
        np.testing.assert_allclose(ours, expected, atol=2e-5, rtol=1e-4)


@kinds
def test_with_and_without_saved_gates_the_gradient_is_the_same(kind, gradients):
    shape = (3, 4, 2, 5)
    for a, b in zip(*(both_ways(kind, gradients, None, shape, training=training)[0] for training in (False, True)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="the graphs of TensorFlow and JAX")
def test_lengths_may_be_unknown_and_may_be_one():
    inputs = keras.Input((None, 3))
    outputs = [layer(4, return_sequences=True, go_backwards=True)(inputs) for layer in LAYERS.values()]
    model = keras.Model(inputs, outputs)
    model.compile(jit_compile=False)
    for length in (1, 5):
        x = draw(np.random.default_rng(0), 2, length, 3)
        for compiled, eager in zip(model.predict_on_batch(x), model(x)):
            np.testing.assert_allclose(compiled, keras.ops.convert_to_numpy(eager), atol=1e-6)


@pytest.mark.parametrize("noise", [np.nan, np.inf, 1e30])
def test_what_stands_at_pads_reaches_neither_outputs_nor_gradients(noise, gradients):
    x = draw(np.random.default_rng(0), 2, 5, 3)
    mask = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 1]], bool)
    found = []
    for value in (0.0, noise):
        layer = LSTM(4, return_sequences=True, seed=0)
        layer.build(x.shape)
        layer.set_weights([draw(np.random.default_rng(1), *w.shape) for w in layer.get_weights()])
        padded = keras.Variable(np.where(mask[..., None], x, np.float32(value)))
        found.append(gradients(lambda layer=layer, padded=padded: keras.ops.sum(layer(padded.value, mask=mask) ** 2), [*layer.trainable_variables, padded]))
    for expected, noisy in zip(*found):
        np.testing.assert_array_equal(expected, noisy)
    assert not found[1][-1][~mask].any()
