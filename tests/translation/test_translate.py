import importlib

import keras
import numpy as np
import pytest

from keras_richctx.generation import greedy, length_penalty, sample
from keras_richctx.translation import Seq2Seq, Translation

translate = importlib.import_module("keras_richctx.translation.translate")  # the package has a function of that name

pytestmark = pytest.mark.backends

TEXTS = ["a cat eats", "the dog sees the black cat", "the zebra", "", "the cat sleeps", "  ", "a"]


@pytest.fixture(scope="module")
def model(make):
    return make()


def check_same(actual, expected):
    """Compares translations; the words are the same, the numbers to rounding."""
    assert [t.text for t in actual] == [t.text for t in expected]
    for a, e in zip(actual, expected, strict=True):
        assert (a.source_tokens, a.target_tokens) == (e.source_tokens, e.target_tokens)
        np.testing.assert_allclose(a.score, e.score, atol=1e-5)
        np.testing.assert_allclose(a.alignment, e.alignment, atol=1e-6)


def log_probability(model, text, translation):
    """The score anew, from the logits for the finished translation, as in training."""
    source = model.source_tokenizer(text, eos=True)
    target = [model.target_tokenizer.token_to_id(token) for token in translation.target_tokens]
    ids = {"encoder_token_ids": np.array([source]), "decoder_token_ids": np.array([[model.target_tokenizer.bos_id, *target[:-1]]])}
    log = keras.ops.convert_to_numpy(keras.ops.log_softmax(keras.ops.cast(model(ids), "float32")))[0]
    return sum(log[t, word] for t, word in enumerate(target))


def test_a_trained_model_says_what_it_was_taught(trained, pairs):
    translations = trained.translate([source for source, _ in pairs])
    assert [t.text for t in translations] == [target.replace("noir", "[UNK]") for _, target in pairs]
    assert [str(t) for t in translations] == [t.text for t in translations]
    assert translations[2].source_tokens == ["the", "[UNK]", "cat", "sees", "the", "dog", "[EOS]"]
    assert translations[2].target_tokens == ["le", "chat", "[UNK]", "voit", "le", "chien", "[EOS]"]


@pytest.mark.parametrize("num_beams", [1, 3])
def test_the_order_and_the_company_of_a_sentence_do_not_matter(model, num_beams):
    together = model.translate(TEXTS, num_beams=num_beams)
    check_same(model.translate(TEXTS, num_beams=num_beams, batch_size=1), together)
    check_same(model.translate(TEXTS[::-1], num_beams=num_beams, batch_size=3), together[::-1])


def test_few_lengths_give_the_same(model, monkeypatch):
    found = []
    for multiple in (1, 16):
        monkeypatch.setattr(translate, "_padding", lambda model, multiple=multiple: multiple)
        found.append(model.translate(TEXTS))
    check_same(*found)


def test_a_string_gives_a_translation_and_a_list_a_list(model):
    assert isinstance(model.translate("a cat"), Translation)
    (one,) = model.translate(["a cat"])
    check_same([one], [model.translate("a cat")])
    assert model.translate([]) == []
    check_same(model.translate(("a cat",)), [one])


@pytest.mark.parametrize("attention", ["bahdanau", "luong"])
def test_there_is_a_row_of_attention_for_each_word_that_was_written(attention, make, request):
    model = request.getfixturevalue("model") if attention == "bahdanau" else make(attention=attention)
    for text, translation in zip(TEXTS, model.translate(TEXTS)):
        written, read = len(translation.target_tokens), len(translation.source_tokens)
        assert translation.alignment.shape == (written, read)
        assert translation.alignment.dtype == np.float32
        np.testing.assert_allclose(translation.alignment.sum(axis=1), 1.0, atol=1e-5)
        if text.strip():
            assert translation.source_tokens == [*model.source_tokenizer.tokenize(text), "[EOS]"]


