"""Noun phrases of the phrasebook, drawn at random: determiner, adjectives, noun, complement."""

import itertools

from keras_richctx.datasets import phrasebook_words as words
from keras_richctx.datasets.phrasebook_phrase import NOTHING, Phrase, chain, linked, starts_with_vowel, word

# English determiner -> French masculine, feminine, plural
POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
    "your": ("votre", "votre", "vos"),
}
DETERMINERS = {"the": ("le", "la", "les"), "a": ("un", "une"), "this": ("ce", "cette"), "every": ("chaque", "chaque"), **POSSESSIVES}
PLURALS = {"these": "ces", "several": "plusieurs", "many": "beaucoup de", "two": "deux", "three": "trois", "four": "quatre"}
# A masculine singular adjective that changes before a vowel: un bel oiseau.
VOWEL_FORMS = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}

# What a determiner is drawn from, by the use of the phrase and the noun's count; a word stands as often as it weighs.
KNOWN = {"many": ["the"] * 9 + ["this"], "plural": ["the"] * 9 + ["these"], "mass": ["the"] * 8 + ["this"], "one": ["the"]}
NEW = {"many": ["a"], "plural": ["some", "some", "several", "many", "two", "three", "four"], "mass": ["some"], "one": ["the"]}
BOUND = {**KNOWN, "many": KNOWN["many"] + ["a"] * 4, "plural": KNOWN["plural"] + ["two", "three", "four"]}
ANY = {count: BOUND[count] + NEW[count] * (1 if count == "plural" else 3) for count in KNOWN}
ANY["many"] = BOUND["many"] * 2 + ["every"]
PLACE = {**KNOWN, "many": KNOWN["many"] + ["a"] * 4, "plural": KNOWN["plural"]}
USES = {
    "known": KNOWN,
    "new": NEW,
    "bound": BOUND,
    "place": PLACE,
    "any": ANY,
    "denied": {**KNOWN, "plural": KNOWN["plural"] + ["any"] * 4, "mass": KNOWN["mass"] + ["any"] * 4},
}


class Draw:
    """Draws choices from a NumPy generator.

    Args:
        rng: a `numpy.random.Generator`.

    Attributes:
        random: function without arguments that draws a float in [0, 1).
        richness: float from 0 to 1, how readily optional parts are drawn. Starts as 0.
        feminine_plural: boolean, whether the sentence has a plural that "they" would translate as *elles*. Starts as `False`.
    """

    def __init__(self, rng):
        # in blocks: one call of the generator costs as much as a hundred floats
        self.random = itertools.chain.from_iterable(rng.random(4096).tolist() for _ in itertools.count()).__next__
        self.richness = 0.0
        self.feminine_plural = False

    def chance(self, least, most=None):
        """Draws `True` with a probability that grows from `least` to `most` with `richness`, from 0 to 1."""
        return self.random() < (least if most is None else least + (most - least) * self.richness)

    def choose(self, options):
        """Draws one of a list or tuple, all alike."""
        return options[int(self.random() * len(options))]


def name(draw):
    """Draws the name of a person."""
    noun = draw.choose(words.NAMES)
    return word(noun.english[0], noun.french[0])._replace(gender=noun.gender)


def preposition(english, phrase):
    """Puts a preposition before a phrase."""
    return chain(linked(*words.PREPOSITIONS[english]), phrase)


