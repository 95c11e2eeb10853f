"""Little stories, made up: documents of sentences that belong together, in which it is known what hangs on what."""

import dataclasses
import operator

import numpy as np

TOPICS = {  # places, things, and what is done with these
    "sea": ("harbour beach island", "boat net anchor rope", "tied pulled mended"),
    "farm": ("barn field orchard", "cow goat fence cart", "fed washed led"),
    "kitchen": ("bakery cellar pantry", "bread soup cake pan", "baked tasted stirred"),
    "stage": ("theatre ballroom hall", "drum song violin dance", "played practised heard"),
}
NAMES = {"she": "anna clara emma flora greta julia maria rosa", "he": "adam carl emil george hugo martin oscar paul"}
OF = {"she": "her", "he": "his"}
KIN = "mother father sister brother aunt uncle cousin friend"
MOODS = ("sad", "glad")  # the labels 0 and 1: how things are, and what one does
STATES = {
    "glad": "glad happy cheerful merry jolly bright lucky proud lovely splendid",
    "sad": "sad gloomy lonely bitter weary dreary dull sorry dreadful awful",
}
DEEDS = {"glad": "laughed sang smiled danced", "sad": "wept sighed moaned complained"}
FRAMES = (
    "{name} {did} the {thing}",
    "{he} {did} the {thing} and {deed}",
    "{his} {kin} {did} a {thing} too",
    "the {thing} was {state}",
    "the {place} was not {other}",
    "{name} {deed} in the {place}",
    "{he} was {state} about the {thing}",
)


@dataclasses.dataclass(frozen=True)
class Story:
    """A story.

    Args:
        sentences: list of strings, lower case, without full stops, of words with a space between any two.
        name: string, who it is about.
        topic: string, where it plays.
        mood: integer, 0 for sad and 1 for glad.
    """

    sentences: list
    name: str
    topic: str
    mood: int


def stories(n, seed=0, sentences=4):
    """Makes little stories to pre-train and to classify on, where there is no real text.

    A story has one person, of whom it speaks by name or as "she" or "he"; it plays in one of four topics, each with places, things and deeds of its own; and
    it is sad or glad throughout, which its words say, or the opposite's with "not". So a hidden word is told by its place in the sentence, by other words of
    the sentence or by other sentences, and whether a sentence belongs to a story by all of these. It is no English to learn for another text.

    Args:
        n: integer, how many stories. Fewer are the beginning of more.
        seed: integer. Defaults to `0`.
        sentences: integer, how many sentences each has. Defaults to `6`.

    Returns:
        A list of `Story`.

    Raises:
        ValueError: if `n` is negative or `sentences` not positive.

    Example:
        >>> story = stories(1, seed=13)[0]
        >>> story.name, story.topic, story.mood, story.sentences[1:3]
        ('oscar', 'stage', 1, ['the ballroom was not awful', 'oscar laughed in the theatre'])
    """
    if operator.index(n) < 0 or operator.index(sentences) < 1:
        raise ValueError(f"There are no fewer than no stories, each of a sentence at least. Received: n={n}, sentences={sentences}.")
    rng = np.random.default_rng(seed)

    def pick(words):
        return words[rng.integers(len(words))]

    def write():
        he, topic, mood = pick(list(NAMES)), pick(list(TOPICS)), int(rng.integers(2))
        places, things, deeds = (words.split() for words in TOPICS[topic])
        name, state = pick(NAMES[he].split()), MOODS[mood]

        def fill(frame):
            words = {"place": pick(places), "thing": pick(things), "did": pick(deeds), "kin": pick(KIN.split()), "deed": pick(DEEDS[state].split())}
            words |= {"state": pick(STATES[state].split()), "other": pick(STATES[MOODS[1 - mood]].split())}
            return frame.format(he=he, his=OF[he], name=name, **words)

        return Story([fill(pick(FRAMES)) for _ in range(sentences)], name, topic, mood)

    return [write() for _ in range(n)]
