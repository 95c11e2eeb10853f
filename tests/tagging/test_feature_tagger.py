import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.tagging import FeatureTagger
from keras_richctx.tagging.word_in_text import BeginProbability, lexical_features, sentence_spans, structural_features

TEXTS = krc.datasets.argued_texts(40)["components"]
TEXT = ["Well", ",", "it", "works", ".", "Does", "it", "?"]


def test_structure_is_where_a_word_stands_counted_by_hand():
    assert sentence_spans(TEXT) == [(0, 5), (5, 8)]
    rows = structural_features(TEXT)
    works, does = rows[3], rows[5]
    assert (works["place_in_text"], works["place_in_sentence"], works["share_of_sentence"], works["before_full_stop"]) == (3, 3, 0.6, 1.0)
    assert (works["in_introduction"], works["in_conclusion"], works["behind_comma"], rows[2]["behind_comma"]) == (1.0, 0.0, 0.0, 1.0)
    assert (does["first_in_sentence"], does["behind_full_stop"], does["sentence"], does["sentence_share"], rows[7]["last_in_sentence"]) == (1, 1, 1, 0.5, 1)


def test_structure_looks_at_no_word_and_the_lexical_group_at_nothing_else():
    other = [word if word in {",", ".", "?"} else "x" for word in TEXT]
    assert structural_features(other) == structural_features(TEXT)
    assert lexical_features(TEXT, window=1)[2] == lexical_features(["a", "b", *TEXT[1:4]], window=1)[3]


def test_the_probability_of_a_beginning_is_the_count_behind_the_longest_words_that_were_seen():
    words = [["so", "it", "works"], ["so", "it", "fails"], ["what", "it", "says"]]
    tags = [["O", "B-PRO", "I-PRO"], ["O", "O", "B-CON"], ["O", "O", "O"]]
    probability = BeginProbability(krc.datasets.TaggedSentences(words, tags))
    values = [row["begin_probability"] for row in probability.features(["So", "it", "x"])]
    np.testing.assert_allclose(values, [0, 1 / 2, 1 / 2])  # behind <start>; <start> so; <start> so it
    assert [row["begin_probability"] for row in probability.features(["y", "so", "it"])][2] == 1 / 2  # behind "so", for "y so" was not seen
    assert [row["begin_probability"] for row in probability.features(["y", "z", "z", "z", "z"])][4] == pytest.approx(2 / 9)  # the share of beginnings


def test_the_groups_see_what_they_say_and_vectors_are_looked_up():
    names = sorted({word.lower() for words in TEXTS.words for word in words})
    vectors = names, np.random.default_rng(0).normal(size=(len(names), 12))
    scores = {}
    for groups in (["structural"], ["lexical"], ["structural", "lexical", "probability"], ["embeddings"]):
        tagger = FeatureTagger(groups, vectors=vectors if "embeddings" in groups else None, C=0.1).fit(TEXTS)
        predicted = tagger.predict_tags(TEXTS.words)
        assert list(map(len, predicted)) == list(map(len, TEXTS.words))
        scores["+".join(groups)] = krc.metrics.token_f1(predicted, TEXTS.tags)["f1"]
    assert scores["structural"] < scores["lexical"] < scores["structural+lexical+probability"]
    assert scores["embeddings"] > scores["structural"]
    assert FeatureTagger(["embeddings"], vectors=vectors).fit(TEXTS[:9]).predict_tags([["never-seen"]])[0][0] in TEXTS.names


@pytest.mark.parametrize("arguments, match", [({"groups": ["syntactic"]}, "syntactic"), ({"groups": []}, "groups"), ({"groups": ["embeddings"]}, "vectors")])
def test_what_cannot_be_is_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        FeatureTagger(**arguments)
