import subprocess
import sys

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

B, T, D, U = 3, 5, 2, 4
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 1, 0, 1]], bool)
NAMES = {
    SimpleRNN: {"hidden"},
    LSTM: {"input_gate", "forget_gate", "output_gate", "candidate", "cell", "hidden"},
    GRU: {"update_gate", "reset_gate", "candidate", "hidden"},
}
layers = pytest.mark.parametrize("cls", NAMES)


def numpy(x):
    return keras.ops.convert_to_numpy(x)


def made(cls, **options):
    layer = cls(U, return_sequences=True, **options)
    layer.build(X.shape)
    random = np.random.default_rng(1)
    layer.set_weights([random.normal(size=w.shape) for w in layer.get_weights()])
    return layer


@layers
@pytest.mark.parametrize("mask", [None, MASK], ids=["no_mask", "mask"])
@pytest.mark.parametrize("go_backwards", [False, True])
def test_the_trace_holds_every_gate_and_the_states_that_call_computes(cls, mask, go_backwards):
    layer = made(cls, go_backwards=go_backwards, return_state=True)
    outputs, *states = layer(X, mask=mask)
    trace = layer.trace(X, mask=mask)
    assert trace.keys() == NAMES[cls]
    assert {array.shape for array in trace.values()} == {(B, T, U)}
    run = np.ones((B, T), bool) if mask is None else mask[:, ::-1] if go_backwards else mask
    began = run.cumsum(axis=1) > 0
    np.testing.assert_allclose(trace["hidden"][began], numpy(outputs)[began], atol=1e-6)
    for name, state in zip(layer.cell.state_names, states):
        np.testing.assert_allclose(trace[name][:, -1], numpy(state), atol=1e-6)
    for name in trace.keys() - set(layer.cell.state_names):
        assert np.isnan(trace[name][~run]).all()
        assert np.isfinite(trace[name][run]).all()


@layers
def test_the_gates_are_those_of_the_cell_step_by_step(cls):
    layer = made(cls)
    trace = layer.trace(X)
    states = [np.zeros((B, U), "float32") for _ in layer.cell.state_names]
    for t in range(T):
        new = layer.cell.update(layer.cell.project(X[:, t]), list(map(keras.ops.convert_to_tensor, states)), layer.cell.recurrent_kernel)
        new = {name: numpy(value) for name, value in new.items()}
        states = [new[name] for name in layer.cell.state_names]
        for name, value in new.items():
            np.testing.assert_allclose(trace[name][:, t], value, atol=1e-6)


def test_the_cells_own_equation_holds_in_the_trace_of_an_lstm():
    trace = made(LSTM).trace(X)
    before = np.pad(trace["cell"], ((0, 0), (1, 0), (0, 0)))[:, :-1]
    np.testing.assert_allclose(trace["cell"], trace["forget_gate"] * before + trace["input_gate"] * trace["candidate"], atol=1e-6)
    np.testing.assert_allclose(trace["hidden"], trace["output_gate"] * np.tanh(trace["cell"]), atol=1e-6)


def test_a_trace_starts_from_the_given_state():
    layer = made(LSTM)
    start = [np.full((B, U), value, "float32") for value in (0.3, -0.7)]
    np.testing.assert_allclose(layer.trace(X, initial_state=start)["hidden"], numpy(layer(X, initial_state=start)), atol=1e-6)


def test_tracing_leaves_the_state_of_a_stateful_layer_as_it_was():
    layer = LSTM(U, stateful=True, return_sequences=True)
    layer.build((B, T, D))
    layer(X)
    before = [numpy(state) for state in layer.states]
    trace = layer.trace(X)
    krc.traces(keras.Sequential([layer]), X)
    for state, expected in zip(layer.states, before):
        np.testing.assert_array_equal(numpy(state), expected)
    np.testing.assert_allclose(numpy(layer(X)), trace["hidden"], atol=1e-6)


@pytest.fixture
def model():
    inputs = keras.Input((None, D))
    x = keras.layers.Masking(-1.0)(inputs)
    x = keras.layers.Bidirectional(LSTM(U, return_sequences=True, name="lstm"), name="both")(x)
    x = GRU(3, return_sequences=True, name="low")(x)
    x = SimpleRNN(2, name="high")(x)
    return keras.Model(inputs, keras.layers.Dense(1)(x))