def noun_phrase(draw, kind, use="any", plain=False, bare=False, unlike=NOTHING):
    """Draws a noun phrase.

    Args:
        draw: a `Draw`.
        kind: string, the class of the noun.
        use: string that says which determiners fit: `"any"`; `"known"`: the, this, my; `"new"`: a, some, two; `"bound"`: none that *de* would swallow, for a
            phrase behind a preposition; `"place"`: the same, seldom in the plural; `"denied"`: the object of a negated verb, "any" and *de*. Defaults to
            `"any"`.
        plain: boolean, whether no complement may follow ("of the house", "in the garden"). Defaults to `False`.
        bare: boolean, whether neither adjectives nor a complement may come. Defaults to `False`.
        unlike: a `Phrase` whose noun must not come again. Defaults to none.

    Returns:
        A `Phrase`.
    """
    if not (plain or bare) and kind in words.HEADS and draw.random() < words.HEADS[kind][1]:
        kind = words.HEADS[kind][0]
    noun = draw.choose(words.NOUNS[kind])
    while unlike.english and any(text in noun.english for text, _ in unlike.english):
        noun = draw.choose(words.NOUNS[kind])
    plural = noun.count == "many" and draw.random() < (0.08 if use == "place" else 0.3)
    complement = None if plain or bare else complemented(draw, kind)
    head = word(noun.english[plural], noun.french[plural])
    if noun.modifier:
        # a compound: its modifier comes last in French, with a preposition that is linked to nothing
        modifier = word(noun.modifier, noun.tail[-1])
        head = Phrase(modifier.english + head.english, [*head.french, *((text, ()) for text in noun.tail[:-1]), *modifier.french])
    preposed = False
    if not bare:
        head = stacked(draw, noun, head, plural) if kind in words.STACKING else postposed(draw, kind, noun, head, plural)
        if kind in words.PREPOSED and head.english[0][0] != "very" and draw.chance(0.08, 0.25):
            preposed, head = True, preceded(draw, kind, noun, head, plural)
    draw.feminine_plural |= plural and noun.gender == "f"
    whole = complement and kind in words.WHOLES
    determiner = "the" if whole else draw.choose(USES[use]["plural" if plural else noun.count])
    if noun.owned and not whole and determiner in ("the", "this", "these") and draw.random() < (0.9 if noun.count == "one" else 0.3):
        determiner = draw.choose(tuple(POSSESSIVES))
    phrase = chain(determined(determiner, noun, plural, preposed), head, complement or NOTHING)
    return Phrase(phrase.english, phrase.french, 4 if plural else 1, noun.gender, plural)


def determined(determiner, noun, plural, preposed):
    """Translates a determiner: "some" is *du*, *de la* or *des*, but *de* before an adjective in the plural; "any" is *de*."""
    if determiner == "any" or (determiner == "some" and plural and preposed):
        french = "de"
    elif determiner == "some":
        french = "des" if plural else "de le" if noun.gender == "m" else "de la"
    elif plural:
        french = PLURALS[determiner] if determiner in PLURALS else DETERMINERS[determiner][2]
    else:
        french = DETERMINERS[determiner][noun.gender == "f"]
    return linked([determiner], french.split())


def qualified(adjective, noun, plural):
    """Makes an adjective agree with its noun."""
    return word(adjective.english, adjective.french[noun.gender][plural])


def stacked(draw, noun, head, plural):
    """Stacks a domain and an origin: English before the noun, French after it, so that the order of all three reverses."""
    if not noun.modifier and noun.english[0] not in words.WITHOUT_DOMAIN and draw.chance(0.25, 0.6):
        domain = qualified(draw.choose(words.DOMAINS), noun, plural)
        head = Phrase(domain.english + head.english, head.french + domain.french)
    if draw.chance(0.25, 0.6):
        origin = qualified(draw.choose(words.ORIGINS), noun, plural)
        head = Phrase(origin.english + head.english, head.french + origin.french)
    return head


def postposed(draw, kind, noun, head, plural):
    """Draws an adjective that follows its noun in French, now and then with "very"."""
    if kind not in words.POSTPOSED or not draw.chance(0.1, 0.35):
        return head
    adjective = draw.choose(words.POSTPOSED[kind])
    quality = qualified(adjective, noun, plural)
    if adjective.english in words.GRADABLE and draw.chance(0.15):
        quality = chain(word("very", "très"), quality)
    return Phrase(quality.english + head.english, head.french + quality.french)


def preceded(draw, kind, noun, head, plural):
    """Draws an adjective that precedes its noun in both languages: *le vieux roi*, *le vieil ami*."""
    adjective = draw.choose(words.PREPOSED[kind])
    form = adjective.french[noun.gender][plural]
    if not plural and starts_with_vowel(head.french[0][0]):
        form = VOWEL_FORMS.get(form, form)
    return chain(word(adjective.english, form), head)


def complemented(draw, kind):
    """Draws what may follow a noun of the class: "of the house" always, "in the garden" or "about a cat" sometimes, or `None`."""
    if kind in words.WHOLES:
        return preposition("of", noun_phrase(draw, draw.choose(words.WHOLES[kind]), "bound", plain=True))
    options = words.PLACES.get(kind, []) + words.COMPLEMENTS.get(kind, [])
    return located(draw, options) if options and draw.chance(0.02, 0.25) else None


def located(draw, options):
    """Draws a preposition and its noun phrase from rows of `PLACES` or `COMPLEMENTS`."""
    english, following = draw.choose(options)
    return preposition(english, noun_phrase(draw, draw.choose(following), "place", plain=True))
