"""The recurrent layers against PyTorch's, three levels in both directions: what was written down once, and the PyTorch that is installed, if any."""

import importlib.util
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

GOLDEN = Path(__file__).parents[1] / "golden"
LAYERS = {"rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}

kinds = pytest.mark.parametrize("kind", LAYERS)


def part(arrays, prefix):
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def check(kind, torch, gradients):
    units, levels = torch["initial"].shape[-1], torch["initial"].shape[1] // 2
    weights, expected = part(torch, "weights/"), part(torch, "gradients/")
    layers = []  # forward before backward at each level
    for level in range(levels):
        for reverse in (False, True):
            layers.append(LAYERS[kind](units, return_sequences=True, return_state=True, go_backwards=reverse))
            layers[-1].from_torch_weights(weights, level, reverse)

    def run(x):
        finals = []
        for level in range(levels):
            both = []
            for direction in range(2):
                place = 2 * level + direction
                outputs, *states = layers[place](x, initial_state=list(torch["initial"][:, place]))
                both.append(keras.ops.flip(outputs, axis=1) if direction else outputs)
                finals.append(states)
            x = keras.ops.concatenate(both, axis=-1)
        return x, finals

    outputs, finals = run(torch["inputs"])
    np.testing.assert_allclose(keras.ops.convert_to_numpy(outputs), torch["outputs"], atol=1e-5)
    for place, states in enumerate(finals):
        for state, final in zip(states, torch["final"][:, place], strict=True):
            np.testing.assert_allclose(keras.ops.convert_to_numpy(state), final, atol=1e-5)

    x, share = keras.Variable(torch["inputs"]), keras.ops.convert_to_tensor(torch["share"])
    variables = [variable for layer in layers for variable in layer.cell.trainable_variables]
    by_input, *by_weights = gradients(lambda: keras.ops.sum(run(x.value)[0] * share), [x, *variables])
    np.testing.assert_allclose(by_input, expected["inputs"], atol=1e-5)
    for place, layer in enumerate(layers):
        layer.from_torch_weights(expected, place // 2, bool(place % 2))  # the gradients in the layout of Keras
        in_layout = layer.cell.get_weights()
        if kind != "gru":
            in_layout[2] /= 2  # a sum of two biases has the derivative by it once, and not twice
        for ours, theirs in zip(by_weights[3 * place : 3 * place + 3], in_layout, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)


@kinds
def test_outputs_states_and_gradients_equal_what_pytorch_gave(kind, gradients):
    with np.load(GOLDEN / "torch_rnn.npz") as golden:
        check(kind, part(dict(golden), f"{kind}/"), gradients)


@kinds
def test_outputs_states_and_gradients_equal_those_of_the_pytorch_that_is_installed(kind, gradients):
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("make_torch_rnn", GOLDEN / "make_torch_rnn.py")
    make_torch_rnn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_torch_rnn)
    check(kind, make_torch_rnn.run(kind, seed=1), gradients)


def state_dict(gates=4, units=3, width=2):
    random = np.random.default_rng(0)
    shapes = {"weight_ih_l0": (gates * units, width), "weight_hh_l0": (gates * units, units), "bias_ih_l0": (gates * units,), "bias_hh_l0": (gates * units,)}
    return {name: random.normal(size=shape) for name, shape in shapes.items()}


def test_a_level_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"There are no weights weight_ih_l1, .*Received: weights named weight_ih_l0, weight_hh_l0"):
        LSTM(3).from_torch_weights(state_dict(), level=1)


@pytest.mark.parametrize("layer, weights", [(LSTM(3), state_dict(gates=3)), (LSTM(4), state_dict()), (GRU(3), state_dict())])
def test_weights_of_another_layer_are_refused_and_change_nothing(layer, weights):
    with pytest.raises(ValueError, match=r"has . maps of . units\. Received: weight_ih_l0 of shape"):
        layer.from_torch_weights(weights)
    assert not layer.built


def test_a_gru_that_resets_before_the_product_cannot_take_them():
    with pytest.raises(ValueError, match="PyTorch's GRU resets after the product"):
        GRU(3, reset_after=False).from_torch_weights(state_dict(gates=3))


def test_biases_are_not_lost():
    with pytest.raises(ValueError, match=r"which a layer without would lose\. Received: weights with bias_ih_l0, and use_bias=False"):
        LSTM(3, use_bias=False).from_torch_weights(state_dict())
