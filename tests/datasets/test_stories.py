import numpy as np
import pytest

from keras_richctx.datasets.stories import DEEDS, KIN, MOODS, NAMES, STATES, TOPICS, stories

SOME = stories(500, seed=3)


def words_of(story):
    return [word for line in story.sentences for word in line.split()]


def test_fewer_are_the_beginning_of_more_and_another_seed_tells_others():
    assert stories(20, seed=3) == SOME[:20]
    assert stories(20, seed=4) != SOME[:20]
    assert stories(0) == []
    assert [len(story.sentences) for story in stories(9, sentences=7)] == [7] * 9


def test_a_story_keeps_to_its_topic_person_and_mood():
    of_topic = {topic: set(" ".join(words).split()) for topic, words in TOPICS.items()}
    of_mood = {mood: set(f"{STATES[mood]} {DEEDS[mood]}".split()) for mood in MOODS}
    for story in SOME:
        words = words_of(story)
        he, other = ("he", "she") if story.name in NAMES["he"].split() else ("she", "he")
        assert not set(words) & set.union(*(words for topic, words in of_topic.items() if topic != story.topic))
        assert not set(words) & ({other, "her" if he == "he" else "his"} | set(f"{NAMES['he']} {NAMES['she']}".split()) - {story.name})
        for before, word in zip(["", *words], words):
            assert word not in of_mood[MOODS[story.mood if before == "not" else 1 - story.mood]]


def test_no_word_is_of_two_kinds():
    kinds = [*" ".join(" ".join(words) for words in TOPICS.values()).split(), *f"{KIN} {' '.join(NAMES.values())}".split()]
    kinds += " ".join([*STATES.values(), *DEEDS.values()]).split()
    assert len(kinds) == len(set(kinds))


def test_moods_topics_and_persons_are_even():
    assert abs(np.mean([story.mood for story in SOME]) - 0.5) < 0.07
    assert abs(np.mean([story.name in NAMES["she"].split() for story in SOME]) - 0.5) < 0.07
    for topic in TOPICS:
        assert abs(np.mean([story.topic == topic for story in SOME]) - 0.25) < 0.06


@pytest.mark.parametrize("arguments", [{"n": -1}, {"n": 3, "sentences": 0}])
def test_numbers_out_of_range_are_errors(arguments):
    with pytest.raises(ValueError, match="Received: n="):
        stories(**arguments)
