"""Sentences of the phrasebook, drawn at random: clauses, relative clauses, what joins them and when they happen."""

from keras_richctx.datasets import phrasebook_words as words
from keras_richctx.datasets.phrasebook_nouns import Draw, located, name, noun_phrase, preposition
from keras_richctx.datasets.phrasebook_phrase import NOTHING, Phrase, chain, linked, word
from keras_richctx.datasets.phrasebook_verbs import BE, ETRE, MODALS, SAYING, Setting, active_verb, copula, modal_verb, passive_verb, saying_verb

# What a clause is about, and what it says of it; a word stands as often as it weighs.
SUBJECTS = ["person"] * 14 + ["official"] * 4 + ["animal"] * 3 + ["pet"] * 3 + ["institution"] * 4 + ["accord"] * 4
SUBJECTS += ["topic", "text", "paper", "thing", "garment", "vehicle", "structure", "building", "food", "furniture", "place", "part", "town"]
ACTIONS = {
    "person": ["active"] * 12 + ["giving", "copular", "copular", "passive", "modal", "modal", "saying"],
    "official": ["active"] * 8 + ["copular", "copular", "passive", "modal", "saying"],
    "animal": ["active"] * 7 + ["copular", "copular", "passive", "modal", "placed"],
    "pet": ["active"] * 7 + ["copular", "copular", "passive", "modal", "placed"],
    "institution": ["active"] * 6 + ["copular"],
    "accord": ["passive"] * 5 + ["copular"],
    "topic": ["passive"],
    "text": ["passive", "passive", "copular", "placed"],
    "paper": ["passive", "passive", "copular"],
    "thing": ["active", "passive", "copular", "placed"],
    "garment": ["active", "passive", "copular", "placed"],
    "vehicle": ["active", "passive", "passive", "copular", "placed"],
    "structure": ["passive", "copular"],
    "building": ["passive", "passive", "copular", "placed"],
    "food": ["passive", "copular", "placed"],
    "furniture": ["passive", "copular", "placed"],
    "place": ["copular"],
    "part": ["passive", "copular"],
    "town": ["copular"],
}
EMBEDDED_ACTIONS = {kind: [action for action in actions if action != "saying"] for kind, actions in ACTIONS.items()}  # behind "that"
RELATIVE_ACTIONS = {kind: [action for action in actions if action not in ("copular", "saying")] for kind, actions in ACTIONS.items()}
ANIMATE = frozenset(["person", "official", "animal", "pet"])  # who can do something often
TENSES = ["past"] * 4 + ["present"] * 4 + ["perfect", "future"]
GENDERLESS = [("I", "je", 0, None), ("we", "nous", 2, None), ("you", "vous", 3, None)]  # English does not say whether they are masculine, French may have to
GENDERED = [("he", "il", 1, "m"), ("she", "elle", 1, "f"), ("they", "ils", 4, "m")]  # "they", the last, is not said where it would be *elles*
OBJECT_PRONOUNS = [("him", "le", "m", False), ("her", "la", "f", False), ("them", "les", "m", True)]
ADVERBS = [("always", "toujours"), ("often", "souvent"), ("sometimes", "parfois")]
CONJUNCTIONS = [("and", "et"), ("and", "et"), ("but", "mais")]
CONJUNCTIONS_OF_PERSONS = [("because", "parce que"), ("while", "pendant que")]  # the last in the present only


