import collections
import math

import numpy as np
import pytest

from keras_richctx.datasets import TaskSampler, argued_texts, frequent_words, inverse, log_frequencies, next_words, previous_words

SIZES = [700, 40, 9]


@pytest.mark.parametrize("kind, shares", [("proportional", np.array(SIZES) / 749), ("round_robin", [1 / 3] * 3)])
def test_the_shares_are_those_of_the_sizes_or_all_alike(kind, shares):
    np.testing.assert_allclose(TaskSampler(kind).shares(SIZES), shares)


def test_a_temperature_goes_from_proportional_to_alike():
    np.testing.assert_allclose(TaskSampler("temperature", 1).shares(SIZES), TaskSampler("proportional").shares(SIZES))
    np.testing.assert_allclose(TaskSampler("temperature", 1e9).shares(SIZES), [1 / 3] * 3, atol=1e-6)
    np.testing.assert_allclose(TaskSampler("temperature", 2).shares([16, 1]), [4 / 5, 1 / 5])


@pytest.mark.parametrize("sampler", [TaskSampler("proportional"), TaskSampler("temperature", 3), TaskSampler("round_robin")], ids=repr)
@pytest.mark.parametrize("steps", [0, 1, 2, 101])
def test_a_pass_keeps_the_shares_to_within_a_step_in_an_order_of_its_own(sampler, steps):
    order = sampler.order(SIZES, steps, seed=5)
    assert order.shape == (steps,)
    counts = np.bincount(order, minlength=3)
    assert (np.abs(counts - sampler.shares(SIZES) * steps) < 1).all()
    np.testing.assert_array_equal(order, sampler.order(SIZES, steps, seed=5))
    if steps > 100 and sampler.kind != "round_robin":
        assert not np.array_equal(order, sampler.order(SIZES, steps, seed=6))


def test_samplers_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="kind='random'"):
        TaskSampler("random")
    with pytest.raises(ValueError, match=r"temperature=0\.5"):
        TaskSampler("temperature", 0.5)
    with pytest.raises(ValueError, match=r"sizes=\[3\.0, 0\.0\]"):
        TaskSampler().shares([3, 0])


def test_the_words_around_are_the_sentence_moved_by_one():
    words = argued_texts(20)["components"].words
    vocabulary = frequent_words(words, 1000)
    after, before = next_words(words, vocabulary), previous_words(words, vocabulary)
    for sentence, following, preceding in zip(words, after.tags, before.tags):
        lower = [word.lower() for word in sentence]
        assert following == [*lower[1:], "<end>"]
        assert preceding == ["<start>", *lower[:-1]]
    few = next_words(words, vocabulary[:3])
    assert set(few.names) == {*vocabulary[:3], "<other>", "<end>"}


def test_frequencies_are_those_of_what_is_counted():
    words = argued_texts(20)["components"].words
    counts = collections.Counter(word.lower() for sentence in words for word in sentence)
    tags = log_frequencies([["it", "IT", "never-seen"]], counted=words).tags
    assert tags == [[str(math.floor(math.log(counts["it"])))] * 2 + ["0"]]


def test_the_inverse_of_the_inverse_is_the_task_in_lower_case():
    tagged = argued_texts(5)["components"]
    back = inverse(inverse(tagged, frequent_words(tagged.words, 1000)), {tag.lower() for tag in tagged.names})
    assert back.words == [[word.lower() for word in words] for words in tagged.words]
    assert back.tags == [[tag.lower() for tag in tags] for tags in tagged.tags]
