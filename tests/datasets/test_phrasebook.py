import collections
import functools
import itertools
import re

import pytest

from keras_richctx.datasets import Pairs, load, phrasebook
from keras_richctx.datasets.phrasebook import load_phrasebook
from keras_richctx.datasets.phrasebook_words import ADJECTIVES, DOMAINS, FRAMES, GIVING, NOUNS, ORIGINS, PASSIVES, POSTPOSED, PREPOSED, VERBS


@functools.cache
def split(sentence):
    return re.findall(r"\w+['’]?|[^\w\s]", sentence)


@pytest.fixture(scope="module")
def pairs():
    return phrasebook(20_000)


def translations(pairs, english):
    """The French words linked to each occurrence of an English word, in order."""
    for (source, target), links in zip(pairs, pairs.alignments):
        french = split(target)
        for index, word in enumerate(split(source)):
            if word.lower() == english:
                yield " ".join(french[j].lower() for i, j in sorted(links) if i == index)


def test_an_english_sentence_has_one_translation_whatever_the_seed_and_the_lengths(pairs):
    translation, again = {}, 0
    for part in (pairs, *(phrasebook(2_000, seed=seed, max_words=6) for seed in (1, 2))):
        for source, target in part:
            again += source.lower() in translation
            assert translation.setdefault(source.lower(), target.lower()) == target.lower(), source
    assert again > 500  # else nothing was compared


def test_links_count_words_as_the_tokenizer_splits_them(pairs):
    for (source, target), links in zip(pairs, pairs.alignments):
        english, french = split(source), split(target)
        assert links
        assert all(i < len(english) and j < len(french) for i, j in links)
        assert (len(english) - 1, len(french) - 1) in links  # the last mark to the last mark
        assert "".join(english) == source.replace(" ", "")


def test_every_word_is_linked_but_those_without_counterpart(pairs):
    alone = collections.defaultdict(set)
    for (source, target), links in zip(pairs, pairs.alignments):
        for side, words in enumerate((split(source), split(target))):
            linked = {link[side] for link in links}
            alone[side] |= {word.lower() for index, word in enumerate(words) if index not in linked}
    assert alone[0] == {"do", "does", "to", "in"}  # "does not", "wants to", "in the morning"
    assert alone[1] == {"de", "d'", "le", "la", "l'", "à", "au", "aux"}  # traité de paix, la semaine dernière, tarte aux pommes


@pytest.mark.parametrize(
    "english, french",
    [
        ("not", {"ne pas", "n' pas"}),
        ("the", {"le", "la", "l'", "les", "du", "des", "au", "aux"}),
        ("some", {"du", "de la", "de l'", "des", "de"}),
        ("any", {"de", "d'"}),
        ("a", {"un", "une"}),
        ("this", {"ce", "cet", "cette"}),
        ("my", {"mon", "ma", "mes"}),
        ("old", {"vieux", "vieil", "vieille", "vieilles"}),
        ("beautiful", {"beau", "bel", "belle", "beaux", "belles"}),
        ("near", {"près de", "près du", "près des", "près d'"}),
        ("front", {"devant"}),
        ("because", {"parce que", "parce qu'"}),
        ("many", {"beaucoup de", "beaucoup d'"}),
        ("there", {"il y"}),
        ("european", {"européen", "européens", "européenne", "européennes"}),
        ("been", {"été"}),
    ],
)
def test_a_word_is_linked_to_its_translations_and_to_nothing_else(pairs, english, french):
    assert set(translations(pairs, english)) == french


def test_in_was_signed_both_a_and_ete_are_linked_to_was(pairs):
    found = 0
    for (source, target), links in zip(pairs, pairs.alignments):
        english, french = split(source), split(target)
        for i, words in enumerate(itertools.pairwise(english)):
            if words == ("was", "signed"):
                linked = [[french[j] for a, j in sorted(links) if a == i + step] for step in (0, 1)]
                assert linked in ([["a", "été"], ["signé"]], [["a", "été"], ["signée"]])
                found += 1
    assert found


