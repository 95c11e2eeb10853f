import json

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

B, T, D, U = 5, 6, 3, 4
# a row of real positions only, and rows padded right, padded left, with gaps, and of pads only
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]], bool)
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")

to_numpy = keras.ops.convert_to_numpy


def start(kind, seed=1):
    """An initial state, as a list."""
    return list(np.random.default_rng(seed).normal(size=(2 if kind == "lstm" else 1, B, U)).astype("float32"))


def check(actual, expected):
    """Compares nests of tensors."""
    actual, expected = keras.tree.flatten(actual), keras.tree.flatten(expected)
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        np.testing.assert_allclose(to_numpy(a), to_numpy(e), atol=1e-6)


@pytest.mark.parametrize("go_backwards", [False, True])
@pytest.mark.parametrize("mask", [MASK, None], ids=["mask", "no_mask"])
def test_outputs_and_states_equal_kerass(kind, mask, go_backwards, twins):
    ours, theirs = twins(kind, D, U, return_sequences=True, return_state=True, go_backwards=go_backwards)
    check(ours(X, mask=mask), theirs(X, mask=mask))
    outputs, *states = theirs(X, mask=mask, initial_state=start(kind))
    if mask is not None:  # before the first real position there is no output: Keras puts out zeros there too, except on JAX, where it is the initial state
        run = mask[:, ::-1] if go_backwards else mask
        outputs = np.where(run.cumsum(axis=1)[..., None] > 0, to_numpy(outputs), 0.0)
    check(ours(X, mask=mask, initial_state=start(kind)), [outputs, *states])


@pytest.mark.parametrize(
    "options",
    [{}, {"return_state": True}, {"return_sequences": True, "zero_output_for_mask": True}, {"zero_output_for_mask": True}, {"use_bias": False}],
    ids=str,
)
def test_every_form_of_output_equals_kerass(kind, options, twins):
    ours, theirs = twins(kind, D, U, **options)
    check(ours(X, mask=MASK), theirs(X, mask=MASK))


def test_gradients_of_weights_inputs_and_initial_state_equal_kerass(kind, twins, gradients):
    ours, theirs = twins(kind, D, U, return_sequences=True, return_state=True)
    x, states = keras.Variable(X), [keras.Variable(s) for s in start(kind)]

    def of(layer):
        def total():
            outputs, *final = layer(x.value, mask=MASK, initial_state=[s.value for s in states])
            outputs = outputs * keras.ops.cast(MASK.cumsum(axis=1)[..., None] > 0, "float32")  # before the first real position Keras on JAX goes another way
            return sum(keras.ops.mean(keras.ops.square(y)) for y in [outputs, *final])

        return gradients(total, [*layer.trainable_variables, x, *states])

    expected = of(theirs)
    check(of(ours), expected)
    assert all(np.abs(gradient).max() > 1e-3 for gradient in expected)


def test_inside_bidirectional_it_equals_kerass(kind, twins):
    pair = [keras.layers.Bidirectional(layer) for layer in twins(kind, D, U, return_sequences=True, return_state=True)]
    for layer in pair:
        layer.build(X.shape)
    weights = [np.random.default_rng(i).normal(scale=0.5, size=w.shape) for i, w in enumerate(pair[0].get_weights())]
    for layer in pair:
        layer.set_weights(weights)
    check(pair[0](X, mask=MASK), pair[1](X, mask=MASK))


def test_three_layers_on_a_masked_input_equal_kerass(kind, twins):
    stacks = zip(*(twins(kind, width, U, return_sequences=i < 2) for i, width in enumerate([D, U, U])))
    padded = np.where(MASK[..., None], X, 0.0)
    check(*(keras.Sequential([keras.layers.Masking(), *stack])(padded) for stack in stacks))


def test_a_stateful_layer_goes_on_where_it_stopped(kind, twins):
    ours, theirs = twins(kind, D, U, batch=B, stateful=True, return_sequences=True)
    whole = twins(kind, D, U, return_sequences=True)[0](X)
    pieces = [X[:, :2], X[:, 2:]]
    outputs = [to_numpy(ours(piece)) for piece in pieces]
    check(np.concatenate(outputs, axis=1), whole)
    check(outputs, [to_numpy(theirs(piece)) for piece in pieces])
    ours.reset_state()
    check(ours(pieces[0]), outputs[0])


def test_more_padding_changes_no_real_position(kind, twins):
    layer, _ = twins(kind, D, U, return_sequences=True, return_state=True)
    mask = np.arange(T) < np.array([[6], [4], [3], [2], [1]])
    longer = np.concatenate([X, np.full((B, 7, D), 99.0, "float32")], axis=1)
    outputs, *states = layer(X, mask=mask)
    padded_outputs, *padded_states = layer(longer, mask=np.pad(mask, [(0, 0), (0, 7)]))
    check(padded_outputs[:, :T], outputs)
    check(padded_states, states)


