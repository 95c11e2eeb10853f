"""Noun phrases of the phrasebook, built in English and French at once."""

from typing import NamedTuple

from keras_richctx.datasets import phrasebook_words as words
from keras_richctx.datasets.phrasebook_spelling import starts_with_vowel

# English determiner, or what it is in the plural: French by gender, and in the plural
POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "your": ("votre", "votre", "vos"),
    "their": ("leur", "leur", "leurs"),
}
SINGULAR = {"the": ("le", "la"), "a": ("un", "une"), "this": ("ce", "cette"), "every": ("chaque", "chaque")}
SINGULAR |= {english: french[:2] for english, french in POSSESSIVES.items()}
PLURAL = {"the": "les", "some": "des", "these": "ces", "several": "plusieurs", "two": "deux", "three": "trois", "four": "quatre", "many": "beaucoup de"}
PLURAL |= {english: french[2] for english, french in POSSESSIVES.items()}

# How often a determiner is drawn: a name stands in its list as often as it weighs.
THE = ["the"] * 12
ONES = [*THE, "a", "a", "a", "a", "this", "this", "every", *POSSESSIVES]
MANY = [*THE, "these", "these", "two", "three", "four", *POSSESSIVES]
LOOSE = ["some", "some", "some", "several", "many"]  # not after "de", and not what a verb negates
MASS = [*THE, "this", *POSSESSIVES]

PRONOUNS = {"I": ("je", 0, None), "he": ("il", 1, "m"), "she": ("elle", 1, "f"), "we": ("nous", 2, None), "you": ("vous", 3, None), "they": ("ils", 4, "m")}
OBJECT_PRONOUNS = {"him": ("le", "m", False), "her": ("la", "f", False), "them": ("les", "m", True), "us": ("nous", None, True)}


class Phrase(NamedTuple):
    """A phrase in both languages, two lists of words `(text, labels)`, and what must agree with it; `person` counts as in `Verb`."""

    english: list
    french: list
    person: int = 1
    gender: str | None = "m"
    plural: bool = False


