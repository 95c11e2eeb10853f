"""The words of the phrasebook with all their forms, derived by rule from the lexicon: English and French morphology, nothing random."""

import re
from typing import NamedTuple

from keras_richctx.datasets import phrasebook_lexicon as lexicon

WORDS = re.compile(r"\w+['’]?|[^\w\s]")  # as `WordTokenizer` splits


class Noun(NamedTuple):
    """A noun in both languages. Pairs of forms are (singular, plural); `modifier` and `tail` are what a compound adds before the English and after the French noun."""

    english: tuple
    french: tuple
    gender: str
    mass: bool
    modifier: str
    tail: tuple


class Adjective(NamedTuple):
    """An adjective: the English word, and the French forms by gender ("m", "f") and number (singular, plural)."""

    english: str
    french: dict


class Verb(NamedTuple):
    """A verb: English base, third person, past, participle and particle ("" without); French infinitive, present, future, participle, auxiliary `être` or not.

    French persons are the indices 0 je, 1 il or elle, 2 nous, 3 vous, 4 ils or elles.
    """

    base: str
    third: str
    past: str
    participle: str
    particle: str
    infinitive: str
    present: tuple
    future: tuple
    french_participle: str
    takes_etre: bool


# The two auxiliaries, by the persons of `Verb`.
AVOIR = {"present": ("ai", "a", "avons", "avez", "ont")}
ETRE = {
    "present": ("suis", "est", "sommes", "êtes", "sont"),
    "past": ("étais", "était", "étions", "étiez", "étaient"),
    "future": ("serai", "sera", "serons", "serez", "seront"),
}
# The masculine singular of these before a vowel, where they precede their noun.
VOWEL_FORMS = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}


def english_plural(noun):
    """Forms the regular English plural: cat, cats; box, boxes; city, cities; key, keys."""
    return re.sub(r"(?<=[^aeiou])y$", "ie", noun) + "s" if not re.search(r"(s|x|ch|sh)$", noun) else noun + "es"


def english_third(verb):
    """Forms the third person singular of the present: sign, signs; watch, watches; go, goes; carry, carries."""
    return verb + "es" if verb.endswith("o") else english_plural(verb)


def english_past(verb):
    """Forms the regular English past: sign, signed; dance, danced; cry, cried."""
    return re.sub(r"(?<=[^aeiou])y$", "i", verb) + ("d" if verb.endswith("e") else "ed")


def french_plural(word):
    """Forms the regular French plural of a noun or a masculine adjective: chat, chats; roi, rois; cheval, chevaux; gâteau, gâteaux; ours, ours."""
    if word.endswith(("s", "x")):
        return word
    if word.endswith("al"):
        return word[:-1] + "ux"
    return word + ("x" if word.endswith("eau") else "s")


def french_feminine(adjective):
    """Forms the regular French feminine: petit, petite; calme, calme; heureux, heureuse."""
    if adjective.endswith("e"):
        return adjective
    return adjective[:-1] + "se" if adjective.endswith("eux") else adjective + "e"


def french_participle(participle, gender, plural):
    """Makes a past participle agree: signé, signée, signés, signées."""
    participle += "e" if gender == "f" else ""
    return participle + "s" if plural and not participle.endswith("s") else participle


def _lines(block):
    """Splits each line of a lexicon block at its colon."""
    return [tuple(part.strip() for part in line.split(":")) for line in block.strip().splitlines()]


def _noun(english, french):
    modifier, english = re.fullmatch(r"(?:\[(.+)\] )?(.+)", english).groups()
    french, tail, gender, mass = re.fullmatch(r"([^\[\]]+?)(?: \[(.+)\])? ([mf])( mass)?", french).groups()
    english, french = english.split(), french.split()
    return Noun(
        (english[0], english[1] if len(english) > 1 else english_plural(english[0])),
        (french[0], french[1] if len(french) > 1 else french_plural(french[0])),
        gender,
        bool(mass),
        modifier or "",
        tuple(WORDS.findall(tail or "")),
    )


def _adjective(english, french):
    masculine, *rest = french.split()
    feminine = rest[0] if rest else french_feminine(masculine)
    return Adjective(english, {"m": (masculine, french_plural(masculine)), "f": (feminine, feminine + "s")})