def test_the_attention_is_that_of_the_words_that_were_written(trained, pairs):
    for source, target in pairs[:3]:
        ids = {"encoder_token_ids": np.array([trained.source_tokenizer(source, eos=True)])}
        ids["decoder_token_ids"] = np.array([trained.target_tokenizer(target, bos=True)])
        expected = keras.ops.convert_to_numpy(trained.attention_weights(ids))[0]
        np.testing.assert_allclose(trained.translate(source, num_beams=2).alignment, expected, atol=1e-5)


def test_an_empty_sentence_has_an_empty_translation(make):
    for model in (make(), make(attention="fixed")):
        for translation in model.translate(["", " \n"]):
            assert (translation.text, translation.source_tokens, translation.target_tokens, translation.score) == ("", [], [], 0.0)
            assert (translation.alignment is None) == (not model.has_attention)


def test_unknown_words_and_hostile_text_are_read(model):
    texts = ["zyx zyx", "the [EOS] cat", "\x00", "ﷺ 🦉🏽", "a" * 5000, "[PAD]"]
    translations = model.translate(texts)
    assert len(translations) == len(texts)
    assert translations[0].source_tokens == ["[UNK]", "[UNK]", "[EOS]"]
    assert translations[1].source_tokens == ["the", "[UNK]", "[UNK]", "[UNK]", "cat", "[EOS]"]  # the name of a special token is text


def test_a_sentence_of_two_hundred_words_is_read_whole(model):
    text = " ".join(["the cat sees a dog"] * 40)
    translation = model.translate(text, max_new_tokens=20)
    assert len(translation.source_tokens) == 201
    assert translation.alignment.shape == (len(translation.target_tokens), 201)
    assert len(translation.target_tokens) <= 20


def test_a_model_that_never_ends_stops_at_the_limit(make):
    model = make()
    bias = keras.ops.convert_to_numpy(model.output_projection.bias).copy()
    bias[[0, 3]] = -1e4
    model.output_projection.bias.assign(bias)
    for num_beams in (1, 2):
        short, long = model.translate(["a", "the cat sleeps"], num_beams=num_beams)
        assert (len(short.target_tokens), len(long.target_tokens)) == (2 * 2 + 10, 2 * 4 + 10)  # twice the source, its end included, and ten
        assert len(model.translate("a cat", num_beams=num_beams, max_new_tokens=3).target_tokens) == 3


def test_the_score_is_the_log_probability_of_the_words(model):
    texts = TEXTS[:3]
    for text, translation in zip(texts, model.translate(texts)):
        np.testing.assert_allclose(translation.score, log_probability(model, text, translation), atol=1e-4)
    for text, translation in zip(texts, model.translate(texts, num_beams=3, length_penalty=0.7)):
        penalised = log_probability(model, text, translation) / length_penalty(len(translation.target_tokens), 0.7)
        np.testing.assert_allclose(translation.score, penalised, atol=1e-4)


@pytest.mark.parametrize("which", ["model", "trained"])
def test_more_beams_find_nothing_worse(which, request):
    model = request.getfixturevalue(which)
    texts = [text for text in TEXTS if text.strip()]
    greedy, beams = model.translate(texts), model.translate(texts, num_beams=6, length_penalty=0.0)
    for g, b in zip(greedy, beams):
        assert b.score >= g.score - 1e-5


def test_an_unknown_word_is_replaced_by_the_source_word_it_looked_at(trained, pairs):
    for source, target in pairs[2:]:
        plain, replaced = trained.translate(source), trained.translate(source, replace_unknown=True)
        words, tokens = source.split(), list(plain.target_tokens)
        for t, token in enumerate(tokens):
            if token == "[UNK]":
                tokens[t] = words[plain.alignment[t, : len(words)].argmax()]
        assert replaced.target_tokens == tokens
        assert replaced.text == " ".join(tokens[:-1])  # without the end symbol
        if "noir" in target:
            assert "[UNK]" in plain.text
            assert "[UNK]" not in replaced.text


