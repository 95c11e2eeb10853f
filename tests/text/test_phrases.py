"""Phrases, by the formula of the paper."""

import numpy as np

from keras_richctx.text import find_phrases, join_phrases

SENTENCES = [["we", "saw", "new", "york"], ["new", "york", "in", "may"], ["a", "new", "day", "in", "new", "york"]]


def test_scores_are_those_of_the_formula():
    found = find_phrases(SENTENCES, min_count=1, threshold=0.0)
    assert list(found) == [("new", "york")]  # the others were seen once: count - delta is 0
    np.testing.assert_allclose(found["new", "york"], (3 - 1) * 14 / (4 * 3))
    assert not find_phrases(SENTENCES, min_count=1, threshold=3.0)
    assert not find_phrases(SENTENCES, min_count=4, threshold=-10.0)


def test_phrases_are_joined_from_the_left_and_the_stronger_of_two_wins():
    phrases = {("new", "york"): 2.0, ("york", "times"): 5.0}
    assert join_phrases(["the", "new", "york", "times"], phrases) == ["the", "new", "york_times"]
    assert join_phrases(["in", "new", "york"], phrases) == ["in", "new_york"]
    assert join_phrases(["new", "new", "york"], phrases, joiner=" ") == ["new", "new york"]
    assert join_phrases([], phrases) == []


def test_three_words_take_two_rounds():
    sentences = [["new", "york", "times"], ["the", "new", "york", "times"], ["times", "of", "the", "year"]] * 3
    for _ in range(2):
        phrases = find_phrases(sentences, min_count=2, threshold=1.0)
        sentences = [join_phrases(sentence, phrases) for sentence in sentences]
    assert "new_york_times" in sentences[0]
