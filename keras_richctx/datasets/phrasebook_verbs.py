"""Verb groups of the phrasebook: a verb with its auxiliaries, negation and adverb, in English and French at once; nothing random.

What is linked: the verb to the verb; *ne* and *pas* both to "not"; an auxiliary to the auxiliary, and where English has none, to the verb (*a signé* to
"signed"); *a été* to "was" in "was signed"; *signera* to both "will" and "sign". "Do" in a present negation and the "to" of an infinitive have no link.
"""

from typing import NamedTuple

from keras_richctx.datasets.phrasebook_phrase import NOTHING, Phrase, chain, word
from keras_richctx.datasets.phrasebook_words import agree

# French by the persons of `Verb`, English likewise.
AVOIR = ("ai", "a", "avons", "avez", "ont")
ETRE = {
    "present": ("suis", "est", "sommes", "êtes", "sont"),
    "past": ("étais", "était", "étions", "étiez", "étaient"),
    "future": ("serai", "sera", "serons", "serez", "seront"),
}
BE = {"present": ("am", "is", "are", "are", "are"), "past": ("was", "was", "were", "were", "were")}
MODALS = {
    "can": ("peux", "peut", "pouvons", "pouvez", "peuvent"),
    "must": ("dois", "doit", "devons", "devez", "doivent"),
    "want": ("veux", "veut", "voulons", "voulez", "veulent"),
}
SAYING = {
    "know": ("sais", "sait", "savons", "savez", "savent"),
    "say": ("dis", "dit", "disons", "dites", "disent"),
    "think": ("pense", "pense", "pensons", "pensez", "pensent"),
}


class Setting(NamedTuple):
    """What a clause sets for its verb: the tense ("present", "past", "perfect", "future"), negation, and whether a time follows."""

    tense: str
    negative: bool = False
    timed: bool = False


def _label():
    return (object(),)


def _negation(negative):
    """Gives the English "not" and the French *ne* and *pas*, each a list of one word, or empty."""
    if not negative:
        return [], [], []
    label = _label()
    return [("not", label)], [("ne", label)], [("pas", label)]


def active_verb(verb, subject, setting, adverb=NOTHING, pronoun=NOTHING, preceding=None):
    """Translates an active verb: "often signs", "has not signed", "will sign it".

    Args:
        verb: a `Verb`.
        subject: a `Phrase`, of which the person, the gender and the number count.
        setting: a `Setting`.
        adverb: a `Phrase`, before the English verb and behind the French one. Defaults to none.
        pronoun: a `Phrase`, the object, behind the English verb and before the French one. Defaults to none.
        preceding: a `Phrase` or `None`, another object that comes before the French verb. Defaults to `None`.

    Returns:
        A `Phrase`. A French past participle agrees with the subject after *être*, after *avoir* with an object that comes before it.
    """
    act, auxiliary = _label(), _label()
    third = subject.person == 1
    no, ne, pas = _negation(setting.negative)
    if setting.tense == "present":
        english = [("does" if third else "do", ()), *no, (verb.base, act)] if no else [*adverb.english, (verb.third if third else verb.base, act)]
        french = [(verb.present[subject.person], act), *pas, *adverb.french]
    elif setting.tense == "future":
        english = [("will", auxiliary), *no, (verb.base, act)]
        french = [(verb.future[subject.person], auxiliary + act), *pas]
    else:
        if setting.tense == "perfect":
            english = [("has" if third else "have", auxiliary), *no, (verb.participle, act)]
        elif no:
            english = [("did", auxiliary), *no, (verb.base, act)]
        else:
            english, auxiliary = [(verb.past, act)], act
        agreeing = subject if verb.takes_etre else pronoun if pronoun.french else preceding
        participle = agree(verb.french_participle, agreeing.gender, agreeing.plural) if agreeing else verb.french_participle
        french = [((ETRE["present"] if verb.takes_etre else AVOIR)[subject.person], auxiliary), *pas, (participle, act)]
    particle = [(verb.particle, act)] if verb.particle else []
    return Phrase([*english, *particle, *pronoun.english], [*ne, *pronoun.french, *french])


def passive_verb(verb, subject, setting):
    """Translates a passive verb: "was signed", "has not been signed", "will be signed"."""
    done = _label()
    no, ne, pas = _negation(setting.negative)
    if setting.tense == "perfect":
        have, been = _label(), _label()
        english = [("has" if subject.person == 1 else "have", have), *no, ("been", been)]
        french = [*ne, (AVOIR[subject.person], have), *pas, ("été", been)]
    elif setting.tense == "past":
        be = _label()
        english = [(BE["past"][subject.person], be), *no]
        french = [*ne, (AVOIR[subject.person], be), *pas, ("été", be)]
    else:
        english, french, *_ = copula(subject, setting)
    particle = [(verb.particle, done)] if verb.particle else []
    return Phrase([*english, (verb.participle, done), *particle], [*french, (agree(verb.french_participle, subject.gender, subject.plural), done)])


def copula(subject, setting):
    """Translates "to be": "is", "was not", "will be"."""
    be = _label()
    no, ne, pas = _negation(setting.negative)
    french = ETRE[setting.tense][subject.person]
    if setting.tense == "future":
        will = _label()
        return Phrase([("will", will), *no, ("be", be)], [*ne, (french, will + be), *pas])
    return Phrase([(BE[setting.tense][subject.person], be), *no], [*ne, (french, be), *pas])


def modal_verb(name, verb, subject, negative):
    """Translates "can", "must" or "want to" with a verb; "can" is not negated."""
    label, act = _label(), _label()
    no, ne, pas = _negation(negative and name != "can")
    third = subject.person == 1
    if name != "want":
        english = [(name, label), *no]
    elif no:
        english = [("does" if third else "do", ()), *no, (name, label), ("to", ())]
    else:
        english = [(name + "s" * third, label), ("to", ())]
    particle = [(verb.particle, act)] if verb.particle else []
    return Phrase([*english, (verb.base, act), *particle], [*ne, (MODALS[name][subject.person], label), *pas, (verb.infinitive, act)])


def saying_verb(name, subject):
    """Translates "says that", "thinks that", "knows that"."""
    return chain(word(name + "s" * (subject.person == 1), SAYING[name][subject.person]), word("that", "que"))