def test_a_stack_of_english_adjectives_reverses_in_french(pairs):
    found = 0
    for (source, target), links in zip(pairs, pairs.alignments):
        if "European economic area" in source:
            european, zone = split(source[: source.index("European economic area")]), split(target[: target.index("zone économique européenne")])
            i, j = len(european), len(zone)
            assert {(i, j + 2), (i + 1, j + 1), (i + 2, j)} <= links
            found += 1
    assert found


@pytest.mark.parametrize(
    "error",
    [
        r"\b(le|la|de|ne|que|je|ma|sa|ce) [aeiouâàéèêëîïôûœ]",  # elision
        r"\b(le|la|de|ne|que|je|ma|sa|ce) h(omme|istoire|ôpi|ôtel|eureu|onnê|erbe)",
        r"['’](hibou|hérisson|héros|hache)",  # h aspiré
        r"\b(cet|bel|vieil|nouvel) (hibou|hérisson|héros|[bcdfgjklmnpqrstvwxz])",
        r"\b(un|le|ce) (beau|vieux|nouveau) [aeiouâàéèêëîïôûœ]",
        r"\b(de|à) les?\b",  # contraction
        r"\b(beaucoup|près) des? (un|une|le|les|des)\b",
        r"^des (bon|petit|vieux|vieille|beaux|belle|nouveaux|nouvelle|grand|jeune|mauvais|long)",  # de petits chats
        r"\b(mes|ses|nos|vos|leurs|ces|deux|trois|quatre|plusieurs) \w+[^sx\W]\b",
        r"\b(mon|son|notre|ce|cet|cette|un|une|chaque) (?!souris|ours|autobus|héros|jus)\w+[^s]s (est|était|sera|a)\b",
        r"^(un|le|ce) \w+ (est|était|sera) \w*(ée|euse|anche|verte|noire|grise|ande)\b",
        r"^(une|la|cette) \w+ (est|était|sera) \w*(é|eux|anc|vert|noir|gris|and)\b",
        r"\b(a|ont|avons|avez|ai) pas (un|une|du|des)\b",
        r"  |'\s|\s[.,]|[^\s]\?",  # spaces
    ],
)
def test_french_has_no_such_error(pairs, error):
    wrong = [target for target in pairs.target if re.search(error, target.lower())]
    assert not wrong, wrong[:3]


def test_participles_agree_after_etre_and_with_an_object_that_precedes(pairs):
    passive = re.compile(r"^(le|la|les|un|une) (\w+) (?:a|ont) été (\w+)")
    endings = {"le": "[^es]", "un": "[^es]", "la": "[^é]?é?e", "une": "[^é]?é?e", "les": "s"}
    checked = collections.Counter()
    for target in pairs.target:
        if match := passive.match(target.lower()):
            article, _, participle = match.groups()
            assert re.search(endings[article] + "$", participle), target
            checked[article] += 1
    assert min(checked[article] for article in endings) > 10
    relative = [match.groups() for target in pairs.target if (match := re.search(r"\b(une|un) (\w+) (?:que le|qu'un) \w+ a (\w+)", target.lower()))]
    assert {participle[-1] == "e" for article, _, participle in relative if article == "une"} == {True}
    assert {participle[-1] == "e" for article, _, participle in relative if article == "un"} == {False}


def test_english_has_a_or_an_by_sound(pairs):
    following = collections.defaultdict(set)
    for source in pairs.source:
        for article, word in re.findall(r"\b(an?) (\w+)", source.lower()):
            following[article].add(word)
    assert {word for word in following["a"] if word[0] in "aeiou"} <= {"european", "union", "university", "useful"}
    assert {word for word in following["an"] if word[0] not in "aeiou"} <= {"honest"}
    assert not following["a"] & following["an"]


def test_the_same_seed_gives_the_same_pairs_and_fewer_are_the_beginning_of_more(pairs):
    assert phrasebook(300) == pairs[:300]
    assert phrasebook(300, seed=1) != pairs[:300]
    assert phrasebook(0) == Pairs([], [], [])


def test_all_pairs_differ(pairs):
    assert len(set(pairs.source)) == len(pairs)


@pytest.mark.parametrize("min_words, max_words", [(3, 7), (20, 25), (40, 60), (12, 12)])
def test_lengths_stay_within_their_limits(min_words, max_words):
    lengths = [len(split(source)) for source in phrasebook(200, min_words=min_words, max_words=max_words).source]
    assert min_words <= min(lengths) <= max(lengths) <= max_words


