"""What the neighbouring word decides: French elision and contraction, English a or an, spaces and capitals. Links survive, since a word carries them with it.

A word is a pair `(text, labels)`; an English and a French word are linked if they share a label.
"""

from keras_richctx.datasets import phrasebook_lexicon as lexicon

ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'", "je": "j'"}
LINKING = {"ma": "mon", "sa": "son", "ce": "cet"}  # mon amie, cet homme
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
ASPIRATED = frozenset(lexicon.ASPIRATED.split())
SPOKEN_A = frozenset(["European", "union", "university", "useful"])  # a vowel letter, a consonant sound
SPOKEN_AN = frozenset(["honest"])


def starts_with_vowel(word):
    """Says whether a French word elides the one before it: *accord*, *homme*, but not *héros*."""
    initial = word[0].lower()
    return initial in "aeiouyâàéèêëîïôûœ" or (initial == "h" and word not in ASPIRATED)


def spell_french(words):
    """Elides and contracts: *le accord* becomes *l' accord*; *de le roi* becomes *du roi*, one word with the links of both."""
    spelled = []
    for index, (text, labels) in enumerate(words):
        if index + 1 < len(words) and starts_with_vowel(words[index + 1][0]):
            text = ELIDED.get(text, text)
            text = LINKING.get(text, text)
        if spelled and (spelled[-1][0], text) in CONTRACTED:
            before, labels_before = spelled[-1]
            spelled[-1] = CONTRACTED[before, text], (*labels_before, *labels)
        else:
            spelled.append((text, labels))
    return spelled


def spell_english(words):
    """Writes *an* for *a* before a vowel sound."""
    spelled = list(words)
    for index, (text, labels) in enumerate(words[:-1]):
        following = words[index + 1][0]
        if text == "a" and (following in SPOKEN_AN or (following[0].lower() in "aeiou" and following not in SPOKEN_A)):
            spelled[index] = "an", labels
    return spelled


def join(words, close=".,?"):
    """Joins words to a sentence: a capital first, no space after an apostrophe nor before the marks in `close`."""
    pieces = []
    for text, _ in words:
        if pieces and text not in close and not pieces[-1].endswith("'"):
            pieces.append(" ")
        pieces.append(text)
    sentence = "".join(pieces)
    return sentence[0].upper() + sentence[1:]


def links(english, french):
    """Collects the links: the index pairs `(English word, French word)` of words that share a label."""
    places = {}
    for index, (_, labels) in enumerate(english):
        for label in labels:
            places.setdefault(label, []).append(index)
    return {(source, target) for target, (_, labels) in enumerate(french) for label in labels for source in places.get(label, ())}
