"""A causal convolution sees a window before a position; one with the usual padding sees the answer."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_richctx.datasets import stream_chunks
from keras_richctx.generation import greedy
from keras_richctx.language_models import ConvLanguageModel, evaluate
from keras_richctx.training import fit, truncated_bptt

pytestmark = pytest.mark.backends

B, T, V = 2, 12, 11
QUIET = {"progress": False}


@pytest.fixture(scope="module")
def make_conv(tokenizer):
    """`make_conv(padding)` gives a small model that sees five tokens, with weights large enough to have opinions."""

    def make(padding="causal", **options):
        model = ConvLanguageModel(tokenizer, filters=7, kernel_size=3, num_layers=2, padding=padding, embedding_dim=4, **options)
        random = np.random.default_rng(0)
        model.set_weights([random.normal(scale=0.5, size=w.shape) for w in model.get_weights()])
        return model

    return make


def changed_positions(model, ids, at):
    """Which positions' logits change with the token at a position."""
    other = ids.copy()
    other[:, at] = other[:, at] % (V - 1) + 1
    before, after = (keras.ops.convert_to_numpy(model(x)) for x in (ids, other))
    return set(np.flatnonzero(np.abs(after - before).max(axis=(0, 2)) > 1e-6))


@settings(max_examples=12)
@given(at=st.integers(0, T - 1))
def test_a_token_changes_nothing_before_it_and_nothing_beyond_the_window(make_conv, draw, at):
    model = make_conv()
    assert model.receptive_field == 5
    changed = changed_positions(model, draw(B, T), at)
    assert changed <= set(range(at, at + 5))
    assert at in changed


def test_the_usual_padding_looks_ahead(make_conv, draw):
    assert changed_positions(make_conv("same"), draw(B, T), at=6) == {4, 5, 6, 7, 8}


def test_on_noise_looking_ahead_is_the_only_way_to_a_small_loss(tokenizer):
    """Tokens drawn without rhyme: nobody can foretell them, and a model that does has seen them."""
    noise, held_out = (np.random.default_rng(seed).integers(1, V, 1601) for seed in (0, 1))
    losses = {}
    for padding in ("causal", "same"):
        model = ConvLanguageModel(tokenizer, filters=32, kernel_size=3, num_layers=1, padding=padding)
        model.compile(keras.optimizers.Adam(0.02))
        inputs, targets, weights = stream_chunks(noise, batch_size=50, chunk=32)
        fit(model, inputs["token_ids"], targets, sample_weight=weights, batch_size=10, epochs=30, **QUIET)
        inputs, targets, weights = stream_chunks(held_out, batch_size=50, chunk=32)
        losses[padding] = model.evaluate(inputs["token_ids"], targets, sample_weight=weights, verbose=0, return_dict=True)["loss"]
    assert losses["causal"] > np.log(V - 1)
    assert losses["same"] < 0.4  # the last token of a row has its answer outside of it


def test_equals_keras_convolutions(make_conv, draw):
    model, ids = make_conv(), draw(B, T)
    reference = keras.Sequential(
        [
            keras.layers.Embedding(V, 4),
            keras.layers.Conv1D(7, 3, padding="causal", activation="relu"),
            keras.layers.Conv1D(7, 3, padding="causal", activation="relu"),
            keras.layers.Dense(V),
        ]
    )
    reference.build((None, T))
    reference.set_weights(model.get_weights())
    np.testing.assert_allclose(keras.ops.convert_to_numpy(model(ids)), keras.ops.convert_to_numpy(reference(ids)), atol=1e-5)


@settings(max_examples=2 if keras.backend.backend() == "jax" else 6)  # each length of a piece is a program there
@given(cuts=st.lists(st.integers(1, T - 1), unique=True))
def test_a_text_in_pieces_is_the_whole_text(make_conv, draw, to_numpy, cuts):
    model, ids = make_conv(), draw(B, T)
    pieces, state = [], model.initial_state(B)
    for piece in np.split(ids, sorted(cuts), axis=1):
        logits, state = model.advance(piece, state)
        pieces.append(to_numpy(logits))
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), to_numpy(model(ids)), atol=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_prompts_are_written_on_as_they_are_alone(make_conv, draw, side):
    model, ids, lengths = make_conv(), draw(4, T), [12, 6, 2, 1]
    real = np.arange(T)[None] < np.array(lengths)[:, None]
    real = real if side == "right" else real[:, ::-1]
    together = greedy(model, {"token_ids": np.where(real, ids, 0)}, 5)
    for row in range(4):
        alone = greedy(model, {"token_ids": ids[row][real[row]][None]}, 5)[0]
        np.testing.assert_array_equal(together[row], np.pad(alone, (12 - lengths[row], 0)))  # a shorter prompt stands on the right


def test_it_trains_and_is_measured_as_the_recurrent_models_are(make_conv, draw):
    model, stream = make_conv(), np.tile([1, 2, 3, 4, 5], 40)
    model.compile(keras.optimizers.Adam(0.03))
    history = truncated_bptt(model, stream, chunk=7, batch_size=3, epochs=12, **QUIET)
    assert history.history["loss"][-1] < 0.05
    assert evaluate(model, stream, batch_size=1) < 0.05
    log = keras.ops.convert_to_numpy(keras.ops.log_softmax(model(stream[None, :-1])))[0]
    assert evaluate(model, stream, batch_size=1, chunk=9) == pytest.approx(-log[np.arange(199), stream[1:]].mean(), rel=1e-4)


def test_a_saved_model_is_the_same(make_conv, draw, to_numpy, tmp_path):
    model = make_conv("same", dropout=0.2)
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    assert loaded.get_config() == model.get_config()
    np.testing.assert_array_equal(to_numpy(loaded(draw(B, T))), to_numpy(model(draw(B, T))))


def test_what_sees_the_future_cannot_go_on(make_conv):
    model = make_conv("same")
    for call in (lambda: model.initial_state(2), lambda: model.generate("one"), lambda: evaluate(model, [1, 2, 3], batch_size=1)):
        with pytest.raises(ValueError, match=r"sees the text after a position.*Received: padding='same'\. Take 'causal'"):
            call()


@pytest.mark.parametrize("options", [{"padding": "valid"}, {"filters": 0}, {"kernel_size": 2.5}, {"num_layers": -1}, {"embedding_dim": 0}], ids=str)
def test_wrong_arguments_are_refused_by_name(tokenizer, options):
    (name,) = options
    with pytest.raises(ValueError, match=rf"Received: {name}="):
        ConvLanguageModel(tokenizer, **options)
