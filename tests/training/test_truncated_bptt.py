"""Truncated backpropagation through time: the numbers go on from chunk to chunk, the gradient does not."""

import keras
import numpy as np
import pytest

from keras_richctx.datasets import stream_chunks
from keras_richctx.language_models import CharRNN
from keras_richctx.text import WordTokenizer
from keras_richctx.training import TimeLimit, carried_state, truncated_bptt
from keras_richctx.training.carried_state import CarriedState

pytestmark = pytest.mark.backends

ROWS, LENGTH = 3, 12  # tokens of a row
RATE = 0.5
QUIET = {"progress": False}
CELLS = pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])


@pytest.fixture(scope="module")
def tokenizer():
    return WordTokenizer.train(["one two three four five six seven"], vocab_size=11)


@pytest.fixture(scope="module")
def make(tokenizer):
    """`make(cell)` gives a small model with weights large enough to have opinions; the same arguments, the same weights."""

    def make(cell="lstm", seed=0):
        model = CharRNN(tokenizer, units=5, num_layers=2, cell=cell, embedding_dim=3)
        random = np.random.default_rng(seed)
        model.set_weights([random.normal(scale=0.8, size=w.shape) for w in model.get_weights()])
        return model

    return make


@pytest.fixture(scope="module")
def stream():
    return np.random.default_rng(0).integers(1, 11, ROWS * LENGTH + 1)


def to_numpy(nest):
    return keras.tree.map_structure(keras.ops.convert_to_numpy, nest)


def mean_loss(logits, targets):
    return keras.ops.mean(keras.ops.sparse_categorical_crossentropy(targets, logits, from_logits=True))


def plain_descent(model, rate=RATE, **options):
    model.compile(keras.optimizers.SGD(rate), **{"run_eagerly": keras.backend.backend() != "jax", **options})  # a few steps cost less than a program
    return model


def assert_weights(model, expected, atol=1e-5):
    for ours, theirs in zip(model.get_weights(), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=atol)


@CELLS
def test_a_chunk_that_covers_the_rows_gives_the_whole_gradient(make, stream, gradients, cell):
    model = make(cell)
    inputs, targets, _ = stream_chunks(stream, ROWS, LENGTH)
    whole = gradients(lambda: mean_loss(model(inputs["token_ids"]), targets), model.trainable_variables)
    expected = [weight - RATE * gradient for weight, gradient in zip(model.get_weights(), whole)]
    truncated_bptt(plain_descent(model), stream, chunk=LENGTH, batch_size=ROWS, **QUIET)
    assert_weights(model, expected)


@CELLS
def test_shorter_chunks_give_the_gradient_with_the_state_cut(make, stream, gradients, cell):
    model = make(cell)
    inputs, targets, _ = stream_chunks(stream, ROWS, LENGTH)
    ids, cut = inputs["token_ids"], 5  # chunks of 5, 5 and 2 tokens
    start = model.get_weights()
    state = to_numpy(model.initial_state(ROWS))
    for first in range(0, LENGTH, cut):
        piece, wanted = ids[:, first : first + cut], targets[:, first : first + cut]
        # the state is a constant here: numbers that the chunk before left, with the weights that it had
        part = gradients(lambda: mean_loss(model.advance(piece, state)[0], wanted), model.trainable_variables)  # noqa: B023
        state = to_numpy(model.advance(piece, state)[1])
        model.set_weights([weight - RATE * gradient for weight, gradient in zip(model.get_weights(), part)])
    expected = model.get_weights()
    model.set_weights(start)
    truncated_bptt(plain_descent(model), stream, chunk=cut, batch_size=ROWS, **QUIET)
    assert_weights(model, expected)


def test_the_cut_is_felt(make, stream, gradients):
    """The gradient of the second half with the state held fixed is not the whole one: otherwise the tests around this one could not tell the two apart."""
    model = make("gru")
    inputs, targets, _ = stream_chunks(stream, ROWS, LENGTH)
    ids, half = inputs["token_ids"], LENGTH // 2
    state = to_numpy(model.advance(ids[:, :half], model.initial_state(ROWS))[1])
    fixed = gradients(lambda: mean_loss(model.advance(ids[:, half:], state)[0], targets[:, half:]), model.trainable_variables)
    whole = gradients(lambda: mean_loss(model(ids)[:, half:], targets[:, half:]), model.trainable_variables)
    assert max(np.abs(a - b).max() for a, b in zip(fixed, whole)) > 1e-2


