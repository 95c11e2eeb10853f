"""The words of the phrasebook with all their forms: English and French morphology by rule, nothing random."""

import re
from typing import NamedTuple

from keras_richctx.datasets import phrasebook_lexicon as lexicon

WORDS = re.compile(r"\w+['’]?|[^\w\s]")  # as `WordTokenizer` splits


class Noun(NamedTuple):
    """A noun in both languages, its forms as (singular, plural).

    A compound adds `modifier` before the English noun and `tail` after the French one. `count` is "many", "mass" (not counted) or "one" (no plural); `owned`
    says whether it takes "my".
    """

    english: tuple
    french: tuple
    gender: str
    count: str
    modifier: str
    tail: tuple
    owned: bool


class Adjective(NamedTuple):
    """An adjective: the English word, and the French forms (singular, plural) by gender, "m" or "f"."""

    english: str
    french: dict


class Verb(NamedTuple):
    """A verb: English forms and particle ("" without), French forms by person: 0 je, 1 il or elle, 2 nous, 3 vous, 4 ils or elles."""

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


def english_plural(noun):
    """Forms the regular English plural.

    Example:
        >>> [english_plural(noun) for noun in ("cat", "box", "city", "key")]
        ['cats', 'boxes', 'cities', 'keys']
    """
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", noun) + "s"


def english_third(verb):
    """Forms the third person singular of the English present.

    Example:
        >>> [english_third(verb) for verb in ("sign", "watch", "go", "carry")]
        ['signs', 'watches', 'goes', 'carries']
    """
    return verb + "es" if verb.endswith("o") else english_plural(verb)


def english_past(verb):
    """Forms the regular English past.

    Example:
        >>> [english_past(verb) for verb in ("sign", "dance", "cry", "stay")]
        ['signed', 'danced', 'cried', 'stayed']
    """
    return re.sub(r"(?<=[^aeiou])y$", "i", verb) + ("d" if verb.endswith("e") else "ed")


def french_plural(word):
    """Forms the regular French plural of a noun or a masculine adjective.

    Example:
        >>> [french_plural(word) for word in ("chat", "cheval", "gâteau", "ours", "heureux", "national")]
        ['chats', 'chevaux', 'gâteaux', 'ours', 'heureux', 'nationaux']
    """
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("al"):
        return word[:-1] + "ux"
    return word + ("x" if word.endswith("eau") else "s")


def french_feminine(adjective):
    """Forms the regular French feminine of an adjective.

    Example:
        >>> [french_feminine(adjective) for adjective in ("petit", "calme", "heureux", "fatigué")]
        ['petite', 'calme', 'heureuse', 'fatiguée']
    """
    if adjective.endswith("e"):
        return adjective
    return adjective[:-1] + "se" if adjective.endswith("eux") else adjective + "e"


def agree(participle, gender, plural):
    """Makes a French past participle agree.

    Example:
        >>> agree("signé", "f", True), agree("lu", "m", False)
        ('signées', 'lu')
    """
    return participle + "e" * (gender == "f") + "s" * plural


def _noun(kind, english, french):
    modifier, english = re.fullmatch(r"(?:\[(.+)\] )?(.+)", english).groups()
    french, tail, gender, count = re.fullmatch(r"([^\[\]]+?)(?: \[(.+)\])? ([mf])( mass| one)?", french).groups()
    english, french = english.split(), french.split()
    return Noun(
        english=(english[0], english[1] if len(english) > 1 else english_plural(english[0])),
        french=(french[0], french[1] if len(french) > 1 else french_plural(french[0])),
        gender=gender,
        count=count.strip() if count else "many",
        modifier=modifier or "",
        tail=tuple(WORDS.findall(tail or "")),
        owned=not {kind, english[0]}.isdisjoint(lexicon.OWNED.split()),
    )


def _adjective(english, french):
    masculine, *feminine = french.split()
    feminine = feminine[0] if feminine else french_feminine(masculine)
    return Adjective(english, {"m": (masculine, french_plural(masculine)), "f": (feminine, feminine + "s")})


