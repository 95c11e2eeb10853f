import re

import pytest

from keras_richctx.datasets import argued_texts, argued_texts_lexicon, load
from keras_richctx.metrics import chunks


def test_the_same_seed_gives_the_same_texts_and_fewer_are_the_beginning_of_more():
    ten, more = argued_texts(10, seed=3), argued_texts(25, seed=3)
    for layer in ten:
        assert (ten[layer].words, ten[layer].tags) == (more[layer].words[:10], more[layer].tags[:10])
    assert argued_texts(10, seed=4)["components"].words != ten["components"].words


def test_all_tags_are_of_the_same_words_and_no_text_is_in_two_splits():
    splits = {split: load("argued-texts", split, size=200, layer=None) for split in ("train", "valid", "test")}
    for texts in splits.values():
        assert texts["components"].words is texts["keyphrases"].words is texts["parts_of_speech"].words
    seen = [" ".join(words) for texts in splits.values() for words in texts["components"].words]
    assert len(set(seen)) == 600


def test_a_text_has_one_thesis_and_the_side_of_the_thesis_says_what_supports_it():
    texts = argued_texts(300)["components"]
    words = {side: {re.sub(r"[\[\]]", "", p) for d in argued_texts_lexicon.DOMAINS.values() for p in d[side]} for side in ("benefits", "harms")}
    sides = set()
    for text, tags in zip(texts.words, texts.tags):
        spans = chunks(tags)
        (thesis,) = [" ".join(text[start:end]) for kind, start, end in spans if kind == "THE"]
        positive = not re.search(" poor | useless | avoid | bad ", thesis)
        sides.add(positive)
        for kind, start, end in spans:
            if kind != "THE":
                claim = " ".join(text[start:end])
                good = any(claim.endswith(benefit) for benefit in words["benefits"])
                assert good != any(claim.endswith(harm) for harm in words["harms"])
                assert (kind == "PRO") == (good == positive)
    assert sides == {True, False}


def test_keyphrases_are_whole_and_every_word_has_its_part_of_speech():
    texts = argued_texts(300)
    keyphrases = {p for d in argued_texts_lexicon.DOMAINS.values() for kind in d if kind != "plan" for line in d[kind] for p in re.findall(r"\[(.+?)\]", line)}
    found = set()
    for words, tags in zip(texts["keyphrases"].words, texts["keyphrases"].tags):
        found |= {" ".join(words[start:end]) for _, start, end in chunks(tags)}
    assert {p[0].lower() + p[1:] for p in found} <= keyphrases
    assert len(found) > 80
    parts = argued_texts_lexicon.PARTS_OF_SPEECH
    assert len(argued_texts_lexicon.PART_OF_SPEECH) == sum(len(words.split()) for words in parts.values())  # no word has two


@pytest.mark.parametrize("arguments, match", [((-1,), "0 or more"), ((5, 0, ["sport"]), "domains=.*sport"), ((5, 0, "city"), "domains='city'")])
def test_what_cannot_be_generated_is_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        argued_texts(*arguments)


def test_another_split_or_layer_is_refused():
    with pytest.raises(ValueError, match="split='dev'"):
        load("argued-texts", "dev")
    with pytest.raises(ValueError, match="layer='claims'"):
        load("argued-texts", layer="claims")