def test_by_default_lengths_reach_from_3_to_30_and_short_ones_prevail(pairs):
    lengths = collections.Counter(len(split(source)) for source in pairs.source)
    assert (min(lengths), max(lengths)) == (3, 30)
    assert sum(lengths[n] for n in range(3, 11)) > sum(lengths[n] for n in range(11, 21)) > sum(lengths[n] for n in range(21, 31)) > 2000


def test_subjects_bound_what_sentences_are_about(pairs):
    about_accords = phrasebook(500, max_words=16, subjects=["accord"])
    accords = {form for noun in NOUNS["accord"] for form in noun.english}
    words = [set(split(source.lower())) for source in about_accords.source]
    assert all(accords & of_sentence for of_sentence in words)
    assert not {"because", "while", "where", "who", "there", "i"} & set.union(*words)
    assert any("and" in of_sentence for of_sentence in words)
    assert not all(accords & set(split(source.lower())) for source in pairs.source[:500])


def test_a_class_that_occurs_twice_is_drawn_twice_as_often():
    def share(subjects):
        return sum("treaty" in source or "treaties" in source for source in phrasebook(1500, subjects=subjects, min_words=8, max_words=12).source) / 1500

    assert share(["accord", "accord", "animal"]) / share(["accord", "animal"]) == pytest.approx(4 / 3, rel=0.2)  # 2/3 by 1/2


def test_no_sentence_is_in_two_splits_whatever_the_seeds():
    splits = {name: set(load_phrasebook(name, size=500, seed=seed, max_words=6).source) for seed, name in enumerate(("train", "validation", "test"))}
    assert all(len(sentences) == 500 for sentences in splits.values())
    assert not splits["train"] & splits["validation"]
    assert not splits["train"] & splits["test"]
    assert not splits["validation"] & splits["test"]


def test_load_passes_its_options_on():
    assert load("phrasebook", "test", size=9, subjects=["pet"]) == load_phrasebook("test", 9, subjects=["pet"])
    assert load("phrasebook", "test", size=20, seed=3, max_words=9) == load_phrasebook("test", 20, 3, max_words=9)
    assert len(load("phrasebook", "validation", max_words=10)) == 500


def test_every_verb_and_adjective_is_used():
    rows = (
        [verbs for frames in FRAMES.values() for verbs, *_ in frames]
        + [verbs for verbs, _ in GIVING]
        + [verbs for rows in PASSIVES.values() for verbs, _ in rows]
    )
    assert {verb for verbs in rows for verb in verbs} == set(VERBS.values())
    used = {adjective.english for adjectives in (*PREPOSED.values(), *POSTPOSED.values(), ORIGINS, DOMAINS) for adjective in adjectives}
    assert used == set(ADJECTIVES)


def test_a_noun_means_the_same_in_every_class():
    french = collections.defaultdict(set)
    for nouns in NOUNS.values():
        for noun in nouns:
            for english, translation in zip(noun.english, noun.french):
                french[noun.modifier, english].add((translation, noun.gender, noun.tail))
    assert {words: len(meanings) for words, meanings in french.items() if len(meanings) > 1} == {}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n": -1}, r"0 or more. Received: -1"),
        ({"n": 1, "min_words": 2}, r"3 <= min_words <= max_words <= 60. Received: min_words=2, max_words=30"),
        ({"n": 1, "min_words": 9, "max_words": 8}, r"Received: min_words=9, max_words=8"),
        ({"n": 1, "max_words": 61}, r"max_words=61"),
        ({"n": 1, "subjects": []}, r"Received: subjects=\[\]. Give a list of accord, animal"),
        ({"n": 1, "subjects": "accord"}, r"Received: subjects='accord'"),
        ({"n": 1, "subjects": ["accord", "treaty"]}, r"Received: subjects=\['accord', 'treaty'\]"),
        ({"n": 500, "max_words": 3}, r"found \d+. Ask for fewer pairs, or allow more lengths"),
    ],
)
def test_impossible_wishes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        phrasebook(**arguments)


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"train, validation, test. Received: split='dev'"):
        load_phrasebook("dev")
