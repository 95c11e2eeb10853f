"""The encoder and the decoders as layers: their equations in NumPy, and their use in any Keras model."""

import json

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN
from keras_richctx.translation import BahdanauDecoder, FixedContextDecoder, LuongDecoder, RecurrentEncoder

pytestmark = pytest.mark.backends

B, T, S, E, M, N, U = 2, 3, 4, 5, 7, 8, 6
WORDS, MEMORY, SUMMARY = (np.random.default_rng(i).normal(size=shape).astype("float32") for i, shape in enumerate([(B, T, E), (B, S, M), (B, N)]))
MASK = np.arange(S) < np.array([[4], [2]])

to_numpy = keras.ops.convert_to_numpy


def draw_weights(layer):
    layer.build(WORDS.shape, MEMORY.shape, SUMMARY.shape)
    random = np.random.default_rng(9)
    layer.set_weights([random.normal(scale=0.5, size=w.shape) for w in layer.get_weights()])
    return {w.path.split("/", 1)[-1]: to_numpy(w).astype("float64") for w in layer.weights}


def softmax(scores, mask):
    e = np.where(mask, np.exp(scores), 0.0)
    return e / e.sum(axis=-1, keepdims=True)


def check(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(to_numpy(a), e, atol=2e-6)


def test_bahdanaus_decoder_is_its_equations():
    decoder = BahdanauDecoder(U, cell="rnn", score_units=8, output_units=3, name="decoder")
    w = draw_weights(decoder)
    s = np.tanh(SUMMARY[:, N // 2 :] @ w["initial_0/kernel"] + w["initial_0/bias"])  # the backward state
    features, alphas = [], []
    for t in range(T):
        scores = np.tanh((s @ w["alignment/w1"])[:, None] + MEMORY @ w["alignment/w2"]) @ w["alignment/v"]  # (B, S)
        alpha = softmax(scores, MASK)
        c = np.einsum("bs,bsm->bm", alpha, MEMORY)
        s = np.tanh(WORDS[:, t] @ w["cell/kernel"] + s @ w["cell/recurrent_kernel"] + c @ w["context_to_cell/kernel"] + w["cell/bias"])
        of_state = s @ w["output/from_state/kernel"] + w["output/from_state/bias"]
        features.append(np.tanh(of_state + c @ w["output/from_context/kernel"] + WORDS[:, t] @ w["output/from_word/kernel"]))
        alphas.append(alpha)
    check(decoder(WORDS, MEMORY, SUMMARY, memory_mask=MASK), (np.stack(features, axis=1), np.stack(alphas, axis=1)))


def test_luongs_decoder_is_its_equations():
    decoder = LuongDecoder(U, cell="rnn", name="decoder")
    w = draw_weights(decoder)
    s, attentional = np.tanh(SUMMARY @ w["initial_0/kernel"] + w["initial_0/bias"]), np.zeros((B, U))
    features, alphas = [], []
    for t in range(T):
        s = np.tanh(WORDS[:, t] @ w["cell/kernel"] + s @ w["cell/recurrent_kernel"] + attentional @ w["context_to_cell/kernel"] + w["cell/bias"])
        alpha = softmax(np.einsum("bu,bsu->bs", s, MEMORY @ w["alignment/w"]), MASK)
        c = np.einsum("bs,bsm->bm", alpha, MEMORY)
        attentional = np.tanh(np.concatenate([c, s], axis=-1) @ w["attentional/kernel"])
        features.append(attentional)
        alphas.append(alpha)
    check(decoder(WORDS, MEMORY, SUMMARY, memory_mask=MASK), (np.stack(features, axis=1), np.stack(alphas, axis=1)))


def test_the_fixed_contexts_decoder_is_its_equations():
    decoder = FixedContextDecoder(U, cell="rnn", output_units=3, name="decoder")
    w = draw_weights(decoder)
    s = np.tanh(SUMMARY @ w["initial_0/kernel"] + w["initial_0/bias"])
    features = []
    for t in range(T):
        s = np.tanh(WORDS[:, t] @ w["cell/kernel"] + s @ w["cell/recurrent_kernel"] + SUMMARY @ w["context_to_cell/kernel"] + w["cell/bias"])
        of_state = s @ w["output/from_state/kernel"] + w["output/from_state/bias"]
        features.append(np.tanh(of_state + SUMMARY @ w["output/from_context/kernel"] + WORDS[:, t] @ w["output/from_word/kernel"]))
    actual, weights = decoder(WORDS, MEMORY, SUMMARY)
    check([actual], [np.stack(features, axis=1)])
    assert weights == ()


@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
def test_the_encoder_reads_a_padded_sentence_as_the_sentence(cell):
    encoder = RecurrentEncoder(U, cell)
    memory, summary = (to_numpy(y) for y in encoder(MEMORY, mask=MASK))
    for b, length in enumerate(MASK.sum(axis=1)):
        alone, alone_summary = (to_numpy(y)[0] for y in encoder(MEMORY[b : b + 1, :length]))
        np.testing.assert_allclose(memory[b, :length], alone, atol=1e-6)
        np.testing.assert_allclose(summary[b], alone_summary, atol=1e-6)


@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
def test_the_encoder_joins_both_directions(cell):
    encoder = RecurrentEncoder(U, cell)
    memory, summary = (to_numpy(y) for y in encoder(MEMORY))
    half = {"gru": GRU, "lstm": LSTM, "rnn": SimpleRNN}[cell]
    forward, backward = half(U // 2, return_sequences=True), half(U // 2, return_sequences=True, go_backwards=True)
    weights = encoder.directions.get_weights()
    for layer, w in ((forward, weights[:3]), (backward, weights[3:])):
        layer.build(MEMORY.shape)
        layer.set_weights(w)
    states = np.concatenate([to_numpy(forward(MEMORY)), to_numpy(backward(MEMORY))[:, ::-1]], axis=-1)  # (B, S, U)
    np.testing.assert_allclose(memory, states, atol=1e-6)
    # the summary is where each direction ends
    np.testing.assert_allclose(summary, np.concatenate([states[:, -1, : U // 2], states[:, 0, U // 2 :]], axis=-1), atol=1e-6)


@pytest.mark.parametrize(
    "decoder",
    [
        BahdanauDecoder(U, cell="lstm", score="general", output_units=3),
        BahdanauDecoder(U, score="location", score_units=9),
        LuongDecoder(U, cell="rnn", score="additive", score_units=4),
        FixedContextDecoder(U, output_units=4),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_decoder_stands_in_a_functional_model_that_saves_and_loads(decoder, tmp_path):
    words, source, mask = keras.Input((None, E)), keras.Input((None, M)), keras.Input((None,), dtype="bool")
    memory, summary = RecurrentEncoder(U)(source, mask=mask)
    assert memory.shape == (None, None, U)
    assert summary.shape == (None, U)
    outputs = keras.tree.flatten(decoder(words, memory, summary, memory_mask=mask))
    assert outputs[0].shape == (None, None, decoder.output_units)
    model = keras.Model([words, source, mask], outputs)
    expected = [to_numpy(y) for y in keras.tree.flatten(model([WORDS, MEMORY, MASK]))]
    model.save(tmp_path / "model.keras")
    check(keras.tree.flatten(keras.saving.load_model(tmp_path / "model.keras")([WORDS, MEMORY, MASK])), expected)
    config = decoder.get_config()
    assert type(decoder).from_config(json.loads(json.dumps(config))).get_config() == config


@pytest.mark.parametrize("make", [BahdanauDecoder, LuongDecoder, FixedContextDecoder, RecurrentEncoder])
@pytest.mark.parametrize("units", [0, -2, 2.5, "6"])
def test_units_are_a_positive_integer(make, units):
    with pytest.raises(ValueError, match=rf"Received: units={units!r}"):
        make(units)