def test_the_end_of_the_source_replaces_nothing(make):
    model = make()
    bias = keras.ops.convert_to_numpy(model.output_projection.bias).copy()
    bias[1] = 1e4
    model.output_projection.bias.assign(bias)
    translation = model.translate("ZEBRA, cat", replace_unknown=True, max_new_tokens=4)
    assert set(translation.target_tokens) <= {"ZEBRA", ",", "cat"}  # as they are spelled, whether known or not
    assert len(translation.target_tokens) == 4


def test_replacing_needs_attention_and_unknown_words(make, english):
    from keras_richctx.text import ByteLevelBPETokenizer

    with pytest.raises(ValueError, match=r"needs attention.*Received: a model without attention"):
        make(attention="fixed").translate("a cat", replace_unknown=True)
    model = Seq2Seq(english, ByteLevelBPETokenizer.train(["le chat", "le chien"], vocab_size=262), units=4)
    with pytest.raises(ValueError, match=r"no unknown word to replace.*Received: replace_unknown=True"):
        model.translate("a cat", replace_unknown=True)


def test_a_model_fresh_from_its_constructor_translates(english, french):
    model = Seq2Seq(english, french, units=4)
    translation = model.translate("a cat", max_new_tokens=3)
    assert len(translation.target_tokens) <= 3
    check_same([model.translate("a cat", max_new_tokens=3)], [translation])


@pytest.mark.parametrize("attention, policy", [("bahdanau", "mixed_float16"), ("luong", "mixed_bfloat16")])
def test_half_precision_translates(attention, policy, make):
    model = make(attention=attention, cell="lstm", dtype=policy)
    for num_beams in (1, 2):
        translation = model.translate("the cat sleeps", num_beams=num_beams, length_penalty=0.0, max_new_tokens=4)
        assert translation.alignment.dtype == np.float32
        np.testing.assert_allclose(translation.alignment.sum(axis=1), 1.0, atol=2e-2)
        np.testing.assert_allclose(translation.score, log_probability(model, "the cat sleeps", translation), atol=0.1)


def test_a_source_longer_than_the_location_score_knows_is_refused(make):
    model = make(score="location", max_source_length=6)
    for text in ("a cat", "the cat sees the dog", "a"):
        assert model.translate(text, max_new_tokens=3).alignment.shape[1] == len(text.split()) + 1
    with pytest.raises(ValueError, match=r"up to 6 tokens, the end symbol counted\. Received: one of 7"):
        model.translate("the black cat sees the dog", max_new_tokens=3)


@pytest.mark.parametrize("texts", [None, 5, b"a cat", ["a cat", None], [b"a cat"], [["a", "cat"]], {"a cat": 1}], ids=str)
def test_what_is_not_text_is_refused(model, texts):
    with pytest.raises((TypeError, ValueError), match=r"string.*Received: texts"):
        model.translate(texts)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"num_beams": 0}, r"at least one line\. Received: num_beams=0"),
        ({"num_beams": 2, "length_penalty": -1.0}, r"at least zero\. Received: length_penalty=-1.0"),
        ({"max_new_tokens": 0}, r"positive integer.*Received: max_new_tokens=0"),
        ({"batch_size": 0}, r"batch_size.*Received: batch_size=0|Received: batch_size=0"),
        ({"batch_size": -1}, r"Received: batch_size=-1"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named(model, wrong, message):
    with pytest.raises(ValueError, match=message):
        model.translate("a cat", **wrong)
    with pytest.raises(TypeError, match="beam_width"):
        model.translate("a cat", beam_width=3)


def test_sampling_takes_the_same_steps(trained, batch):
    sources = {name: array for name, array in batch[0].items() if name.startswith("encoder")}
    np.testing.assert_array_equal(sample(trained, sources, 12, top_k=1), greedy(trained, sources, 12))
    drawn = [sample(trained, sources, 12, temperature=4.0, seed=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert drawn[0].shape != drawn[2].shape or (drawn[0] != drawn[2]).any()