def test_a_batch_is_its_rows_one_by_one(kind, twins):
    layer, _ = twins(kind, D, U, return_sequences=True)
    together = to_numpy(layer(X, mask=MASK))
    check(np.concatenate([to_numpy(layer(X[b : b + 1], mask=MASK[b : b + 1])) for b in range(B)]), together)


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 1e-2), ("mixed_bfloat16", 6e-2)])
def test_half_precision_stays_close(kind, policy, tolerance, twins):
    exact, half = twins(kind, D, U, return_sequences=True)[0], twins(kind, D, U, return_sequences=True, dtype=policy)[0]
    outputs = half(X, mask=MASK)
    assert keras.backend.standardize_dtype(outputs.dtype) == policy.removeprefix("mixed_")
    assert {w.dtype for w in half.weights} == {"float32"}
    np.testing.assert_allclose(to_numpy(keras.ops.cast(outputs, "float32")), to_numpy(exact(X, mask=MASK)), atol=tolerance)


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="XLA compiles for TensorFlow and JAX")
def test_one_compiled_training_step_equals_an_eager_one(twins):
    y, padded, weights = np.zeros((B, U), "float32"), np.where(MASK[..., None], X, 0.0), []
    for how in ({"jit_compile": True}, {"run_eagerly": True, "jit_compile": False}, {"learning_rate": 0.0, "run_eagerly": True}):
        layers = [twins(kind, width, U, return_sequences=kind != "gru")[0] for kind, width in (("rnn", D), ("lstm", U), ("gru", U))]
        model = keras.Sequential([keras.layers.Masking(), *layers])
        model.compile(keras.optimizers.SGD(how.pop("learning_rate", 1.0)), "mse", **how)
        model.train_on_batch(padded, y)
        weights.append(model.get_weights())
    compiled, eager, untrained = weights
    for c, e, u in zip(compiled, eager, untrained, strict=True):
        np.testing.assert_allclose(c, e, atol=1e-5)
        assert np.abs(c - u).max() > 1e-4


def test_a_saved_model_gives_the_same_numbers(tmp_path):
    inputs = keras.Input((None, D))
    layers = [
        SimpleRNN(U, return_sequences=True, use_bias=False),
        LSTM(U, return_sequences=True, unit_forget_bias=False, go_backwards=True),
        GRU(U, return_sequences=True, reset_after=False, zero_output_for_mask=True),
        keras.layers.Bidirectional(GRU(U, return_state=True)),
    ]
    x = keras.layers.Masking()(inputs)
    for layer in layers:
        x = layer(x)
    model = keras.Model(inputs, x)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    check(loaded(X), model(X))
    assert [layer.get_config() for layer in loaded.layers[2:5]] == [layer.get_config() for layer in layers[:3]]


@pytest.mark.parametrize("layer", [SimpleRNN, LSTM, GRU])
def test_a_config_makes_the_same_layer(layer):
    own = {SimpleRNN: {"use_bias": False}, LSTM: {"unit_forget_bias": False}, GRU: {"reset_after": False}}[layer]
    switches = dict.fromkeys(["return_sequences", "return_state", "go_backwards", "stateful", "zero_output_for_mask"], True)
    made = layer(U, kernel_initializer=keras.initializers.RandomNormal(0.2, seed=3), dtype="mixed_bfloat16", name="mine", **own, **switches)
    config = made.get_config()
    again = layer.from_config(json.loads(json.dumps(config)))
    assert again.get_config() == config
    assert {**switches, **own, "units": U, "name": "mine"}.items() <= config.items()
    assert (again.dtype_policy.name, again.cell.dtype_policy.name) == ("mixed_bfloat16", "mixed_bfloat16")
    assert all(getattr(again, name) is True for name in switches)


def test_the_untrained_layer_starts_as_kerass(kind):
    keras.utils.set_random_seed(3)
    ours = {"rnn": SimpleRNN, "lstm": LSTM}.get(kind, GRU)(U)
    ours.build((None, None, D))
    kernel, recurrent, *bias = ours.get_weights()
    assert np.abs(kernel).max() <= np.sqrt(6 / (D + kernel.shape[1]))  # Glorot's bound
    np.testing.assert_allclose(recurrent @ recurrent.T, np.eye(U), atol=1e-5)  # orthogonal rows
    assert set(np.unique(bias[0])) <= {0.0, 1.0}
    assert ours.units == U


@pytest.mark.parametrize("layer", [SimpleRNN, LSTM, GRU])
@pytest.mark.parametrize("units", [0, 2.5, "4"])
def test_units_are_a_positive_integer(layer, units):
    with pytest.raises(ValueError, match=rf"needs a positive integer of units\. Received: units={units!r}"):
        layer(units)


def test_integers_and_broadcast_masks_are_taken_as_kerass_take_them(kind, twins):
    ours, theirs = twins(kind, D, U)
    whole = np.random.default_rng(0).integers(-3, 3, size=(B, T, D))
    check(ours(whole), theirs(whole.astype("float32")))
    row = MASK[1:2]
    check(ours(X, mask=row), theirs(X, mask=row.repeat(B, axis=0)))
    check(ours(X, mask=MASK[..., None]), theirs(X, mask=MASK))
    assert ours.trace(X, mask=row)["hidden"].shape == (B, T, U)


@pytest.mark.parametrize("states", [1, 3])
def test_states_of_the_wrong_number_or_width_are_named(states):
    layer = LSTM(U)
    with pytest.raises(ValueError, match=r"LSTM starts from 2 tensors of shape \(batch, 4\): hidden, cell\. Received: initial_state of shapes"):
        layer(X, initial_state=[np.zeros((B, U), "float32")] * states)
    with pytest.raises(ValueError, match=r"Received: initial_state of shapes \[\(5, 7\), \(5, 7\)\]"):
        layer(X, initial_state=[np.zeros((B, 7), "float32")] * 2)


def test_an_input_without_a_time_axis_is_named():
    with pytest.raises(ValueError, match="expected ndim=3, found ndim=2"):
        LSTM(U)(X[:, 0])
