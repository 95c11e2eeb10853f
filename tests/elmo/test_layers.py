import json

import keras
import numpy as np
import pytest

from keras_richctx.elmo import BiLM, CharacterCNN, Highway, ProjectedLSTMStack, ScalarMix
from keras_richctx.text import CharacterTokenizer

pytestmark = pytest.mark.backends

B, T, D = 3, 5, 4
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
MASK = np.arange(T) < np.array([[5], [3], [1]])
SENTENCES = [["a", "bank", "of", "naïve", "sand"], ["two", "banks", "meet"], ["x"]]
IDS = CharacterTokenizer(12)(SENTENCES)


def numpy(x):
    return keras.ops.convert_to_numpy(x)


def randomize(layer):
    for i, weight in enumerate(layer.trainable_variables):
        weight.assign(np.random.default_rng(i).normal(scale=0.7, size=weight.shape))
    return layer


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def highway_by_hand(layer, x):
    transform_kernel, transform_bias, gate_kernel, gate_bias = (numpy(weight) for weight in layer.weights)
    gate = sigmoid(x @ gate_kernel + gate_bias)
    return gate * np.maximum(x @ transform_kernel + transform_bias, 0) + (1 - gate) * x


def test_a_highway_is_its_equation_and_carries_at_first():
    layer = Highway()
    small = X / 10  # so that the gate is that of its bias, sigma(-2) = 0.12
    assert np.abs(numpy(layer(small)) - small).max() < 0.5 * np.abs(small).max()
    randomize(layer)
    np.testing.assert_allclose(numpy(layer(X)), highway_by_hand(layer, X), atol=1e-5)


@pytest.mark.parametrize("activation, projection", [("relu", 6), ("tanh", None)])
def test_a_character_cnn_is_its_equation(activation, projection):
    layer = CharacterCNN([(1, 3), (3, 5)], embedding_dim=4, num_highways=2, projection_dim=projection, activation=activation)
    layer.build(IDS.shape)
    randomize(layer)
    table = np.concatenate([np.zeros((1, 4)), numpy(layer.embeddings)])
    features = []
    for (width, _), kernel, bias in zip(layer.filters, layer.kernels, layer.biases):
        windows = np.lib.stride_tricks.sliding_window_view(table[IDS], width, axis=2)  # (B, T, C - w + 1, E, w)
        features.append((np.einsum("btcew,wef->btcf", windows, numpy(kernel)) + numpy(bias)).max(axis=2))
    expected = np.concatenate(features, axis=-1)
    expected = np.maximum(expected, 0) if activation == "relu" else np.tanh(expected)
    for highway in layer.highways:
        expected = highway_by_hand(highway, expected)
    if projection:
        expected = expected @ numpy(layer.projection.kernel) + numpy(layer.projection.bias)
    np.testing.assert_allclose(numpy(layer(IDS)), expected, atol=2e-5)


def test_a_bilm_reads_both_ways_with_skips_and_pads_are_silent():
    layer = BiLM(2, units=7, projection_units=4, cell_clip=0.8, projection_clip=0.5)
    noise = np.where(MASK[..., None], X, np.nan)
    randomize(layer) if layer(X) is not None else None
    whole = numpy(layer(noise, mask=MASK))
    assert whole.shape == (B, 2, T, 8)
    assert not whole[:, :, :, :][np.broadcast_to(~MASK[:, None], (B, 2, T))].any()
    # one row alone, by Keras' own loop over the cells
    x = X[1:2, :3]
    for stack, turned, part in ((layer.forward_stack, False, slice(0, 4)), (layer.backward_stack, True, slice(4, 8))):
        first, second = (keras.layers.RNN(cell, return_sequences=True, go_backwards=turned) for cell in stack.cells)
        low = numpy(first(x))
        low = low[:, ::-1] if turned else low
        high = numpy(second(low))
        high = (high[:, ::-1] if turned else high) + low
        np.testing.assert_allclose(whole[1:2, 0, :3, part], low, atol=1e-5)
        np.testing.assert_allclose(whole[1:2, 1, :3, part], high, atol=1e-5)