@pytest.mark.parametrize("cell, chunk", [("lstm", 1), ("rnn", 5), ("lstm", 5), ("gru", 5), ("lstm", LENGTH)])
def test_the_numbers_go_on_over_the_chunks_as_in_one_pass(make, stream, cell, chunk):
    model = make(cell)
    inputs, targets, _ = stream_chunks(stream, ROWS, LENGTH)
    logits, last = to_numpy(model.advance(inputs["token_ids"], model.initial_state(ROWS)))
    history = truncated_bptt(plain_descent(model, 0.0), stream, chunk=chunk, batch_size=ROWS, validation_stream=stream, **QUIET)
    expected = np.exp(float(mean_loss(logits, targets)))
    np.testing.assert_allclose(history.history["perplexity"], [expected], rtol=1e-5)
    np.testing.assert_allclose(history.history["val_perplexity"], [expected], rtol=1e-5)

    wrapped = CarriedState(model, ROWS)
    for rows in np.split(np.arange(LENGTH), range(chunk, LENGTH, chunk)):
        wrapped({"token_ids": inputs["token_ids"][:, rows], "begins": np.full(ROWS, rows[0] == 0)}, training=True)
    for ours, theirs in zip(wrapped.carried, last, strict=True):
        np.testing.assert_allclose(to_numpy(ours), theirs, atol=1e-5)
    assert not any(to_numpy(state).any() for state in wrapped.carried_in_evaluation)


def test_each_epoch_begins_from_the_initial_state(make, stream):
    model = plain_descent(make(), 0.0)
    loss = truncated_bptt(model, stream, chunk=5, batch_size=ROWS, epochs=3, **QUIET).history["loss"]
    assert loss[0] == pytest.approx(loss[1], rel=1e-6) == pytest.approx(loss[2], rel=1e-6)


def test_validation_changes_nothing_in_training(make, stream):
    with_validation, without = plain_descent(make()), plain_descent(make())
    history = truncated_bptt(with_validation, stream, chunk=5, batch_size=ROWS, epochs=2, validation_stream=stream[:20], **QUIET).history
    assert len(history["val_loss"]) == 2
    np.testing.assert_allclose(history["loss"], truncated_bptt(without, stream, chunk=5, batch_size=ROWS, epochs=2, **QUIET).history["loss"], rtol=1e-6)
    assert_weights(with_validation, without.get_weights(), atol=1e-6)


def test_what_a_model_adds_to_its_loss_counts(make, stream, gradients):
    model = make("gru")

    def with_activity(layer_outputs, index, mask=None, training=False):
        if training and index == 1:
            model.add_loss(0.3 * keras.ops.mean(keras.ops.square(layer_outputs)))
        return layer_outputs

    inputs, targets, _ = stream_chunks(stream, ROWS, LENGTH)

    def loss():
        features, _ = model.features(inputs["token_ids"], model.initial_state(ROWS))
        return mean_loss(model.project(features), targets) + 0.3 * keras.ops.mean(keras.ops.square(features))

    expected = [weight - RATE * gradient for weight, gradient in zip(model.get_weights(), gradients(loss, model.trainable_variables))]
    model.after_layer = with_activity
    truncated_bptt(plain_descent(model), stream, chunk=LENGTH, batch_size=ROWS, **QUIET)
    assert_weights(model, expected)


def test_the_model_keeps_its_optimizer_and_no_state(make, stream, tmp_path):
    model = make()
    model.compile(keras.optimizers.Adam(0.01), jit_compile=False)
    optimizer, variables = model.optimizer, [variable.path for variable in model.variables]
    truncated_bptt(model, stream, chunk=4, batch_size=ROWS, epochs=2, **QUIET)
    truncated_bptt(model, stream, chunk=6, batch_size=2, **QUIET)
    assert model.optimizer is optimizer
    assert int(optimizer.iterations) == 2 * 3 + 3
    assert [variable.path for variable in model.variables] == variables
    ids = np.ones((5, 2), "int32")
    logits = to_numpy(model(ids))
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_array_equal(to_numpy(loaded(ids)), logits)
    assert int(loaded.optimizer.iterations) == 9


