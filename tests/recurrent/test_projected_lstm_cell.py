import json

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import LSTMCell, ProjectedLSTMCell

pytestmark = pytest.mark.backends

B, T, D, U, P = 3, 5, 2, 6, 4
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")


def numpy(x):
    return keras.ops.convert_to_numpy(x)


def made(scale=1.0, **options):
    cell = ProjectedLSTMCell(U, P, **options)
    cell.build((None, D))
    cell.set_weights([np.random.default_rng(i).normal(scale=scale, size=w.shape).astype("float32") for i, w in enumerate(cell.get_weights())])
    return cell


def by_hand(cell, x):
    """The equations in NumPy."""
    kernel, recurrent, bias, projection = cell.get_weights()
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    clip = lambda v, limit: v if limit is None else np.clip(v, -limit, limit)  # noqa: E731
    p, c, outputs = np.zeros((len(x), P)), np.zeros((len(x), U)), []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ kernel + p @ recurrent + bias, 4, axis=-1)
        c = clip(sigmoid(f) * c + sigmoid(i) * np.tanh(g), cell.cell_clip)
        p = clip(sigmoid(o) * np.tanh(c) @ projection, cell.projection_clip)
        outputs.append(p)
    return np.stack(outputs, axis=1)


@pytest.mark.parametrize("clips", [{}, {"cell_clip": 0.5}, {"projection_clip": 0.3}, {"cell_clip": 0.4, "projection_clip": 0.6}], ids=str)
def test_it_is_its_equations(clips):
    cell = made(**clips)
    expected = by_hand(cell, X)
    np.testing.assert_allclose(numpy(keras.layers.RNN(cell, return_sequences=True)(X)), expected, atol=1e-5)
    unclipped = by_hand(made(), X)
    assert (np.abs(expected - unclipped).max() > 0.01) == bool(clips)


def test_without_clips_it_is_pytorchs_lstm_with_a_projection():
    torch = pytest.importorskip("torch")
    cell = made()
    theirs = torch.nn.LSTM(D, U, proj_size=P, batch_first=True)
    kernel, recurrent, bias, projection = cell.get_weights()
    with torch.no_grad():
        for parameter, value in zip(theirs.parameters(), (kernel.T, recurrent.T, bias, 0 * bias, projection.T)):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(value)))
        expected = theirs(torch.from_numpy(X))[0].numpy()
    np.testing.assert_allclose(numpy(keras.layers.RNN(cell, return_sequences=True)(X)), expected, atol=1e-5)


def test_an_identity_for_a_projection_gives_the_plain_cell():
    cell, plain = ProjectedLSTMCell(U, U), LSTMCell(U)
    cell.build((None, D))
    plain.build((None, D))
    plain.set_weights(cell.get_weights()[:3])
    cell.projection_kernel.assign(np.eye(U))
    states = [np.full((B, U), value, "float32") for value in (0.2, -0.4)]
    for ours, expected in zip(keras.tree.flatten(cell(X[:, 0], states)), keras.tree.flatten(plain(X[:, 0], states))):
        np.testing.assert_allclose(numpy(ours), numpy(expected), atol=1e-6)


def test_pads_leave_the_state_alone():
    rnn = keras.layers.RNN(made(cell_clip=1.0, projection_clip=1.0), return_sequences=True, return_state=True)
    mask = np.arange(T) < np.array([[5], [3], [1]])
    _, *states = rnn(np.where(mask[..., None], X, 7.0), mask=mask)
    for row, length in enumerate((5, 3, 1)):
        _, *alone = rnn(X[row : row + 1, :length])
        for state, expected in zip(states, alone):
            np.testing.assert_allclose(numpy(state)[row : row + 1], numpy(expected), atol=1e-6)


def test_a_clipped_value_passes_no_gradient(gradients):
    cell = made(scale=30.0, projection_clip=1e-3)
    x = keras.Variable(X)
    (gradient,) = gradients(lambda: keras.ops.sum(keras.layers.RNN(cell)(x.value)), [x])
    assert not gradient.any()


def test_a_config_makes_the_same_cell_and_a_model_with_it_saves(tmp_path):
    cell = made(cell_clip=3.0, projection_clip=2.0, unit_forget_bias=False)
    config = cell.get_config()
    assert ProjectedLSTMCell.from_config(json.loads(json.dumps(config))).get_config() == config
    model = keras.Sequential([keras.Input((None, D)), keras.layers.Bidirectional(keras.layers.RNN(cell, return_sequences=True))])
    model.save(tmp_path / "model.keras")
    np.testing.assert_allclose(numpy(keras.saving.load_model(tmp_path / "model.keras")(X)), numpy(model(X)), atol=1e-6)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"units": 4, "projection_units": 0}, r"projects to a positive integer of units\. Received: projection_units=0"),
        ({"units": 4, "projection_units": 2, "cell_clip": -1.0}, r"cell_clip is a positive number, or None\. Received: cell_clip=-1\.0"),
        ({"units": 4, "projection_units": 2, "projection_clip": 0}, r"projection_clip is a positive number, or None\. Received: projection_clip=0"),
    ],
)
def test_widths_and_clips_are_positive(options, message):
    with pytest.raises(ValueError, match=message):
        ProjectedLSTMCell(**options)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("clips", [{}, {"cell_clip": 0.5, "projection_clip": 0.3}], ids=str)
def test_the_written_out_gradient_is_that_of_the_loop(clips, training, gradients):
    cell = made(forget_bias=1.0, **clips)
    x = keras.Variable(X)
    states = [keras.Variable(np.random.default_rng(i).normal(size=(B, width))) for i, width in enumerate((P, U))]
    mask = np.arange(T) < np.array([[5], [3], [1]])
    loop = keras.layers.RNN(cell, return_sequences=True, return_state=True)

    def summed(outputs, hidden, last):
        return keras.ops.sum(keras.ops.where(mask[..., None], outputs, 0) ** 2) + keras.ops.sum(3 * hidden) + keras.ops.sum(last**3)

    def by_loop():
        return summed(*loop(x.value, initial_state=[state.value for state in states], mask=mask))

    def by_scan():
        outputs, (hidden, last) = cell.run(x.value, [state.value for state in states], mask, training=training)
        return summed(outputs, hidden, last)

    variables = [x, *states, *cell.trainable_variables]
    for ours, theirs in zip(gradients(by_scan, variables), gradients(by_loop, variables)):
        np.testing.assert_allclose(numpy(ours), numpy(theirs), atol=2e-5)


def test_a_forget_bias_is_added_at_run_time():
    plain, opened = made(unit_forget_bias=False), made(unit_forget_bias=False, forget_bias=1.0)
    shifted = numpy(plain.bias) + np.repeat([0, 1, 0, 0], U)
    plain.bias.assign(shifted)
    states = [np.full((B, width), 0.3, "float32") for width in (P, U)]
    np.testing.assert_allclose(numpy(opened(X[:, 0], states)[0]), numpy(plain(X[:, 0], states)[0]), atol=1e-6)