def test_every_layer_of_a_model_is_traced_in_order(model):
    padded = np.where(MASK[..., None], X, -1.0)
    found = krc.traces(model, padded)
    assert list(found) == ["forward_lstm", "backward_lstm", "low", "high"]
    assert found["low"]["update_gate"].shape == (B, T, 3)
    low = keras.Model(model.inputs, model.get_layer("low").output)
    began = MASK.cumsum(axis=1) > 0
    np.testing.assert_allclose(found["low"]["hidden"][began], numpy(low(padded))[began], atol=1e-6)


def test_traces_work_after_fit_and_change_nothing(model):
    model.compile("sgd", "mse")
    model.fit(X, np.ones((B, 1)), verbose=0)
    weights, before = model.get_weights(), model.predict(X, verbose=0)
    found = krc.traces(model, X)
    np.testing.assert_array_equal(model.predict(X, verbose=0), before)
    for now, then in zip(model.get_weights(), weights):
        np.testing.assert_array_equal(now, then)
    model.fit(X, np.ones((B, 1)), verbose=0)
    assert np.abs(krc.traces(model, X)["low"]["hidden"] - found["low"]["hidden"]).max() > 0


def test_traces_of_a_loaded_model_in_another_process_are_the_same(model, tmp_path):
    model.save(tmp_path / "model.keras")
    np.save(tmp_path / "x.npy", X)
    script = (
        "import sys, keras, numpy as np, keras_richctx as krc\n"
        "folder = sys.argv[1]\n"
        "model = keras.saving.load_model(folder + '/model.keras')\n"
        "np.savez(folder + '/trace.npz', **krc.traces(model, np.load(folder + '/x.npy'))['forward_lstm'])\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    with np.load(tmp_path / "trace.npz") as loaded:
        for name, array in krc.traces(model, X)["forward_lstm"].items():
            np.testing.assert_allclose(loaded[name], array, atol=1e-6)


def test_a_layer_that_is_called_twice_has_two_traces():
    shared = LSTM(U, return_sequences=True, name="shared")
    inputs = keras.Input((None, U))
    model = keras.Model(inputs, shared(shared(inputs)))
    found = krc.traces(model, np.ones((1, 3, U), "float32"))
    assert list(found) == ["shared", "shared 2"]


def test_a_model_without_our_layers_is_named():
    model = keras.Sequential([keras.Input((T, D)), keras.layers.LSTM(2)])
    with pytest.raises(ValueError, match=r"No recurrent layer of keras_richctx was called\. Received: model="):
        krc.traces(model, X)


@pytest.mark.parametrize("of", ["hidden", "cell"])
def test_a_probe_gives_the_derivative_by_the_state(of, gradients):
    # dL/ds_t by running the rest of the sequence from s_t
    layer = made(LSTM, return_state=True)
    probes = keras.Variable(np.zeros((B, T, U), "float32"))
    loss = lambda outputs: keras.ops.sum(outputs[:, -1] ** 2)  # noqa: E731
    with layer.probed(probes, of=of):
        (by_probe,) = gradients(lambda: loss(layer(X)[0]), [probes])
    trace = layer.trace(X)
    for t in range(T - 1):
        states = {name: keras.Variable(trace[name][:, t]) for name in ("hidden", "cell")}
        rest = lambda t=t, states=states: loss(layer(X[:, t + 1 :], initial_state=[s.value for s in states.values()])[0])  # noqa: E731
        np.testing.assert_allclose(by_probe[:, t], gradients(rest, [states[of]])[0], atol=1e-6)


def test_a_probe_of_a_state_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"The states of GRU are hidden\. Received: of='cell'"), GRU(2).probed(np.zeros((1, 1, 2)), of="cell"):
        pass


def test_probes_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"\(batch, steps, 2\)\. Received: probes of shape \(1, 3, 9\)"), GRU(2).probed(np.zeros((1, 3, 9))):
        pass