def test_what_is_compiled_is_trained_with(make, stream):
    model = make()
    model.compile("sgd", loss=lambda y, logits: keras.ops.mean(logits**2) + 7.0, weighted_metrics=None)
    history = truncated_bptt(model, stream, chunk=4, batch_size=ROWS, **QUIET)
    assert list(history.history) == ["loss"]
    assert history.history["loss"][0] > 7.0


@pytest.mark.parametrize("jit_compile", [False, True])
def test_every_way_of_compiling_gives_the_same(make, stream, jit_compile):
    if jit_compile and keras.backend.backend() == "torch":
        pytest.skip("torch.compile needs a C++ compiler, and takes a minute for a loop")
    expected = plain_descent(make(), run_eagerly=True)
    truncated_bptt(expected, stream, chunk=5, batch_size=ROWS, epochs=2, **QUIET)
    model = plain_descent(make(), run_eagerly=False, jit_compile=jit_compile)
    truncated_bptt(model, stream, chunk=5, batch_size=ROWS, epochs=2, **QUIET)
    assert_weights(model, expected.get_weights())


@pytest.mark.parametrize("crash_at", [2, 4])
def test_a_run_cut_short_within_an_epoch_goes_on(make, stream, tmp_path, crash_at):
    class Crash(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if int(self.model.optimizer.iterations) == crash_at:
                raise RuntimeError("crash")

    def train(model, name, **options):
        return truncated_bptt(
            model,
            stream,
            chunk=4,
            batch_size=ROWS,
            epochs=2,
            validation_stream=stream[:20],
            checkpoint_dir=tmp_path / name,
            save_every_steps=1,
            **options,
            **QUIET,
        )

    whole, cut, resumed = (plain_descent(make(seed=seed)) for seed in (0, 0, 5))
    expected = train(whole, "whole")
    with pytest.raises(RuntimeError, match="crash"):
        train(cut, "cut", callbacks=[Crash()])
    history = train(resumed, "cut")
    if keras.backend.backend() == "tensorflow":  # elsewhere the epoch is started over
        assert_weights(resumed, whole.get_weights(), atol=1e-6)
        for name, values in expected.history.items():
            np.testing.assert_allclose(history.history[name], values, rtol=1e-5)
    assert history.epoch == [0, 1]


def test_the_clock_may_end_it(make, stream):
    model = make()
    model.compile(keras.optimizers.Adam(0.01))
    history = truncated_bptt(model, stream, chunk=4, batch_size=ROWS, epochs=100_000, callbacks=[TimeLimit(0.5, 0.01)], **QUIET)
    assert len(history.epoch) < 100_000
    assert float(model.optimizer.learning_rate) == 0.0


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_half_precision_trains_too(tokenizer, stream, policy):
    model = CharRNN(tokenizer, units=16, num_layers=2, dropout=0.1, dtype=policy)
    model.compile(keras.optimizers.Adam(0.05))
    loss = truncated_bptt(model, stream, chunk=4, batch_size=ROWS, epochs=10, **QUIET).history["loss"]
    assert loss[-1] < 0.8 * loss[0]
    assert {keras.backend.standardize_dtype(variable.dtype) for variable in model.trainable_variables} == {"float32"}


def test_a_model_must_be_compiled_first(make, stream):
    with pytest.raises(ValueError, match=r"must be compiled before it is trained\. Received: model='char_rnn"):
        truncated_bptt(make(), stream, chunk=4)


def test_a_model_on_several_devices_is_refused(make, stream, monkeypatch):
    model = make()
    model.compile("sgd")
    monkeypatch.setattr(carried_state, "is_distributed", lambda model: True)
    with pytest.raises(ValueError, match="no place on several devices"):
        truncated_bptt(model, stream, chunk=4)
