"""The laws of every recurrent language model: the state holds all that was read, and nothing else does."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_richctx.language_models import RecurrentLanguageModel

pytestmark = pytest.mark.backends

B, T = 3, 8
KERAS = {"rnn": keras.layers.SimpleRNN, "lstm": keras.layers.LSTM, "gru": keras.layers.GRU}
FEW = 2 if keras.backend.backend() == "jax" else 6  # each length of a piece is a program there
CELLS = pytest.mark.parametrize("cell", KERAS)


@CELLS
def test_equals_a_stack_of_keras_layers(make, draw, to_numpy, cell):
    model, ids = make(cell), draw(B, T)
    widths = [layer.units for layer in model.recurrent_layers]
    reference = keras.Sequential(
        [
            keras.layers.Embedding(model.vocab_size, model.embedding.output_dim),
            *[KERAS[cell](units, return_sequences=True) for units in widths],
            keras.layers.Dense(model.vocab_size),
        ]
    )
    reference.build((None, T))
    reference.set_weights(model.get_weights())
    np.testing.assert_allclose(to_numpy(model(ids)), to_numpy(reference(ids)), atol=1e-5)


@CELLS
def test_the_state_is_one_list_over_the_layers_in_their_order(make, draw, to_numpy, cell):
    model, ids = make(cell), draw(B, T)
    vectors = 2 if cell == "lstm" else 1  # hidden state and cell
    sizes = [units for layer in model.recurrent_layers for units in [layer.units] * vectors]
    state = model.initial_state(B)
    assert [s.shape for s in state] == [(B, units) for units in sizes]
    assert not any(s.any() for s in to_numpy(state))
    # the hidden state of the last layer is what the output layer saw at the last position
    features, state = to_numpy(model.features(ids, state))
    assert [s.shape for s in state] == [(B, units) for units in sizes]
    np.testing.assert_allclose(state[-vectors], features[:, -1], atol=1e-6)


@settings(max_examples=FEW)
@given(cuts=st.lists(st.integers(1, T - 1), unique=True), cell=st.sampled_from([*KERAS]))
def test_a_text_in_pieces_is_the_whole_text(make, draw, to_numpy, cuts, cell):
    model, ids = make(cell), draw(B, T)
    expected, expected_state = model.advance(ids, model.initial_state(B))
    pieces, state = [], model.initial_state(B)
    for piece in np.split(ids, sorted(cuts), axis=1):
        logits, state = model.advance(piece, state)
        pieces.append(to_numpy(logits))
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), to_numpy(expected), atol=1e-5)
    for ours, theirs in zip(state, expected_state, strict=True):
        np.testing.assert_allclose(to_numpy(ours), to_numpy(theirs), atol=1e-5)


def test_the_model_remembers_nothing_between_calls_and_takes_any_batch(make, draw, to_numpy):
    model, ids = make(), draw(B, T)
    expected = to_numpy(model(ids))
    model(draw(5, 2, seed=1))
    np.testing.assert_array_equal(to_numpy(model(ids)), expected)
    np.testing.assert_allclose(to_numpy(model(ids[1:2, :4])), expected[1:2, :4], atol=1e-6)
    np.testing.assert_allclose(model.predict(ids, verbose=0), expected, atol=1e-5)


@CELLS
def test_steps_after_a_start_are_the_positions_of_the_text(make, draw, to_numpy, cell):
    model, ids = make(cell), draw(B, T)
    expected = to_numpy(model(ids))
    token_ids, state, memory = model.start({"token_ids": ids[:, :5]}, T)
    for t in range(5, T):
        np.testing.assert_array_equal(to_numpy(token_ids), ids[:, t - 1])
        logits, state = model.step(token_ids, state, memory)
        np.testing.assert_allclose(to_numpy(logits), expected[:, t - 1], atol=1e-5)
        token_ids = keras.ops.convert_to_tensor(ids[:, t])


@pytest.mark.parametrize("cell, by, side", [("rnn", "mask", "left"), ("gru", "mask", "right"), ("lstm", "mask", "left"), ("lstm", "id", "right")])
def test_a_padded_prompt_starts_as_it_does_alone(make, draw, to_numpy, cell, by, side):
    model, ids, lengths = make(cell), draw(B, T), [8, 3, 1]
    real = np.arange(T)[None] < np.array(lengths)[:, None] if side == "right" else np.arange(T)[None] >= T - np.array(lengths)[:, None]
    inputs = {"token_ids": np.where(real, ids, model.pad_id)} if by == "id" else {"token_ids": ids, "padding_mask": real}
    last, state, _ = to_numpy(model.start(inputs, 1))
    for row, length in enumerate(lengths):
        prompt = ids[row][real[row]]
        assert len(prompt) == length
        alone, alone_state, _ = to_numpy(model.start({"token_ids": prompt[None]}, 1))
        assert last[row] == alone[0] == prompt[-1]
        for ours, theirs in zip(state, alone_state, strict=True):
            np.testing.assert_allclose(ours[row], theirs[0], atol=1e-5)


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 2e-1)])
def test_half_precision_stays_close(make, draw, to_numpy, policy, tolerance):
    ids = draw(B, T)
    half = to_numpy(keras.ops.cast(make(dtype=policy)(ids), "float32"))
    np.testing.assert_allclose(half, to_numpy(make()(ids)), atol=tolerance)


def test_a_symbolic_call_knows_its_shape(make):
    logits = make()(keras.Input((None,), dtype="int32"))
    assert logits.shape == (None, None, 11)


def test_padded_targets_of_weight_zero_do_not_count(make, draw):
    model, ids, targets = make(), draw(B, T), draw(B, T, seed=1)
    weights = (np.arange(T)[None] < np.array([[8], [5], [2]])).astype("float32")
    model.compile("sgd")
    measured = model.evaluate(ids, targets, sample_weight=weights, verbose=0, return_dict=True)
    log = keras.ops.convert_to_numpy(keras.ops.log_softmax(model(ids)))
    losses = -np.take_along_axis(log, targets[..., None], axis=-1)[..., 0]
    mean = losses[weights > 0].mean()
    np.testing.assert_allclose([measured["loss"], measured["perplexity"]], [mean, np.exp(mean)], rtol=1e-5)


def test_a_saved_model_goes_on_where_it_was(make, draw, to_numpy, tmp_path):
    model, ids, targets = make("gru"), draw(B, T), draw(B, T, seed=1)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit(ids, targets, verbose=0)
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    assert loaded.tokenizer == model.tokenizer
    assert loaded.get_config() == model.get_config()
    np.testing.assert_array_equal(to_numpy(loaded(ids)), to_numpy(model(ids)))
    assert int(loaded.optimizer.iterations) == 1


def test_wrong_arguments_are_refused_by_name(make):
    with pytest.raises(ValueError, match=r"takes a tokenizer of keras_richctx.text\. Received: tokenizer=11"):
        RecurrentLanguageModel(11)
    with pytest.raises(ValueError, match=r"a dict of token_ids\. Received: a dict of \['ids'\], without token_ids"):
        make().start({"ids": [[1]]}, 1)
    with pytest.raises(ValueError, match=r"A mask is boolean here.*padding_mask of dtype float32"):
        make().start({"token_ids": np.ones((1, 2), "int32"), "padding_mask": np.ones((1, 2), "float32")}, 1)
