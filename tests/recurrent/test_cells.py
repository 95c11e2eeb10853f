import json

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRUCell, LSTMCell, RNNCell, gru_step, lstm_step, rnn_step

pytestmark = pytest.mark.backends

B, D, U = 2, 3, 4

to_numpy = keras.ops.convert_to_numpy

CELLS = {
    "rnn": (RNNCell, keras.layers.SimpleRNNCell, {}),
    "lstm": (LSTMCell, keras.layers.LSTMCell, {}),
    "gru": (GRUCell, keras.layers.GRUCell, {}),
    "gru_reset_before": (GRUCell, keras.layers.GRUCell, {"reset_after": False}),
}
cells = pytest.mark.parametrize("name", CELLS)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


H, C, U_STATE = draw(B, U), draw(B, U, seed=1), {gates: draw(U, gates * U, seed=2) for gates in (1, 3, 4)}
X = {gates: draw(B, gates * U, seed=3) for gates in (1, 3, 4)}  # W x + b, as the step takes it


def check(actual, expected):
    np.testing.assert_allclose(to_numpy(actual), expected, atol=1e-6)


def part(matrix, i):
    """The columns of map `i`."""
    return matrix[:, i * U : (i + 1) * U]


def test_a_vanilla_step_is_its_equation():
    check(rnn_step(X[1], H, U_STATE[1]), np.tanh(X[1] + H @ U_STATE[1]))


def test_an_lstm_step_is_its_equations():
    i, f, o = (sigmoid(part(X[4], m) + H @ part(U_STATE[4], m)) for m in (0, 1, 3))
    g = np.tanh(part(X[4], 2) + H @ part(U_STATE[4], 2))
    cell = f * C + i * g
    new = lstm_step(X[4], H, C, U_STATE[4])
    expected = {"input_gate": i, "forget_gate": f, "candidate": g, "output_gate": o, "cell": cell, "hidden": o * np.tanh(cell)}
    assert new.keys() == expected.keys()
    for name in expected:
        check(new[name], expected[name])


@pytest.mark.parametrize("reset_after", [True, False])
def test_a_gru_step_is_its_equations(reset_after):
    bias = draw(3 * U, seed=4) if reset_after else np.zeros(3 * U, "float32")
    b_z, b_r, b_h = np.split(bias, 3)
    z = sigmoid(part(X[3], 0) + H @ part(U_STATE[3], 0) + b_z)
    r = sigmoid(part(X[3], 1) + H @ part(U_STATE[3], 1) + b_r)
    inner = r * (H @ part(U_STATE[3], 2) + b_h) if reset_after else (r * H) @ part(U_STATE[3], 2)
    candidate = np.tanh(part(X[3], 2) + inner)
    new = gru_step(X[3], H, U_STATE[3], bias if reset_after else None, reset_after)
    expected = {"update_gate": z, "reset_gate": r, "candidate": candidate, "hidden": z * H + (1 - z) * candidate}
    assert new.keys() == expected.keys()
    for name in expected:
        check(new[name], expected[name])


@cells
@pytest.mark.parametrize("use_bias", [True, False])
def test_a_cell_equals_kerass_of_the_same_weights(name, use_bias):
    ours, theirs, options = CELLS[name]
    ours, theirs = ours(U, use_bias=use_bias, **options), theirs(U, use_bias=use_bias, **options)
    x, states = draw(B, D, seed=5), [H, C] if name == "lstm" else [H]
    theirs.build((B, D))
    ours.build((B, D))
    theirs.set_weights([draw(*w.shape, seed=6 + i) for i, w in enumerate(theirs.get_weights())])
    ours.set_weights(theirs.get_weights())
    output, new = ours(x, states)
    expected_output, expected_new = theirs(x, states)
    check(output, to_numpy(expected_output))
    assert len(new) == len(expected_new)
    for state, expected in zip(new, expected_new):
        check(state, to_numpy(expected))


@pytest.mark.parametrize("name", ["rnn", "gru"])
def test_a_single_state_comes_back_in_the_form_it_came_in(name):
    cell = CELLS[name][0](U)
    output, state = cell(draw(B, D), H)
    check(state, to_numpy(output))
    _, (state,) = cell(draw(B, D), [H])
    check(state, to_numpy(output))


@cells
def test_keras_runs_the_cell_in_its_own_loop(name):
    cell = CELLS[name][0](U, **CELLS[name][2])
    x = draw(B, 3, D)
    states = [np.zeros((B, U), "float32")] * (2 if name == "lstm" else 1)
    for t in range(3):
        output, states = cell(x[:, t], states)
    check(keras.layers.RNN(cell)(x), to_numpy(output))


@cells
def test_the_input_of_all_steps_can_be_multiplied_at_once(name):
    cell, x = CELLS[name][0](U, **CELLS[name][2]), draw(B, 3, D)
    cell.build((B, D))
    together = to_numpy(cell.project(x))
    assert together.shape == (B, 3, cell.gates * U)
    for t in range(3):
        check(cell.project(x[:, t]), together[:, t])


def test_the_forget_gate_starts_open():
    i, f, g, o = np.split(_bias(LSTMCell(U)), 4)
    np.testing.assert_array_equal(f, 1)
    assert not np.concatenate([i, g, o]).any()
    assert not _bias(LSTMCell(U, unit_forget_bias=False)).any()


def _bias(cell):
    cell.build((B, D))
    return to_numpy(cell.bias)


@cells
def test_a_config_makes_the_same_cell(name):
    cls, _, options = CELLS[name]
    initializers = {"kernel_initializer": keras.initializers.RandomNormal(0.2, seed=3), "recurrent_initializer": "zeros", "bias_initializer": "ones"}
    forget = {"unit_forget_bias": False} if name == "lstm" else {}
    cell = cls(U, use_bias=name != "rnn", dtype="mixed_bfloat16", name="mine", **initializers, **options, **forget)
    config = cell.get_config()
    again = cls.from_config(json.loads(json.dumps(config)))
    assert again.get_config() == config
    x, states = draw(B, D), [H, C] if name == "lstm" else [H]
    np.testing.assert_array_equal(*(to_numpy(keras.ops.cast(c(x, states)[0], "float32")) for c in (cell, again)))


@cells
@pytest.mark.parametrize("units", [0, -1, 2.5, "4", None])
def test_units_are_a_positive_integer(name, units):
    cls = CELLS[name][0]
    with pytest.raises(ValueError, match=rf"{cls.__name__} needs a positive integer of units\. Received: units={units!r}"):
        cls(units)