class Grammar(Draw):
    """Draws sentences.

    Args:
        rng: a `numpy.random.Generator`.
        subjects: list of classes, of which the subject of a main clause is drawn.

    Attributes:
        present: boolean, whether the last clause stands in the present, so that "while" may follow. Starts as `True`.
    """

    def __init__(self, rng, subjects=SUBJECTS):
        super().__init__(rng)
        self.subjects = subjects
        self.things_that_are_there = [kind for kind in words.PLACES if kind in subjects]
        self.conjunctions = CONJUNCTIONS + (CONJUNCTIONS_OF_PERSONS if "person" in subjects else [])
        self.present = True

    def sentence(self, length):
        """Draws a sentence of about `length` English words.

        Args:
            length: float. Longer sentences have more clauses, and richer ones.

        Returns:
            A `Phrase`, its words not yet spelled.
        """
        self.richness = min(max((length - 5) / 14, 0.0), 1.0)
        if length < 14 and self.subjects is SUBJECTS and self.chance(0.08):
            return chain(self.question(), word("?", "?"))
        self.feminine_plural = False
        tense = self.choose(TENSES)
        phrase = self.clause(tense, opening=True)
        for _ in range(round((length - 6) / 14 + self.random() - 0.5)):
            english, french = self.choose([pair for pair in self.conjunctions if self.present or pair[0] != "while"])
            comma = word(",", ",") if english == "but" else NOTHING
            if english in ("because", "while"):  # a reason is something that a person does; "while" follows, and stands in, the present
                clause = chain(*self.active("person", Setting("present" if english == "while" else tense)))
            else:
                clause = self.clause(tense)
            phrase = chain(phrase, comma, linked([english], french.split()), clause)
        return chain(phrase, word(".", "."))

    def question(self):
        """Draws "where is the cat" or "who signed the treaty"."""
        if self.chance(0.5):
            thing = noun_phrase(self, self.choose(("thing", "pet", "person", "vehicle", "place", "garment", "text")), "known", plain=True)
            be = word(BE["present"][thing.person], ETRE["present"][thing.person])
            return chain(word("where", "où"), be, thing)
        return chain(*self.active("person", Setting(self.choose(TENSES)), word("who", "qui")))

    def clause(self, tense, opening=False, embedded=False):
        """Draws a main clause, in another tense than `tense` where what it says demands it, with or without a time.

        Args:
            tense: string, the tense of a `Setting`.
            opening: boolean, whether the clause opens the sentence, so that its time may come first. Defaults to `False`.
            embedded: boolean, whether the clause follows "that", without a time. Defaults to `False`.

        Returns:
            A `Phrase`.
        """
        if opening and self.things_that_are_there and self.chance(0.05):
            self.present = True
            return self.there_is()
        kind = self.choose(self.subjects)
        action = self.choose(EMBEDDED_ACTIONS[kind] if embedded else ACTIONS[kind])
        tense = self.tense_of(action, tense)
        self.present = tense == "present"
        timeless = embedded or action == "saying" or tense == "perfect" or (action == "copular" and kind not in ("person", "official", "place"))
        timed = not timeless and self.chance(0.1, 0.35)
        clause = chain(*getattr(self, action)(kind, Setting(tense, self.chance(0.12), timed)))
        if not timed:
            return clause
        time = self.time("state" if tense == "present" and action in ("copular", "placed") else tense)
        if opening and self.chance(0.3):
            return chain(time, word(",", ","), clause)
        return chain(clause, time)

    def tense_of(self, action, tense):
        """Gives the tense that an action takes: "can" and "says" stand in the present, "is signed" becomes "was signed", "has been white" "is white"."""
        if action in ("modal", "saying") or (action in ("copular", "placed") and tense == "perfect"):
            return "present"
        return "past" if action == "passive" and tense == "present" else tense

    def time(self, tense):
        """Draws a date, or another time that suits the tense."""
        if tense in ("past", "future") and self.chance(0.2):
            return preposition(self.choose(("after", "before", "during")), noun_phrase(self, "event", "known"))
        if tense == "past" and self.chance(0.6):
            return self.date()
        english, french = self.choose(words.TIMES[tense])
        labels = [(object(),) for _ in english]
        return Phrase(list(zip(english, labels)), [(text, () if index is None else labels[index]) for text, index in french])

    def date(self):
        """Draws "in August 1992", "in 1992" or "on 3 August 1992"."""
        year = str(1980 + int(40 * self.random()))
        if self.chance(0.3):
            return chain(word("in", "en"), word(year, year))
        english, french = self.choose(words.MONTHS)
        month = chain(word(english, french), word(year, year))
        if self.chance(0.6):
            return chain(word("in", "en"), month)
        day = str(2 + int(27 * self.random()))  # the first is *le 1er*
        return chain(word("on", "le"), word(day, day), month)

    def there_is(self):
        """Draws "there is a cat in the garden", *il y a un chat dans le jardin*: "there" is *il y*, "is" is *a*."""
        kind = self.choose(self.things_that_are_there)
        thing = noun_phrase(self, kind, "new", plain=True)
        return chain(linked(["there"], ["il", "y"]), word(BE["present"][thing.person], "a"), thing, located(self, words.PLACES[kind]))

    def subject(self, kind, setting, action, agrees=False):
        """Draws a subject: a pronoun, a name, two of a class, or a noun phrase; where `agrees`, one whose gender the English shows."""
        use = "known" if setting.negative or action in ("copular", "placed") else "any"
        bare = action in ("copular", "placed")
        if kind == "person" and self.chance(0.32, 0.15):
            free = action in ("active", "giving", "modal", "saying") and setting.tense != "future" and not agrees
            gendered = GENDERED[:-1] if self.feminine_plural else GENDERED
            english, french, person, gender = self.choose(GENDERLESS + gendered if free else gendered)
            return word(english, french)._replace(person=person, gender=gender, plural=person > 1)
        if kind == "person" and self.chance(0.15):
            return name(self)
        if kind in ("person", "animal", "pet") and self.chance(0.08):
            first = noun_phrase(self, kind, "bound", plain=True, bare=bare)
            second = noun_phrase(self, kind, "bound", plain=True, bare=bare, unlike=first)
            gender = "f" if first.gender == second.gender == "f" else "m"
            self.feminine_plural |= gender == "f"
            return chain(first, word("and", "et"), second)._replace(person=4, plural=True, gender=gender)
        return self.described(kind, use, bare, action)

    def described(self, kind, use="any", bare=False, action=None):
        """Draws a noun phrase which a relative clause may follow, of another kind than `action`; none follows inside a relative clause, nor behind "any"."""
        wanted = use != "denied" and self.chance(0.0, 0.3)
        actions = [other for other in RELATIVE_ACTIONS.get(kind, ()) if other != action] if wanted else []
        if not (actions or (wanted and kind in words.OBJECT_FRAMES)):
            return noun_phrase(self, kind, use, bare=bare)
        richness, self.richness = self.richness, 0.0
        head = noun_phrase(self, kind, use, plain=True, bare=bare)
        phrase = chain(head, self.relative(head, kind, actions))
        self.richness = richness
        return phrase

    def relative(self, head, kind, actions):
        """Draws "who sleeps", "which was signed by the king", "which the king has signed"."""
        human = kind in ("person", "official")
        tense = self.choose(("present", "past", "perfect"))
        if kind in words.OBJECT_FRAMES and (not actions or self.chance(0.45)):
            agent, verbs = self.choose(words.OBJECT_FRAMES[kind])
            subject = self.subject(agent, Setting(tense), "active")
            verb = active_verb(self.verb(verbs, Setting(tense)), subject, Setting(tense), preceding=head)
            return chain(word("whom" if human else "which", "que"), subject, verb)
        action = self.choose(actions)
        _, predicate = getattr(self, action)(kind, Setting(self.tense_of(action, tense)), head)
        return chain(word("who" if human else "which", "qui"), predicate)

    # Each of the following draws what a clause says: its subject, if none is given, and its predicate, a pair of phrases.

    def active(self, kind, setting, subject=None):
        """Draws "reads the book", "often sleeps", "knows him"."""
        verb, before, objects = self.frame(kind, setting)
        agrees = verb.takes_etre and setting.tense in ("past", "perfect")
        subject = subject or self.subject(kind, setting, "active", agrees)
        adverb = NOTHING
        if setting.tense == "present" and not setting.negative and not setting.timed and kind in ANIMATE and self.chance(0.12):
            english, french = self.choose(ADVERBS)
            adverb = word(english, french)
        if objects[:1] == ["person"] and not before and self.chance(0.25):
            english, french, gender, plural = self.choose(OBJECT_PRONOUNS[:-1] if self.feminine_plural else OBJECT_PRONOUNS)
            return subject, active_verb(verb, subject, setting, adverb, word(english, french)._replace(gender=gender, plural=plural))
        return subject, chain(active_verb(verb, subject, setting, adverb), self.object_of(before, objects, setting.negative))

    def frame(self, kind, setting):
        """Draws a verb, its preposition and the classes of its object."""
        verbs, before, objects = self.choose(words.FRAMES[kind])
        return self.verb(verbs, setting), before, objects

    def verb(self, verbs, setting):
        """Draws a verb that shows its tense: not the past of "read", since "they read" may be *ils lisent* or *ils ont lu*; "did not read" is clear."""
        verb = self.choose(verbs)
        while verb.past == verb.base and setting.tense == "past" and not setting.negative:
            verb = self.choose(verbs)
        return verb

    def object_of(self, before, objects, negative):
        """Draws what a verb acts on, if it does."""
        if not objects:
            return NOTHING
        kind = self.choose(objects)
        if before:
            return preposition(before, noun_phrase(self, kind, "bound" if kind in ("person", "official") else "place"))
        return self.described(kind, "denied" if negative else "any")

    def giving(self, kind, setting, subject=None):
        """Draws "gave the book to the student"."""
        subject = subject or self.subject(kind, setting, "giving")
        verbs, gifts = self.choose(words.GIVING)
        gift = noun_phrase(self, self.choose(gifts), "denied" if setting.negative else "any", plain=True)
        receiver = noun_phrase(self, self.choose(("person", "person", "official")), "bound", plain=True)
        return subject, chain(active_verb(self.verb(verbs, setting), subject, setting), gift, preposition("to", receiver))

    def modal(self, kind, setting, subject=None):
        """Draws "can swim", "must read the book", "does not want to sleep"."""
        subject = subject or self.subject(kind, setting, "modal")
        verb, before, objects = self.frame(kind, setting)
        negative = setting.negative
        chosen = self.choose(tuple(MODALS))
        return subject, chain(modal_verb(chosen, verb, subject, negative), self.object_of(before, objects, negative and chosen != "can"))

    def saying(self, kind, setting, subject=None):
        """Draws "says that the treaty was signed"."""
        subject = subject or self.subject(kind, setting, "saying")
        return subject, chain(saying_verb(self.choose(tuple(SAYING)), subject), self.clause(self.choose(TENSES), embedded=True))

    def passive(self, kind, setting, subject=None):
        """Draws "was signed by the minister"."""
        subject = subject or self.subject(kind, setting, "passive")
        verbs, agents = self.choose(words.PASSIVES[kind])
        verb = passive_verb(self.choose(verbs), subject, setting)
        if not self.chance(0.2, 0.6):
            return subject, verb
        return subject, chain(verb, preposition("by", noun_phrase(self, self.choose(agents), "bound", plain=True)))

    def copular(self, kind, setting, subject=None):
        """Draws "is white", "was more patient than my brother"."""
        subject = subject or self.subject(kind, setting, "copular")
        adjective = self.choose(words.POSTPOSED[kind])
        quality = word(adjective.english, adjective.french[subject.gender][subject.plural])
        be = copula(subject, setting)
        if adjective.english not in words.GRADABLE or self.chance(0.5):
            return subject, chain(be, quality)
        if self.chance(0.5):
            return subject, chain(be, word("very", "très"), quality)
        more = adjective.english in words.COMPARED and self.chance(0.5)
        before, behind = (word("more", "plus"), word("than", "que")) if more else (word("as", "aussi"), word("as", "que"))
        return subject, chain(be, before, quality, behind, noun_phrase(self, kind, "bound", bare=True, unlike=subject))

    def placed(self, kind, setting, subject=None):
        """Draws "is on the table"."""
        subject = subject or self.subject(kind, setting, "placed")
        return subject, chain(copula(subject, setting), located(self, words.PLACES[kind]))