class NounPhrases:
    """Draws noun phrases.

    Args:
        rng: a `numpy.random.Generator`.
    """

    def __init__(self, rng):
        self._rng = rng
        self._floats = iter(())
        self._label = 0
        self.richness = 0.5  # how likely an optional part is, from 0 to 1

    def random(self):
        """Draws a float in [0, 1), of a block: one call of the generator for many draws."""
        for value in self._floats:
            return value
        self._floats = iter(self._rng.random(4096).tolist())
        return next(self._floats)

    def chance(self, probability):
        """Draws `True` with the given probability."""
        return self.random() < probability

    def choose(self, options):
        """Draws one of a sequence, all alike."""
        return options[int(self.random() * len(options))]

    def label(self):
        """Makes a new label: the words that carry it are linked."""
        self._label += 1
        return (self._label,)

    def pair(self, english, french):
        """Links each English word to each French word: "near" to "près" and to "de", "in", "front" and "of" to "devant"."""
        label = self.label()
        return [(word, label) for word in english], [(word, label) for word in french]

    def preposition(self, name, phrase):
        """Puts a preposition before a phrase."""
        english, french = self.pair(*words.PREPOSITIONS[name])
        return Phrase(english + phrase.english, french + phrase.french)

    def name(self):
        """Draws a person's name."""
        noun = self.choose(words.NAMES)
        return Phrase(*self.pair(noun.english[:1], noun.french[:1]), 1, noun.gender, False)

    def noun_phrase(self, kind, use="any", plain=False):
        """Draws a determiner, adjectives and a noun of the class `kind`; `use` is "any", "object" of a negated verb ("none"), or "bound" after a preposition.

        A `plain` phrase takes neither a complement with "of" nor a prepositional phrase.
        """
        noun = self.choose(words.NOUNS[kind])
        plural = not noun.mass and self.chance(0.3)
        english, french = self.pair([noun.english[plural]], [noun.french[plural]])
        if noun.modifier:
            label = self.label()
            english.insert(0, (noun.modifier, label))
            french += [(word, ()) for word in noun.tail[:-1]] + [(noun.tail[-1], label)]
        english, french, preposed = self._adjectives(kind, english, french, noun.gender, plural, compound=bool(noun.modifier))
        complement = None if plain else self._complement(kind)
        determiner = "the" if complement and kind in words.RELATIONS else self._determiner(noun.mass, plural, use)
        before = self._determine(determiner, noun, plural, preposed, use)
        phrase = Phrase(before.english + english, before.french + french, 4 if plural else 1, noun.gender, plural)
        if complement:
            phrase = phrase._replace(english=phrase.english + complement.english, french=phrase.french + complement.french)
        return phrase

    def _adjectives(self, kind, english, french, gender, plural, compound):
        """Puts adjectives around a noun: before it in English, in French mostly after it."""
        if kind in ("institution", "topic") or (kind == "accord" and not compound):
            # English origin, domain, noun; French noun, domain, origin
            for adjectives, probability in ((words.DOMAINS, 0.3 + 0.3 * self.richness), (words.ORIGINS, 0.25 + 0.35 * self.richness)):
                if self.chance(probability):
                    label, adjective = self.label(), self.choose(adjectives)
                    english = [(adjective.english, label), *english]
                    french = [*french, (adjective.french[gender][plural], label)]
        elif kind in words.POSTPOSED and self.chance(0.12 + 0.3 * self.richness):
            label, adjective = self.label(), self.choose(words.POSTPOSED[kind])
            qualified = [(adjective.english, label)], [(adjective.french[gender][plural], label)]
            if adjective.english in words.GRADABLE and self.chance(0.2):
                very, tres = self.pair(["very"], ["très"])
                qualified = very + qualified[0], tres + qualified[1]
            english, french = qualified[0] + english, french + qualified[1]
        if kind in words.PREPOSED and english[0][0] != "very" and self.chance(0.1 + 0.2 * self.richness):
            label, adjective = self.label(), self.choose(words.PREPOSED[kind])
            form = adjective.french[gender][plural]
            if not plural and starts_with_vowel(french[0][0]):
                form = words.VOWEL_FORMS.get(form, form)
            return [(adjective.english, label), *english], [(form, label), *french], True
        return english, french, False

    def _determiner(self, mass, plural, use):
        if use == "none" and self.chance(0.3):
            return "any" if plural or mass else "the"
        options = MASS if mass else MANY if plural else ONES
        if use == "any" and (mass or plural) and self.chance(0.3):
            return "some" if mass else self.choose(LOOSE)
        determiner = self.choose(options)
        return "the" if use == "none" and determiner in ("a", "every") else determiner

    def _determine(self, determiner, noun, plural, preposed, use):
        """Translates a determiner; "some" is *du*, *de la* or *des*, and *de* before an adjective in the plural; "any" is *de*."""
        if determiner == "any" or (determiner == "some" and plural and preposed):
            french = ["de"]
        elif determiner == "some" and noun.mass:
            french = ["de", "le" if noun.gender == "m" else "la"]
        elif plural:
            french = PLURAL[determiner].split()
        else:
            french = [SINGULAR[determiner][noun.gender == "f"]]
        return Phrase(*self.pair([determiner], french))

    def _complement(self, kind):
        """Draws what follows a noun: "of the house", "in the garden"."""
        if kind in words.RELATIONS and self.chance(0.85):
            return self.preposition("of", self.noun_phrase(self.choose(words.RELATIONS[kind]), "bound", plain=True))
        if kind in words.PLACES and self.chance(0.03 + 0.25 * self.richness):
            name, following = self.choose(words.PLACES[kind])
            return self.preposition(name, self.noun_phrase(self.choose(following), "bound", plain=True))
        return None
