import pytest
import typer

from keras_richctx.datasets import Pairs
from richctx.data import fingerprint, hold_out, read, select

SOURCE = [f"sentence {i // 2}" for i in range(40)]  # each twice
PAIRS = Pairs(SOURCE, [f"phrase {i}" for i in range(40)], [{(0, i)} for i in range(40)])


def test_no_source_sentence_is_on_both_sides_and_no_pair_is_lost():
    training, held_out = hold_out(PAIRS, 5)
    assert len(set(held_out.source)) == 5
    assert not set(training.source) & set(held_out.source)
    assert sorted([*training, *held_out]) == sorted(PAIRS)
    assert [PAIRS.target.index(target) for target in held_out.target] == [next(iter(links))[1] for links in held_out.alignments]


def test_the_parts_do_not_hang_on_the_order_of_the_lines():
    backwards = Pairs(PAIRS.source[::-1], PAIRS.target[::-1])
    assert set(hold_out(PAIRS)[1]) == set(hold_out(backwards)[1])


@pytest.mark.parametrize("different, sentences", [(20, 1), (21, 2), (40, 2), (30_000, 1000)])
def test_one_sentence_in_twenty_is_held_out_up_to_a_thousand(different, sentences):
    source = [f"sentence {i}" for i in range(different)]
    assert len(hold_out(Pairs(source, source))[1]) == sentences


@pytest.mark.parametrize("pairs, sentences", [(PAIRS, 20), (PAIRS, 21), (PAIRS[:2], None)])
def test_both_parts_need_a_sentence(pairs, sentences):
    with pytest.raises(ValueError, match=r"different source sentences, .* cannot be held out"):
        hold_out(pairs, sentences)


def test_selection_keeps_all_translations_of_the_first_short_sentences():
    pairs = Pairs(["a b c", "a b", "c", "a b", "d"], ["1", "2", "3", "4", "5"])
    assert list(select(pairs, max_words=2, sentences=2)) == [("a b", "2"), ("c", "3"), ("a b", "4")]
    assert select(pairs) == pairs
    with pytest.raises(ValueError, match="None of the 5 source sentences has at most 0 words"):
        select(pairs, max_words=0)


def test_the_fingerprint_changes_with_any_sentence_and_with_where_one_ends():
    different = [PAIRS, PAIRS[:-1], PAIRS[::-1], Pairs(["a b"], ["c"]), Pairs(["a"], ["b c"]), Pairs(["a", "b"], ["c", "d"])]
    assert len({fingerprint(pairs) for pairs in different}) == len(different)


def test_a_text_is_not_taken_for_sentence_pairs(monkeypatch):
    monkeypatch.setattr("richctx.data.load", lambda name, split: "To be, or not to be")
    with pytest.raises(typer.BadParameter, match="tinyshakespeare is a text, and translation takes sentence pairs"):
        read(None, None, "tinyshakespeare", "test")
