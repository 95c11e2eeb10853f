"""A phrase in two languages at once, and how its words are spelled beside each other.

A word is a pair `(text, labels)`. An English and a French word are linked if they share a label, so links survive whatever is put before, between or behind.
"""

from typing import NamedTuple

from keras_richctx.datasets import phrasebook_lexicon as lexicon

VOWELS = frozenset("aeiouyâàéèêëîïôûœ")
ASPIRATED = frozenset(lexicon.ASPIRATED.split())
BEFORE_VOWEL = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'", "je": "j'", "ma": "mon", "sa": "son", "ce": "cet"}
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SPOKEN_A = frozenset(["European", "union", "university", "useful"])  # a vowel letter, a consonant sound
SPOKEN_AN = frozenset(["honest"])


class Phrase(NamedTuple):
    """English and French words, and what agrees with them: a person as in `Verb`, a gender ("m", "f", `None` where the English does not tell), the number."""

    english: list
    french: list
    person: int = 1
    gender: str | None = "m"
    plural: bool = False


NOTHING = Phrase([], [])


def word(english, french):
    """Makes a phrase of an English and a French word, linked to each other."""
    label = (object(),)
    return Phrase([(english, label)], [(french, label)])


def linked(english, french):
    """Makes a phrase of several words, each English one linked to each French one: "in front of" to *devant*, "near" to *près de*."""
    label = (object(),)
    return Phrase([(text, label) for text in english], [(text, label) for text in french])


def chain(first, *others):
    """Puts phrases one after the other; what agrees, agrees with the first."""
    english, french = list(first.english), list(first.french)
    for phrase in others:
        english += phrase.english
        french += phrase.french
    return Phrase(english, french, *first[2:])


def starts_with_vowel(word):
    """Says whether a French word elides the one before it.

    Example:
        >>> [starts_with_vowel(word) for word in ("accord", "homme", "héros", "traité")]
        [True, True, False, False]
    """
    initial = word[0].lower()
    return initial in VOWELS or (initial == "h" and word not in ASPIRATED)


def spell_french(words):
    """Elides and contracts; a contracted word has the links of both.

    Example:
        >>> [text for text, _ in spell_french([("de", ()), ("le", ()), ("roi", ()), ("de", ()), ("le", ()), ("accord", ())])]
        ['du', 'roi', 'de', "l'", 'accord']
    """
    spelled = []
    before = None
    for (text, labels), (following, _) in zip(words, [*words[1:], (".", ())]):
        if text in BEFORE_VOWEL and starts_with_vowel(following):
            text = BEFORE_VOWEL[text]
        if (before, text) in CONTRACTED:
            text = CONTRACTED[before, text]
            labels = spelled.pop()[1] + labels
        spelled.append((text, labels))
        before = text
    return spelled


def spell_english(words):
    """Writes *an* for *a* before a vowel sound.

    Example:
        >>> [text for text, _ in spell_english([("a", ()), ("union", ()), ("of", ()), ("a", ()), ("hour", ()), ("a", ()), ("actor", ())])]
        ['a', 'union', 'of', 'a', 'hour', 'an', 'actor']
    """
    spelled = list(words)
    for index, (text, labels) in enumerate(words):
        if text == "a":
            following = words[index + 1][0]
            if following in SPOKEN_AN or (following[0] in "aeiouAEIOU" and following not in SPOKEN_A):
                spelled[index] = "an", labels
    return spelled


def join(words, language):
    """Joins words to a sentence with its capital; French has a space before a question mark, English has none.

    Example:
        >>> join([("où", ()), ("est", ()), ("l'", ()), ("accord", ()), ("?", ())], "French")
        "Où est l'accord ?"
    """
    sentence = " ".join([text for text, _ in words]).replace("' ", "'").replace(" ,", ",").replace(" .", ".")
    if language == "English":
        sentence = sentence.replace(" ?", "?")
    return sentence[0].upper() + sentence[1:]


def links(english, french):
    """Collects the links of two lists of words: a set of index pairs `(English word, French word)`.

    Example:
        >>> links([("not", (1,)), ("sign", (2,))], [("ne", (1,)), ("signe", (2,)), ("pas", (1,))]) == {(0, 0), (0, 2), (1, 1)}
        True
    """
    places = {}
    for index, (_, labels) in enumerate(english):
        for label in labels:
            places.setdefault(label, []).append(index)
    return {(source, target) for target, (_, labels) in enumerate(french) for label in labels for source in places.get(label, ())}
