"""Sentences of the phrasebook: verbs, clauses, relative clauses and what joins them, in English and French at once."""

from keras_richctx.datasets import phrasebook_words as words
from keras_richctx.datasets.phrasebook_phrases import OBJECT_PRONOUNS, PRONOUNS, NounPhrases, Phrase
from keras_richctx.datasets.phrasebook_words import AVOIR, ETRE, french_participle

# What a clause is about, and what it says: a name stands in its list as often as it weighs.
SUBJECTS = (
    ["person"] * 13
    + ["animal"] * 4
    + ["institution"] * 4
    + ["accord"] * 3
    + ["text", "thing", "building", "vehicle", "furniture", "place", "room", "food", "part", "topic"]
)
PREDICATES = {
    "person": ["active"] * 12 + ["giving", "copular", "copular", "passive", "modal", "modal", "saying"],
    "animal": ["active"] * 6 + ["copular", "passive", "modal"],
    "institution": ["active"] * 5 + ["copular"],
    "accord": ["passive"] * 4 + ["copular"],
    "topic": ["passive"],
    "text": ["passive", "passive", "copular", "placed"],
    "thing": ["active", "passive", "copular", "placed", "placed"],
    "vehicle": ["active", "passive", "copular", "placed"],
    "building": ["passive", "passive", "copular", "placed"],
    "food": ["passive", "copular", "placed"],
    "furniture": ["copular", "placed"],
    "place": ["copular"],
    "room": ["copular"],
    "part": ["copular"],
}
TENSES = ["past", "past", "past", "present", "present", "present", "perfect", "future"]
ADVERBS = {"often": "souvent", "always": "toujours", "sometimes": "parfois"}
BE = {"present": ("am", "is", "are", "are", "are"), "past": ("was", "was", "were", "were", "were")}
MODALS = {
    "can": ("peux", "peut", "pouvons", "pouvez", "peuvent"),
    "must": ("dois", "doit", "devons", "devez", "doivent"),
    "want": ("veux", "veut", "voulons", "voulez", "veulent"),
}
SAYING = {
    "say": ("dis", "dit", "disons", "dites", "disent"),
    "think": ("pense", "pense", "pensons", "pensez", "pensent"),
    "know": ("sais", "sait", "savons", "savez", "savent"),
}


