import json

import keras
import numpy as np
import pytest

from keras_richctx.translation import Seq2Seq

pytestmark = pytest.mark.backends

SCORES = ["additive", "dot", "scaled_dot", "general", "cosine", "location"]

attentions = pytest.mark.parametrize("attention", ["bahdanau", "luong", "fixed"])
cells = pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
scores = pytest.mark.parametrize("score", SCORES)

to_numpy = keras.ops.convert_to_numpy


def options(score):
    return {"score": score, **({"max_source_length": 60} if score == "location" else {})}


@attentions
@cells
def test_the_known_target_at_once_equals_one_word_at_a_time(attention, cell, shared, batch):
    model, (inputs, _, _) = shared(attention=attention, cell=cell), batch
    together = to_numpy(model(inputs))
    first, state, memory = model.start(inputs, together.shape[1])
    np.testing.assert_array_equal(to_numpy(first), inputs["decoder_token_ids"][:, 0])
    for t in range(together.shape[1]):
        logits, state = model.step(inputs["decoder_token_ids"][:, t], state, memory)
        np.testing.assert_allclose(to_numpy(logits), together[:, t], rtol=1e-5, atol=1e-5)


@attentions
@cells
def test_more_padding_changes_no_real_position(attention, cell, shared, batch, widen):
    model, (inputs, _, real) = shared(attention=attention, cell=cell), batch
    logits = to_numpy(model(inputs))
    for more in (5, 50):
        wide = widen(inputs, source=more, target=more)
        padded = to_numpy(model(wide))[:, : logits.shape[1]]
        np.testing.assert_allclose(padded[real > 0], logits[real > 0], rtol=1e-5, atol=1e-5)
        if attention != "fixed":
            weights, wide_weights = to_numpy(model.attention_weights(inputs)), to_numpy(model.attention_weights(wide))
            np.testing.assert_allclose(wide_weights[:, : weights.shape[1], : weights.shape[2]][real > 0], weights[real > 0], atol=1e-5)
            assert not wide_weights[:, :, weights.shape[2] :].any()


@attentions
@cells
def test_a_batch_is_its_rows_one_by_one(attention, cell, shared, batch):
    model, (inputs, _, real) = shared(attention=attention, cell=cell), batch
    logits = to_numpy(model(inputs))
    for b in range(len(logits)):
        source, target = inputs["encoder_padding_mask"][b].sum(), int(real[b].sum())
        alone = {"encoder_token_ids": inputs["encoder_token_ids"][b : b + 1, :source], "decoder_token_ids": inputs["decoder_token_ids"][b : b + 1, :target]}
        np.testing.assert_allclose(to_numpy(model(alone))[0], logits[b, :target], rtol=1e-5, atol=1e-5)


@scores
@pytest.mark.parametrize("attention", ["bahdanau", "luong"])
def test_attention_is_spread_over_the_real_source_alone(attention, score, shared, batch):
    model, (inputs, _, _) = shared(attention=attention, **options(score)), batch
    weights = to_numpy(model.attention_weights(inputs))
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-6)
    pads = np.broadcast_to(~inputs["encoder_padding_mask"][:, None], weights.shape)
    assert pads.any()
    assert not weights[pads].any()


@attentions
def test_a_later_word_changes_nothing_before_it(attention, shared, batch):
    model, (inputs, _, _) = shared(attention=attention), batch
    other = {**inputs, "decoder_token_ids": inputs["decoder_token_ids"].copy()}
    other["decoder_token_ids"][:, 2] = 1
    before, after = to_numpy(model(inputs)), to_numpy(model(other))
    np.testing.assert_array_equal(after[:, :2], before[:, :2])
    assert (after[:, 2] != before[:, 2]).any(axis=-1).all()


@attentions
def test_pads_are_told_by_the_mask_where_there_is_one(attention, shared, batch):
    model, (inputs, _, _) = shared(attention=attention), batch
    mask = inputs["encoder_padding_mask"]
    by_id = {name: inputs[name] for name in ("encoder_token_ids", "decoder_token_ids")}
    np.testing.assert_array_equal(to_numpy(model(by_id)), to_numpy(model(inputs)))
    noisy = {**inputs, "encoder_token_ids": np.where(mask, inputs["encoder_token_ids"], 7)}
    np.testing.assert_allclose(to_numpy(model(noisy)), to_numpy(model(inputs)), atol=1e-6)


@attentions
def test_a_source_of_pads_alone_gives_numbers_and_no_attention(attention, shared, batch):
    model, (inputs, _, _) = shared(attention=attention), batch
    empty = {**inputs, "encoder_padding_mask": np.zeros_like(inputs["encoder_padding_mask"])}
    assert np.isfinite(to_numpy(model(empty))).all()
    if attention != "fixed":
        assert not to_numpy(model.attention_weights(empty)).any()


class Listener(keras.layers.Layer):
    """Keeps the mask that arrives with its input."""

    supports_masking = True

    def call(self, inputs, mask=None):
        self.heard = mask
        return inputs


@attentions
def test_no_mask_is_left_on_the_logits(attention, shared, batch):
    """Keras would weight the loss by it, unasked."""
    listener = Listener()
    listener(shared(attention=attention)(batch[0]))
    assert listener.heard is None