def _verb(english, french):
    base, *pasts = english.split()
    base, _, particle = base.partition("_")
    past = pasts[0] if pasts else english_past(base)
    infinitive, *forms = french.lstrip("*").split()
    if len(forms) >= 6:
        present, participle = tuple(forms[:5]), forms[5]
    else:  # regular, in -er; the stem keeps its sound: nous mangeons
        stem = infinitive[:-2]
        soft = stem + "e" if stem.endswith("g") else stem
        present, participle = (stem + "e", stem + "e", soft + "ons", stem + "ez", stem + "ent"), stem + "é"
    stem = forms[6] if len(forms) > 6 else infinitive.removesuffix("e")
    return Verb(
        base=base,
        third=english_third(base),
        past=past,
        participle=pasts[-1] if pasts else past,
        particle=particle,
        infinitive=infinitive,
        present=present,
        future=tuple(stem + ending for ending in ("ai", "a", "ons", "ez", "ont")),
        french_participle=participle,
        takes_etre=french.startswith("*"),
    )


def _time(english, french):
    """Reads "last week : la semaine/2 dernière/1": the English words, and each French word with the index of the English one that it translates, or `None`."""
    linked = []
    for piece in french.split():
        text, _, index = piece.partition("/")
        linked += [(word, int(index) - 1 if index else None) for word in WORDS.findall(text)]
    return english.split(), linked


def _lines(block):
    """Splits each line of a word list at its colon."""
    return [tuple(part.strip() for part in line.split(":")) for line in block.strip().splitlines()]


def _table(block):
    """Splits a table into rows of columns, a column into names."""
    return [tuple(column.split() for column in line.split("|")) for line in block.strip().splitlines()]


def _by_class(rows):
    """Collects the rows of a table under the class in their first column."""
    collected = {}
    for (kind,), *columns in rows:
        collected.setdefault(kind, []).append(tuple(columns))
    return collected


def _adjectives(names):
    return [ADJECTIVES[name] for name in names.split()]


def _verbs(names):
    return [VERBS[name] for name in names]


NOUNS = {kind: [_noun(kind, *line) for line in _lines(block)] for kind, block in lexicon.NOUNS.items()}
NAMES = [_noun("person", *line) for line in _lines(lexicon.NAMES)]
ADJECTIVES = {english: _adjective(english, french) for english, french in _lines(lexicon.ADJECTIVES)}
VERBS = {english.split()[0]: _verb(english, french) for english, french in _lines(lexicon.VERBS)}
PREPOSITIONS = {english: (english.split("_"), french.split()) for english, french in _lines(lexicon.PREPOSITIONS)}
MONTHS = _lines(lexicon.MONTHS)
TIMES = {tense: [_time(*part.strip().split(" : ")) for part in phrases.split("|")] for tense, phrases in lexicon.TIMES.items()}

PREPOSED = {kind: _adjectives(names) for kind, names in lexicon.PREPOSED.items()}
POSTPOSED = {kind: _adjectives(names) for kind, names in lexicon.POSTPOSED.items()}
ORIGINS, DOMAINS = _adjectives(lexicon.ORIGINS), _adjectives(lexicon.DOMAINS)
STACKING, WITHOUT_DOMAIN = frozenset(lexicon.STACKING.split()), frozenset(lexicon.WITHOUT_DOMAIN.split())
GRADABLE, COMPARED = frozenset(lexicon.GRADABLE.split()), frozenset(lexicon.COMPARED.split())

# subject class -> [(verbs, preposition, object classes)]
FRAMES = _by_class((kind, _verbs(verbs), "".join(preposition), objects) for kind, verbs, preposition, objects in _table(lexicon.FRAMES))
# object class -> [(subject class, verbs)], the same frames seen from a direct object
OBJECT_FRAMES = _by_class(
    ([kind], subject, verbs) for subject, frames in FRAMES.items() for verbs, preposition, objects in frames if not preposition for kind in objects
)
GIVING = [(_verbs(verbs), gifts) for verbs, gifts in _table(lexicon.GIVING)]
# what is done to a class -> [(verbs, classes of who does it)]
PASSIVES = _by_class((kind, _verbs(verbs), agents) for verbs, kind, agents in _table(lexicon.PASSIVES))
# class -> [(preposition, classes that follow)]
PLACES = _by_class((kind, preposition[0], following) for kind, preposition, following in _table(lexicon.PLACES))
COMPLEMENTS = _by_class((kind, preposition[0], following) for kind, preposition, following in _table(lexicon.COMPLEMENTS))
# head class -> classes that follow "of"; class -> (head class that may take its place, how often)
WHOLES = {head[0]: wholes for head, wholes, _, _ in _table(lexicon.RELATIONS)}
HEADS = {kind[0]: (head[0], int(percent[0]) / 100) for head, _, kind, percent in _table(lexicon.RELATIONS)}
