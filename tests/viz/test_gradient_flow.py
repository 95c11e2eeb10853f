"""The gradient by the state at each step, against derivatives worked out by hand."""

import keras
import numpy as np
import pytest

from keras_richctx.layers import GRU, LSTM, SimpleRNN
from keras_richctx.viz import gradient_flow, gradient_norms

B, T, D, U = 3, 6, 4, 5


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")


@pytest.fixture
def mask():
    return np.arange(T)[None] < np.array([6, 3, 4])[:, None]


def by_hand(rnn, x):
    """The norm of the derivative of the sum of squares of the last state of a vanilla network: a product of Jacobians for each example."""
    kernel, recurrent_kernel, bias = (weight.astype("float64") for weight in rnn.get_weights())
    norms = np.zeros(x.shape[:2])
    for b, rows in enumerate(x.astype("float64")):
        states = [np.zeros(U)]
        for row in rows:
            states.append(np.tanh(row @ kernel + states[-1] @ recurrent_kernel + bias))
        gradient = 2 * states[-1]
        for t in range(len(rows), 0, -1):
            norms[b, t - 1] = np.linalg.norm(gradient)
            gradient = recurrent_kernel @ (gradient * (1 - states[t] ** 2))
    return norms


def test_the_norms_are_those_of_the_product_of_jacobians(x):
    rnn = SimpleRNN(U, name="rnn")
    norms = gradient_norms(rnn, x)
    np.testing.assert_allclose(norms["rnn"], by_hand(rnn, x), rtol=1e-4)


def test_the_loss_is_taken_at_the_last_real_step_and_masked_steps_are_masked(x, mask):
    rnn = SimpleRNN(U, name="rnn", return_sequences=True)
    norms = gradient_norms(rnn, x, mask=mask)["rnn"]
    np.testing.assert_array_equal(norms.mask, ~mask)
    for b, length in enumerate(mask.sum(axis=1)):
        np.testing.assert_allclose(norms[b, :length], by_hand(rnn, x[b : b + 1, :length])[0], rtol=1e-4)


def test_the_steps_of_a_layer_that_reads_from_the_end_stand_in_the_order_of_the_text(x):
    model = keras.Sequential([keras.layers.Bidirectional(SimpleRNN(U, name="rnn"))])
    norms = gradient_norms(model, x)
    forward, backward = model.layers[0].forward_layer, model.layers[0].backward_layer
    np.testing.assert_allclose(norms[forward.name], by_hand(forward, x), rtol=1e-4)
    np.testing.assert_allclose(norms[backward.name], by_hand(backward, x[:, ::-1])[:, ::-1], rtol=1e-4)


def test_the_loss_against_y_is_the_compiled_one(x):
    model = keras.Sequential([SimpleRNN(U, name="rnn")])
    model.compile(loss="mse")
    zeros = gradient_norms(model, x, y=np.zeros((B, U)))["rnn"]
    np.testing.assert_allclose(zeros, by_hand(model.layers[0], x) / (B * U), rtol=1e-4)


def test_a_loss_of_ones_own_is_taken(x):
    rnn = SimpleRNN(U, name="rnn")
    np.testing.assert_allclose(gradient_norms(rnn, x, loss=lambda h: 7 * keras.ops.sum(h**2))["rnn"], 7 * by_hand(rnn, x), rtol=1e-4)


def test_networks_are_compared_under_their_names_in_one_figure(x):
    stack = keras.Sequential([GRU(U, return_sequences=True, name="lower"), LSTM(U, name="upper")])
    flow = gradient_flow({"RNN": SimpleRNN(U), "stack": stack}, x, relative=True)
    assert list(flow.norms) == list(flow.singular_values) == ["RNN", "stack: lower", "stack: upper"]
    assert [values.shape for values in flow.singular_values.values()] == [(1, U), (3, U), (4, U)]
    assert [text.get_text() for text in flow.figure.axes[0].get_legend().get_texts()] == list(flow.norms)
    np.testing.assert_allclose(flow.norms["stack: upper"], gradient_norms(stack, x)["upper"], rtol=1e-5)
    assert flow._repr_png_().startswith(b"\x89PNG")


def test_the_singular_values_are_those_of_each_map_of_the_state(x):
    gru = GRU(U, name="gru")
    flow = gradient_flow(gru, x)
    maps = np.split(gru.get_weights()[1], 3, axis=1)
    np.testing.assert_allclose(flow.singular_values["gru"], [np.linalg.svd(each)[1] for each in maps], rtol=1e-5)


def test_looking_changes_nothing(x):
    model = keras.Sequential([SimpleRNN(U, return_sequences=True), LSTM(U)])
    before = keras.ops.convert_to_numpy(model(x))
    weights = model.get_weights()
    gradient_flow(model, x)
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(model(x)), before)
    for old, new in zip(weights, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_what_cannot_be_measured_is_refused_by_name(x):
    with pytest.raises(ValueError, match=r"those of Keras cannot be probed\. Received: model="):
        gradient_flow(keras.Sequential([keras.layers.LSTM(U)]), x)
    with pytest.raises(ValueError, match=r"needs a compiled model\. Received: model="):
        gradient_flow(keras.Sequential([LSTM(U)]), x, y=np.zeros((B, U)))
    with pytest.raises(ValueError, match=r"either that of the model against y, or the function"):
        gradient_flow(LSTM(U), x, y=np.zeros((B, U)), loss=keras.ops.sum)