def _verb(english, french):
    base, *forms = english.split()
    base, _, particle = base.partition("_")
    past = forms[0] if forms else english_past(base)
    infinitive, *forms = french.split()
    takes_etre, infinitive = infinitive.startswith("*"), infinitive.lstrip("*")
    if len(forms) > 1:
        present, participle = tuple(forms[:5]), forms[5]
    else:  # a regular verb in -er; nous mangeons, nous commençons keep the sound of their stem
        stem = infinitive[:-2]
        soft = stem + "e" if stem.endswith("g") else re.sub("c$", "ç", stem)
        present, participle = (stem + "e", stem + "e", soft + "ons", stem + "ez", stem + "ent"), stem + "é"
    stem = forms[6] if len(forms) > 6 else infinitive.removesuffix("e")
    future = tuple(stem + ending for ending in ("ai", "a", "ons", "ez", "ont"))
    return Verb(
        base, english_third(base), past, english.split()[2] if len(english.split()) > 2 else past, particle, infinitive, present, future, participle, takes_etre
    )


NOUNS = {name: [_noun(*line) for line in _lines(block)] for name, block in lexicon.NOUNS.items()}
NAMES = [_noun(*line) for line in _lines(lexicon.NAMES)]
ADJECTIVES = {english: _adjective(english, french) for english, french in _lines(lexicon.ADJECTIVES)}
VERBS = {english.split()[0]: _verb(english, french) for english, french in _lines(lexicon.VERBS)}


def _table(block):
    """Splits a lexicon table: a line a row, a bar between columns, spaces between the names in a column."""
    return [tuple(column.split() for column in line.split("|")) for line in block.strip().splitlines()]


def _time(english, french):
    """Reads "last week : la semaine/2 dernière/1": the English words, and each French word with the index of the English one that it translates, or `None`."""
    linked = []
    for piece in french.split():
        text, _, index = piece.partition("/")
        linked += [(word, int(index) - 1 if index else None) for word in WORDS.findall(text)]
    return english.split(), linked


def _verbs(names):
    return [VERBS[name] for name in names]


PREPOSITIONS = {english: (tuple(english.split("_")), tuple(french.split())) for english, french in _lines(lexicon.PREPOSITIONS)}
MONTHS = _lines(lexicon.MONTHS)
TIMES = {tense: [_time(*_lines(phrase)[0]) for phrase in phrases.split(" | ")] for tense, phrases in lexicon.TIMES.items()}
# subject class -> [(verbs, preposition or None, object classes)]
FRAMES = {}
for _subjects, _names, _preposition, _objects in _table(lexicon.FRAMES):
    FRAMES.setdefault(_subjects[0], []).append((_verbs(_names), _preposition[0] if _preposition else None, _objects))
# object class -> [(verbs, subject class)], for "which …" and "whom …"
OBJECT_FRAMES = {}
for _subject, _frames in FRAMES.items():
    for _names, _preposition, _objects in _frames:
        for _object in [] if _preposition else _objects:
            OBJECT_FRAMES.setdefault(_object, []).append((_names, _subject))
# patient class -> [(verbs, agent classes)]
PASSIVES = {}
for _names, _patient, _agents in _table(lexicon.PASSIVES):
    PASSIVES.setdefault(_patient[0], []).append((_verbs(_names), _agents))
GIVING = [(_verbs(names), gifts) for names, gifts in _table(lexicon.GIVING)]
# class -> [(preposition, classes that follow)]
PLACES = {}
for _head, _preposition, _following in _table(lexicon.PLACES):
    PLACES.setdefault(_head[0], []).append((_preposition[0], _following))
RELATIONS = {head: whole.split() for head, whole in lexicon.RELATIONS.items()}
PREPOSED = {name: [ADJECTIVES[word] for word in words.split()] for name, words in lexicon.PREPOSED.items()}
POSTPOSED = {name: [ADJECTIVES[word] for word in words.split()] for name, words in lexicon.POSTPOSED.items()}
ORIGINS = [ADJECTIVES[word] for word in lexicon.ORIGINS.split()]
DOMAINS = [ADJECTIVES[word] for word in lexicon.DOMAINS.split()]
GRADABLE = frozenset(lexicon.GRADABLE.split())