class Grammar(NounPhrases):
    """Draws sentences.

    Args:
        rng: a `numpy.random.Generator`.
    """

    def sentence(self, length):
        """Draws a sentence of about `length` English words: a pair of lists of words `(text, labels)`, English and French."""
        self.richness = min(max((length - 5) / 14, 0.0), 1.0)
        if length < 14 and self.chance(0.08):
            return self._question()
        tense = self.choose(TENSES)
        phrase = self.main_clause(tense, opening=True)
        for _ in range(round((length - 6) / 14 + self.random() - 0.5)):
            phrase = self._join(phrase, tense)
        return self._close(phrase, ".")

    def _question(self):
        if self.chance(0.5):
            thing = self.noun_phrase(self.choose(("thing", "animal", "person", "vehicle", "place", "room", "text")), "bound")
            where, verb = self.label(), self.label()
            english = [("where", where), (BE["present"][thing.person], verb), *thing.english]
            return self._close(Phrase(english, [("où", where), (ETRE["present"][thing.person], verb), *thing.french]), "?")
        who = Phrase(*self.pair(["who"], ["qui"]))
        return self._close(self._with(who, self._active(who, "person", self.choose(TENSES), False)), "?")

    def _close(self, phrase, mark):
        english, french = self.pair([mark], [mark])
        return phrase.english + english, phrase.french + french

    def _with(self, first, *others):
        """Puts phrases one after the other; what agrees, agrees with the first."""
        return first._replace(english=sum((phrase.english for phrase in others), first.english), french=sum((phrase.french for phrase in others), first.french))

    def _join(self, phrase, tense):
        """Adds a clause: "…, but …", "… because …"."""
        english, french, comma = self.choose(
            (("and", "et", False), ("and", "et", False), ("but", "mais", True), ("because", "parce que", False))
            + ((("while", "pendant que", False),) if tense == "present" else ())
        )
        comma = Phrase(*self.pair([","], [","])) if comma else Phrase([], [])
        return self._with(phrase, comma, Phrase(*self.pair([english], french.split())), self.main_clause(tense))

    def main_clause(self, tense, opening=False):
        """Draws a clause with its time, behind it or, where it opens the sentence, before it."""
        kind = self.choose(SUBJECTS)
        if opening and self.chance(0.06) and kind in words.PLACES:
            clause = self._there_is(kind)
            tense = None
        else:
            subject = self.subject(kind)
            clause = self._with(subject, self.predicate(subject, kind, tense))
        if tense == "perfect" or tense is None or not self.chance(0.1 + 0.3 * self.richness):
            return clause
        time = self.time(tense)
        if opening and self.chance(0.3):
            return self._with(time, Phrase(*self.pair([","], [","])), clause)
        return self._with(clause, time)

    def time(self, tense):
        """Draws a date or another time that suits the tense."""
        if tense == "past" and self.chance(0.6):
            year = str(1950 + int(70 * self.random()))
            month = Phrase(*self.pair(*([word] for word in self.choose(words.MONTHS))))
            year = Phrase(*self.pair([year], [year]))
            kind = self.random()
            if kind < 0.4:
                return self._with(Phrase(*self.pair(["in"], ["en"])), month, year)
            if kind < 0.6:
                return self._with(Phrase(*self.pair(["in"], ["en"])), year)
            day = str(2 + int(27 * self.random()))
            return self._with(Phrase(*self.pair(["on"], ["le"])), Phrase(*self.pair([day], [day])), month, year)
        english, french = self.choose(words.TIMES[tense])
        labels = [self.label() for _ in english]
        return Phrase(list(zip(english, labels)), [(word, labels[index] if index is not None else ()) for word, index in french])

    def subject(self, kind, plain=False):
        """Draws a subject of the class `kind`: a noun phrase, two of them, a name or a pronoun."""
        if kind == "person":
            draw = self.random()
            if draw < 0.3 - 0.15 * self.richness:
                english, (french, person, gender) = self.choose(tuple(PRONOUNS.items()))
                return Phrase(*self.pair([english], [french]), person, gender, person > 1)
            if draw < 0.42 - 0.15 * self.richness:
                return self.name()
        if kind in ("person", "animal") and self.chance(0.08):
            first, second = self.noun_phrase(kind, plain=True), self.noun_phrase(kind, plain=True)
            both = self._with(first, Phrase(*self.pair(["and"], ["et"])), second)
            return both._replace(person=4, plural=True, gender="f" if first.gender == second.gender == "f" else "m")
        return self.noun_phrase(kind, plain=True) if plain else self.described(kind)

    def described(self, kind, use="any"):
        """Draws a noun phrase, which a relative clause may follow."""
        if kind not in PREDICATES or not self.chance(0.3 * self.richness):
            return self.noun_phrase(kind, use)
        richness, self.richness = self.richness, 0.0  # no clause inside the clause
        phrase = self.noun_phrase(kind, use, plain=True)
        phrase = self._with(phrase, self._relative(phrase, kind))
        self.richness = richness
        return phrase

    def _relative(self, head, kind):
        """Draws "who sleeps", "which was signed", "which the minister has signed"."""
        tense = self.choose(("present", "past", "perfect"))
        if kind in words.OBJECT_FRAMES and self.chance(0.4):
            verbs, agent = self.choose(words.OBJECT_FRAMES[kind])
            subject = self.subject(agent, plain=True)
            group = self._verb_group(self.choose(verbs), subject, tense, preceding=head)
            relative = Phrase(*self.pair(["whom" if kind == "person" else "which"], ["que"]))
            return self._with(relative, subject, group)
        relative = Phrase(*self.pair(["who" if kind == "person" else "which"], ["qui"]))
        return self._with(relative, self.predicate(head, kind, tense))

    def predicate(self, subject, kind, tense):
        """Draws what is said of a subject."""
        options = PREDICATES[kind]
        said = self.choose(options)
        if subject.gender is None and said in ("copular", "passive"):
            said = "active"
        negative = self.chance(0.15)
        return getattr(self, f"_{said}")(subject, kind, tense, negative)

    def _active(self, subject, kind, tense, negative):
        verbs, preposition, objects = self.choose(words.FRAMES[kind])
        verb = self.choose(verbs)
        if verb.takes_etre and subject.gender is None:
            tense = "present"
        adverb = self.choose(tuple(ADVERBS.items())) if tense == "present" and not negative and self.chance(0.15) else None
        if objects and objects[0] == "person" and not preposition and self.chance(0.25):
            english, (french, gender, plural) = self.choose(tuple(OBJECT_PRONOUNS.items()))
            pronoun = Phrase(*self.pair([english], [french]), 1, gender, plural)
            return self._verb_group(verb, subject, tense, negative, adverb, pronoun)
        group = self._verb_group(verb, subject, tense, negative, adverb)
        return self._with(group, *self._objects(preposition, objects, negative))

    def _objects(self, preposition, objects, negative):
        """Draws the object of a verb, if it takes one."""
        if not objects:
            return []
        kind = self.choose(objects)
        if preposition:
            return [self.preposition(preposition, self.noun_phrase(kind, "bound"))]
        return [self.described(kind, "none" if negative else "any")]

    def _giving(self, subject, kind, tense, negative):
        verbs, gifts = self.choose(words.GIVING)
        group = self._verb_group(self.choose(verbs), subject, tense, negative)
        gift = self.noun_phrase(self.choose(gifts), "none" if negative else "any", plain=True)
        return self._with(group, gift, self.preposition("to", self.noun_phrase("person", "bound", plain=True)))

    def _modal(self, subject, kind, tense, negative):
        verbs, preposition, objects = self.choose(words.FRAMES[kind])
        verb = self.choose(verbs)
        name = self.choose(tuple(MODALS))
        modal, label = self.label(), self.label()
        french = [(MODALS[name][subject.person], modal)]
        if name == "want":
            english = [(name + "s" * (subject.person == 1), modal)]
            if negative:
                no = self.label()
                english = [("does" if subject.person == 1 else "do", ()), ("not", no), (name, modal)]
                french = [("ne", no), *french, ("pas", no)]
            english.append(("to", ()))
        else:
            english = [(name, modal)]
            negative = False
        english += [(verb.base, label)] + [(verb.particle, label)] * bool(verb.particle)
        return self._with(Phrase(english, [*french, (verb.infinitive, label)]), *self._objects(preposition, objects, negative))

    def _saying(self, subject, kind, tense, negative):
        name = self.choose(tuple(SAYING))
        label = self.label()
        group = Phrase([(name + "s" * (subject.person == 1), label)], [(SAYING[name][subject.person], label)])
        that = Phrase(*self.pair(["that"], ["que"]))
        kind = self.choose(SUBJECTS)
        subject = self.subject(kind, plain=True)
        said = "active" if kind == "person" else self.choose(PREDICATES[kind])
        tense = self.choose(TENSES)
        return self._with(group, that, subject, getattr(self, f"_{said}")(subject, kind, tense, False))

    def _passive(self, subject, kind, tense, negative):
        """Draws "was signed by the minister"."""
        verbs, agents = self.choose(words.PASSIVES[kind])
        verb = self.choose(verbs)
        if tense == "present":
            tense = "past"
        be, done, no = self.label(), self.label(), self.label()
        participle = (french_participle(verb.french_participle, subject.gender, subject.plural), done)
        not_, ne, pas = ([("not", no)], [("ne", no)], [("pas", no)]) if negative else ([], [], [])
        if tense == "future":
            will = self.label()
            english = [("will", will), *not_, ("be", be)]
            french = [*ne, (ETRE["future"][subject.person], (*will, *be)), *pas]
        elif tense == "perfect":
            have = self.label()
            english = [("has" if subject.person == 1 else "have", have), *not_, ("been", be)]
            french = [*ne, (AVOIR["present"][subject.person], have), *pas, ("été", be)]
        else:
            english = [(BE["past"][subject.person], be), *not_]
            french = [*ne, (AVOIR["present"][subject.person], be), *pas, ("été", be)]
        particle = [(verb.particle, done)] * bool(verb.particle)
        group = Phrase([*english, (verb.participle, done), *particle], [*french, participle])
        if self.chance(0.25 + 0.35 * self.richness):
            group = self._with(group, self.preposition("by", self.noun_phrase(self.choose(agents), "bound", plain=True)))
        return group

    def _be(self, subject, tense, negative):
        """Translates "is", "was not", "will be"."""
        be, no = self.label(), self.label()
        not_, ne, pas = ([("not", no)], [("ne", no)], [("pas", no)]) if negative else ([], [], [])
        if tense == "future":
            will = self.label()
            return Phrase([("will", will), *not_, ("be", be)], [*ne, (ETRE["future"][subject.person], (*will, *be)), *pas])
        tense = "past" if tense == "past" else "present"
        return Phrase([(BE[tense][subject.person], be), *not_], [*ne, (ETRE[tense][subject.person], be), *pas])

    def _copular(self, subject, kind, tense, negative):
        """Draws "is white", "was more patient than my brother"."""
        adjective, label = self.choose(words.POSTPOSED[kind]), self.label()
        quality = Phrase([(adjective.english, label)], [(adjective.french[subject.gender][subject.plural], label)])
        be = self._be(subject, tense, negative)
        if adjective.english not in words.GRADABLE or self.chance(0.5):
            return self._with(be, quality)
        degree = self.random()
        if degree < 0.5:
            return self._with(be, Phrase(*self.pair(["very"], ["très"])), quality)
        more, than = (("more", "plus"), ("than", "que")) if degree < 0.8 else (("as", "aussi"), ("as", "que"))
        other = self.noun_phrase(kind, "bound", plain=True)
        return self._with(be, Phrase(*self.pair(more[:1], more[1:])), quality, Phrase(*self.pair(than[:1], than[1:])), other)

    def _placed(self, subject, kind, tense, negative):
        """Draws "is on the table"."""
        name, following = self.choose([place for place in words.PLACES[kind] if place[0] not in ("about", "for")])
        return self._with(self._be(subject, tense, negative), self.preposition(name, self.noun_phrase(self.choose(following), "bound")))

    def _there_is(self, kind):
        """Draws "there are two cats in the garden", *il y a deux chats dans le jardin*: "there" is *il y*, the verb *a*."""
        there, be = self.label(), self.label()
        thing = self.noun_phrase(kind, "any", plain=True)
        while thing.english[0][0] not in ("a", "some", "two", "three", "four", "several", "many"):
            thing = self.noun_phrase(kind, "any", plain=True)
        name, following = self.choose([place for place in words.PLACES[kind] if place[0] not in ("about", "for", "with")] or [("in", ["room"])])
        english = [("there", there), (BE["present"][thing.person], be), *thing.english]
        french = [("il", there), ("y", there), ("a", be), *thing.french]
        return self._with(Phrase(english, french), self.preposition(name, self.noun_phrase(self.choose(following), "bound", plain=True)))

    def _verb_group(self, verb, subject, tense, negative=False, adverb=None, pronoun=None, preceding=None):
        """Translates a verb with its auxiliaries, its negation, an adverb and an object pronoun.

        *Ne* and *pas* are both linked to "not"; "do" is unlinked; an auxiliary without an English counterpart goes with the verb. A past participle agrees with the
        subject after *être*, with a preceding object (the pronoun, or `preceding`, the head of a relative clause) after *avoir*.
        """
        do, act, no = self.label(), self.label(), self.label()
        third = subject.person == 1
        not_, ne, pas = ([("not", no)], [("ne", no)], [("pas", no)]) if negative else ([], [], [])
        often, souvent = self.pair(adverb[:1], adverb[1:]) if adverb else ([], [])
        pronoun_english, pronoun_french = (pronoun.english, pronoun.french) if pronoun else ([], [])
        particle = [(verb.particle, act)] * bool(verb.particle)
        if tense == "present":
            form = (verb.third if third else verb.base, act)
            english = [("does" if third else "do", ()), *not_, (verb.base, act)] if negative else [*often, form]
            french = [*ne, *pronoun_french, (verb.present[subject.person], act), *pas, *souvent]
        elif tense == "future":
            english = [("will", do), *not_, (verb.base, act)]
            french = [*ne, *pronoun_french, (verb.future[subject.person], (*do, *act)), *pas]
        else:
            agreeing = subject if verb.takes_etre else pronoun or preceding
            participle = french_participle(verb.french_participle, agreeing.gender, agreeing.plural) if agreeing else verb.french_participle
            auxiliary = (ETRE if verb.takes_etre else AVOIR)["present"][subject.person]
            if tense == "perfect":
                english = [("has" if third else "have", do), *not_, (verb.participle, act)]
            else:
                english = [("did", do), *not_, (verb.base, act)] if negative else [(verb.past, act)]
            linked = do if tense == "perfect" or negative else act
            french = [*ne, *pronoun_french, (auxiliary, linked), *pas, (participle, act)]
        return Phrase([*english, *particle, *pronoun_english], french)