def test_the_stack_goes_on_from_a_state():
    stack = randomize(built(ProjectedLSTMStack(2, units=7, projection_units=4, cell_clip=0.8)))
    whole, final = stack(X)
    first, state = stack(X[:, :2])
    second, after = stack(X[:, 2:], state=state)
    for layer, a, b in zip(whole, first, second):
        np.testing.assert_allclose(numpy(layer), np.concatenate([numpy(a), numpy(b)], axis=1), atol=1e-5)
    for expected, found in zip(final, after):
        np.testing.assert_allclose(numpy(found), numpy(expected), atol=1e-5)


def built(layer):
    layer.build(X.shape)
    return layer


@pytest.mark.parametrize("layer_norm", [None, "token", "batch"])
def test_a_mix_is_its_equation(layer_norm):
    layers = np.random.default_rng(1).normal(loc=2.0, size=(B, 3, T, D)).astype("float32")
    mix = ScalarMix(layer_norm)
    mix.build(layers.shape)
    mix.scalars.assign([0.3, -1.0, 2.0])
    mix.gamma.assign(1.7)
    s = np.exp([0.3, -1.0, 2.0])
    x = layers.astype("float64")
    if layer_norm == "token":
        x = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    if layer_norm == "batch":
        real = [x[:, level][MASK] for level in range(3)]
        x = np.stack([(x[:, level] - real[level].mean()) / real[level].std() for level in range(3)], axis=1)
    expected = np.where(MASK[..., None], 1.7 * np.einsum("l,bltd->btd", s / s.sum(), x), 0)
    np.testing.assert_allclose(numpy(mix(np.where(MASK[:, None, :, None], layers, np.nan), mask=MASK)), expected, atol=1e-5)


def test_the_average_comes_first_and_the_penalty_draws_back_to_it():
    layers = np.random.default_rng(1).normal(size=(B, 3, T, D)).astype("float32")
    mix = ScalarMix(regularization=0.5)
    np.testing.assert_allclose(numpy(mix(layers)), layers.mean(axis=1), atol=1e-6)
    assert not mix.losses
    mix.scalars.assign([1.0, 0.0, -2.0])
    mix(layers, training=True)
    assert float(mix.losses[0]) == pytest.approx(0.5 * 5.0)


@pytest.mark.parametrize(
    "layer, inputs",
    [
        (Highway(gate_bias=-1.0), X),
        (CharacterCNN([(1, 3), (2, 4)], 3, 1, 5, "tanh"), IDS),
        (BiLM(1, 6, 4, None, 2.0, False), X),
        (ScalarMix("token", 0.1), np.repeat(X[:, None], 2, axis=1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_config_makes_the_same_layer_in_every_precision(layer, inputs):
    exact = numpy(layer(inputs))
    config = json.loads(json.dumps(layer.get_config()))
    for policy, tolerance in (("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1)):
        half = type(layer).from_config({**config, "dtype": policy})
        half.build(inputs.shape)
        half.set_weights(layer.get_weights())
        assert half.get_config().keys() == layer.get_config().keys()
        np.testing.assert_allclose(numpy(keras.ops.cast(half(inputs), "float32")), exact, atol=tolerance * max(1, np.abs(exact).max()))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: CharacterCNN([(0, 3)]), r"pairs of a width and a number.*Received: filters=\[\(0, 3\)\]"),
        (lambda: CharacterCNN(activation="gelu"), "Received: activation='gelu'"),
        (lambda: CharacterCNN([(20, 3)])(IDS), "A filter is 20 characters wide"),
        (lambda: ScalarMix("layer"), "Received: layer_norm='layer'"),
        (lambda: ScalarMix(regularization=-1), "Received: regularization=-1"),
        (lambda: ScalarMix()(X), r"\(batch, layers, length, width\)"),
        (lambda: ProjectedLSTMStack(0, 3, 2), "Received: num_layers=0"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