def test_dropout_is_on_in_training_alone(make, batch):
    model, without, (inputs, _, _) = make(dropout=0.5), make(), batch
    np.testing.assert_array_equal(to_numpy(model(inputs)), to_numpy(without(inputs)))
    assert (to_numpy(model(inputs, training=True)) != to_numpy(model(inputs, training=True))).any()
    np.testing.assert_array_equal(to_numpy(model.attention_weights(inputs)), to_numpy(without.attention_weights(inputs)))


@attentions
@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 2e-1)])
def test_half_precision_stays_close(attention, policy, tolerance, shared, batch):
    exact, half, (inputs, _, real) = shared(attention=attention), shared(attention=attention, dtype=policy), batch
    logits = half(inputs)
    assert keras.backend.standardize_dtype(logits.dtype) == policy.removeprefix("mixed_")
    assert {w.dtype for w in half.weights} == {"float32"}
    np.testing.assert_allclose(to_numpy(keras.ops.cast(logits, "float32"))[real > 0], to_numpy(exact(inputs))[real > 0], atol=tolerance)


@attentions
def test_a_config_makes_the_same_model(attention, make, batch):
    model = make(attention=attention, cell="lstm", dropout=0.25, name="mine", dtype="mixed_bfloat16")
    config = model.get_config()
    again = Seq2Seq.from_config(json.loads(json.dumps(config)))
    assert json.dumps(again.get_config()) == json.dumps(config)
    assert (again.source_tokenizer, again.target_tokenizer) == (model.source_tokenizer, model.target_tokenizer)
    again.build()
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(*(to_numpy(keras.ops.cast(m(batch[0]), "float32")) for m in (model, again)))


def test_the_layers_before_the_vocabulary_are_as_wide_as_the_embeddings(shared):
    assert shared().output_projection.kernel.shape[0] == 5
    assert shared(attention="luong").output_projection.kernel.shape[0] == 6


def test_a_fixed_context_has_no_attention_to_show(shared, batch):
    model = shared(attention="fixed")
    assert not model.has_attention
    with pytest.raises(ValueError, match=r"one fixed vector.*Received: attention='fixed'"):
        model.attention_weights(batch[0])


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"attention": "multihead"}, r"Unknown attention\. Received: attention='multihead'\. Choose one of bahdanau, luong, fixed"),
        ({"cell": "elman"}, r"Unknown recurrent cell\. Received: cell='elman'\. Choose one of gru, lstm, rnn"),
        ({"score": "adaptive"}, r"Unknown alignment score\. Received: score='adaptive'"),
        ({"attention": "fixed", "score": "dot"}, r"A fixed context has no alignment score\. Received: attention='fixed', score='dot'"),
        ({"score": "location"}, r"max_source_length goes with the location score.*Received: score='location', max_source_length=None"),
        ({"max_source_length": 9}, r"max_source_length goes with the location score.*Received: score=None, max_source_length=9"),
        ({"units": 7}, r"half of its units to each direction, so they are an even positive integer\. Received: units=7"),
        ({"units": 0}, r"a positive integer\. Received: units=0"),
        ({"units": -2}, r"a positive integer\. Received: units=-2"),
        ({"units": 6.0}, r"a positive integer\. Received: units=6\.0"),
        ({"embedding_dim": -1}, r"a positive integer\. Received: embedding_dim=-1"),
        ({"embedding_dim": 0}, r"a positive integer\. Received: embedding_dim=0"),
        ({"attention": "fixed", "coverage": 0.1}, r"no coverage to ask for\. Received: attention='fixed', coverage=0.1"),
        ({"coverage": -1.0}, r"at least zero\. Received: coverage=-1\.0"),
        ({"dropout": 1.5}, r"Received: rate=1.5"),
        ({"colour": "red"}, r"colour"),
    ],
    ids=lambda x: str(x) if isinstance(x, dict) else "",
)
def test_a_wrong_argument_is_named(wrong, message, english, french):
    with pytest.raises(ValueError, match=message):
        Seq2Seq(english, french, **{"units": 6, **wrong})


def test_tokenizers_are_tokenizers(english):
    with pytest.raises(ValueError, match=r"takes two tokenizers.*Received: source_tokenizer='english'"):
        Seq2Seq("english", english)
    with pytest.raises(ValueError, match=r"takes two tokenizers.*Received: target_tokenizer=None"):
        Seq2Seq(english, None)


def test_a_target_without_end_is_refused(english):
    class Endless:
        vocab_size, pad_id, bos_id, eos_id = 9, 0, 1, None

    with pytest.raises(ValueError, match=r"symbols for the beginning and the end"):
        Seq2Seq(english, Endless())


@pytest.mark.parametrize(
    "wrong", [(np.zeros((1, 3), "int32"), np.zeros((1, 3), "int32")), {"encoder_token_ids": np.zeros((1, 3), "int32")}, {}], ids=["pair", "half", "empty"]
)
def test_inputs_of_another_form_are_named(make, wrong):
    with pytest.raises(ValueError, match=r"takes a dict of encoder_token_ids and decoder_token_ids\. Received: a (dict|tuple)"):
        make()(wrong)


@pytest.mark.parametrize("coverage", [-1.0, float("nan"), float("inf")])
def test_a_coverage_that_no_loss_can_have_is_refused(make, coverage):
    with pytest.raises(ValueError, match=r"Received: coverage="):
        make(coverage=coverage)
