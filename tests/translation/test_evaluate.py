import numpy as np
import pytest

from keras_richctx.datasets import Pairs, load
from keras_richctx.text import WordTokenizer
from keras_richctx.translation import Seq2Seq, Translation
from keras_richctx.translation.evaluate import evaluate, forced_alignments, word_links

PAIRS = load("phrasebook", size=7, max_words=9)
SOURCE = WordTokenizer.train(PAIRS.source, 200)
TARGET = WordTokenizer.train(PAIRS.target, 200)


@pytest.fixture(scope="module")
def model():
    model = Seq2Seq(SOURCE, TARGET, units=8)
    model.build()
    return model


class Oracle:
    """Says the first translation of each sentence of `pairs`, and attends as it is told, `shift` words too far."""

    source_tokenizer, target_tokenizer, has_attention = SOURCE, TARGET, True

    def __init__(self, pairs, links, shift=0):
        self.pairs = pairs
        self.links = links
        self.shift = shift

    def translate(self, texts, **options):
        return [Translation(self.pairs.references()[text][0], [], [], None, 0.0) for text in texts]

    def attention_weights(self, inputs):
        ids = inputs["encoder_token_ids"]
        weights = np.zeros((*inputs["decoder_token_ids"].shape, ids.shape[1]), "float32")  # (B, T, S)
        for b, row in enumerate(ids):
            words = (row > 0).sum() - 1  # EOS is at `words`
            place = self.pairs.source.index(SOURCE.decode(row[:words]))
            weights[b, :, words] = 0.5
            for source, target in self.links[place]:
                weights[b, target, (source + self.shift) % words] = 1.0
        return weights


def one_to_one(links):
    """At most one link for a target word, as an argmax gives."""
    return set({target: (source, target) for source, target in links}.values())


def test_a_translation_forced_is_that_of_its_pair_alone_whatever_the_batch(model):
    together = forced_alignments(model, PAIRS, batch_size=3)
    for i, weights in enumerate(together):
        (alone,) = forced_alignments(model, PAIRS[i : i + 1])
        assert weights.shape == (len(TARGET(PAIRS.target[i])) + 1, len(SOURCE(PAIRS.source[i])) + 1)
        np.testing.assert_allclose(weights, alone, atol=1e-5)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_what_the_model_says_itself_forced_upon_it_gives_the_same_attention(trained, pairs):
    source, _ = pairs[0]
    translation = trained.translate(source)
    assert trained.target_tokenizer.tokenize(translation.text) == translation.target_tokens[:-1]
    (weights,) = forced_alignments(trained, Pairs([source], [translation.text]))
    np.testing.assert_allclose(weights, translation.alignment, atol=1e-5)


def test_each_word_is_linked_to_the_word_it_attends_to_most_and_the_ends_are_no_words():
    weights = [[0.2, 0.7, 0.1], [0.3, 0.1, 0.6], [0.9, 0.0, 0.1]]
    assert word_links(weights) == {(1, 0), (0, 1)}


def test_gold_attention_and_reference_translations_are_without_error():
    pairs = Pairs(PAIRS.source, PAIRS.target, [one_to_one(links) for links in PAIRS.alignments])
    measures = evaluate(Oracle(pairs, pairs.alignments), pairs)
    assert (measures["bleu"], measures["exact"], measures["aer"]) == (pytest.approx(100), 1.0, 0.0)
    assert [translation.text for translation in measures["translations"]] == pairs.target
    assert evaluate(Oracle(pairs, pairs.alignments, shift=1), pairs)["aer"] > 0.5


def test_all_translations_of_a_source_are_its_references():
    text = PAIRS.source[0]
    pairs = Pairs([text, text], [PAIRS.target[0], "tout autre chose"])
    measures = evaluate(Oracle(pairs, []), pairs)
    assert len(measures["translations"]) == 1
    assert measures["bleu"] == pytest.approx(100)


@pytest.mark.parametrize("pairs, attention", [(Pairs(PAIRS.source[:2], PAIRS.target[:2]), "bahdanau"), (PAIRS[:2], "fixed")], ids=["no gold", "no attention"])
def test_the_error_rate_of_an_alignment_needs_gold_links_and_attention(pairs, attention):
    model = Seq2Seq(SOURCE, TARGET, units=8, attention=attention)
    model.build()
    assert evaluate(model, pairs)["aer"] is None


def test_no_pairs_are_refused(model):
    with pytest.raises(ValueError, match="nothing to evaluate on"):
        evaluate(model, Pairs([], []))
