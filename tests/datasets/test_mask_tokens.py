"""Masking: how many tokens, which ones, and what is shown in their place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tensorflow")

from keras_richctx.datasets import mask_tokens

V, T = 60, 37


class Ids:
    """A tokenizer of which only the ids matter: 0 pads, 1 to 4 are special, 4 the mask; odd ids from 41 on go on with a word."""

    pad_id, unk_id, bos_id, eos_id, mask_id = range(5)
    vocab_size, special_ids = V, [0, 1, 2, 3, 4]
    continues = (np.arange(V) > 40) & (np.arange(V) % 2 == 1)


def masked(ids, mask=None, seed=(0, 0), **options):
    ids = np.asarray(ids, "int32")
    mask = ids != 0 if mask is None else mask
    result = mask_tokens(ids, mask, Ids(), seed, **options)
    return {name: values.numpy() for name, values in result.items()}


def rows(count=64, seed=0, longest=T - 2):
    """Rows of 2 to `longest` ordinary tokens between special ones, some of them unknown, padded."""
    rng = np.random.default_rng(seed)
    ids = np.zeros((count, T), "int32")
    for row in ids:
        n = rng.integers(2, longest + 1)
        row[: n + 2] = [2, *np.where(rng.random(n) < 0.1, 1, rng.integers(5, V, n)), 3]
    return ids


def chosen_in(result, row):
    return result["mask_positions"][row][result["weights"][row] == 1]


def words_of(ids):
    """Lists of the places of each word of a row, special tokens and pads aside."""
    words = []
    for place, i in enumerate(ids):
        if i < 5:
            continue
        if Ids.continues[i] and words and words[-1][-1] == place - 1:
            words[-1].append(place)
        else:
            words.append([place])
    return words


@pytest.mark.parametrize("unit", ["token", "word", "span"])
@pytest.mark.parametrize("rate, most", [(0.15, None), (0.15, 2), (0.5, None), (0.4, 50)])
def test_what_is_hidden_is_in_the_labels_and_nothing_else_changes(unit, rate, most):
    ids = rows()
    result = masked(ids, unit=unit, rate=rate, max_predictions=most)
    count = most or int(np.ceil(rate * T))
    assert {name: (values.shape, str(values.dtype)) for name, values in result.items()} == {
        "token_ids": ((64, T), "int32"),
        "mask_positions": ((64, count), "int32"),
        "labels": ((64, count), "int32"),
        "weights": ((64, count), "float32"),
    }
    for row in range(64):
        positions = chosen_in(result, row)
        n = (ids[row] >= 5).sum()
        wanted = min(count, max(1, round(rate * n))) if n else 0
        assert len(positions) == wanted or (unit == "word" and len(positions) < wanted)
        assert positions.tolist() == sorted(set(positions.tolist()))
        assert (ids[row][positions] >= 5).all()  # never special, never a pad
        np.testing.assert_array_equal(result["labels"][row][: len(positions)], ids[row][positions])
        restored = result["token_ids"][row].copy()
        restored[positions] = ids[row][positions]
        np.testing.assert_array_equal(restored, ids[row])
        assert not result["labels"][row][len(positions) :].any()
        assert not result["mask_positions"][row][len(positions) :].any()
        shown = result["token_ids"][row][positions]
        assert ((shown == 4) | (shown >= 5)).all()


@pytest.mark.parametrize("unit", ["token", "word", "span"])
def test_the_shares_are_80_10_10_and_each_place_is_as_likely(unit):
    ids = np.full((6000, T), 2, "int32")
    ids[:, 1:-1] = 20
    result = masked(ids, unit=unit, seed=(3, 4))
    assert result["weights"].sum() == 6000 * 5  # 0.15 of 35 tokens
    shown = np.take_along_axis(result["token_ids"], result["mask_positions"], 1)[result["weights"] == 1]
    count = len(shown)
    error = 4 * np.sqrt(0.25 / (count if unit != "span" else 6000 * 2))
    as_mask, as_itself = np.mean(shown == 4), np.mean(shown == 20)
    random = shown[(shown != 4) & (shown != 20)]
    assert abs(as_mask - 0.8) < error
    assert abs(as_itself - 0.1 - 0.1 / (V - 5)) < error
    assert abs(len(random) / count - 0.1) < error
    drawn = np.bincount(random, minlength=V)
    assert not drawn[:5].any()
    expected = len(random) / (V - 6)
    assert ((drawn[np.r_[5:20, 21:V]] - expected) ** 2 / expected).sum() < 110  # chi squared of 53 degrees: 1 in 100,000
    places = np.bincount(result["mask_positions"][result["weights"] == 1], minlength=T)
    assert places[0] == places[-1] == 0
    if unit != "span":  # spans are rarer at the edges
        expected = 6000 * 5 / 35
        assert ((places[1:-1] - expected) ** 2 / expected).sum() < 80  # of 34 degrees


@given(st.integers(0, 2**31))
@settings(max_examples=10)
def test_words_are_hidden_whole_and_as_many_as_fit(seed):
    ids = rows(16, seed)
    result = masked(ids, unit="word", rate=0.3, seed=(seed, 1))
    for row in range(16):
        chosen, words = set(chosen_in(result, row).tolist()), words_of(ids[row])
        assert all(chosen.issuperset(word) or chosen.isdisjoint(word) for word in words)
        n = sum(map(len, words))
        left = min(int(np.ceil(0.3 * T)), max(1, round(0.3 * n))) * bool(n) - len(chosen)
        assert left >= 0
        assert not any(len(word) <= left for word in words if chosen.isdisjoint(word))  # no other word would fit


@given(st.integers(0, 2**31))
@settings(max_examples=10)
def test_spans_begin_with_words_and_cross_no_special_token(seed):
    ids = rows(16, seed)
    result = masked(ids, unit="span", rate=0.2, seed=(seed, 1))
    for row in range(16):
        chosen, words = chosen_in(result, row), words_of(ids[row])
        begun = [set(chosen.tolist()) & set(word) for word in words]
        cut = [word for word, places in zip(words, begun) if places and len(places) < len(word)]
        assert len(cut) <= 1  # the last span alone ends within a word, where the number is reached
        assert all(min(places) == word[0] for word, places in zip(words, begun) if places)


def test_the_lengths_of_spans_are_geometric():
    ids = np.full((4000, 402), 2, "int32")
    ids[:, 1:-1] = 20
    result = masked(ids, unit="span", rate=0.0275, seed=(5, 6))  # 11 tokens: the first span is whole, and others rarely touch it
    lengths = []
    for row in range(4000):
        runs = np.split(chosen_in(result, row), np.flatnonzero(np.diff(chosen_in(result, row)) > 1) + 1)
        lengths.append(len(runs[0]) if len(runs) > 1 else 0)
    # SpanBERT's mean is 3.8; the run on the left is the first span drawn, or another, which the number may cut short.
    assert 3.2 < np.mean([length for length in lengths if length]) < 4.1
    assert max(lengths) <= 11


def test_a_span_is_shown_in_one_way():
    ids = np.full((500, 402), 2, "int32")
    ids[:, 1:-1] = 20
    result = masked(ids, unit="span", rate=0.01)  # one or two spans
    alike = 0
    for row in range(500):
        shown = result["token_ids"][row][chosen_in(result, row)]
        alike += len({"mask" if i == 4 else "other" for i in shown.tolist()}) == 1
    assert alike > 350  # of token by token 0.8 ** 4 + 0.2 ** 4, 205 of 500


def test_rows_without_an_ordinary_token_have_nothing_to_guess():
    ids = np.array([[2, 1, 1, 3], [2, 3, 0, 0], [0, 0, 0, 0], [2, 9, 3, 0]])
    for unit in ("token", "word", "span"):
        result = masked(ids, unit=unit, max_predictions=7)
        assert result["weights"].sum(1).tolist() == [0, 0, 0, 1]
        assert result["mask_positions"].shape == (4, 7)
        np.testing.assert_array_equal(result["token_ids"][:3], ids[:3])
        assert result["labels"][3].tolist() == [9, 0, 0, 0, 0, 0, 0]


def test_a_row_of_one_long_word_has_no_word_that_fits():
    ids = [[2, 40, 41, 43, 45, 3]]
    assert masked(ids, unit="word")["weights"].sum() == 0
    assert masked(ids, unit="span")["weights"].sum() == 1
    assert masked([[2, 41, 43, 3, 45, 6]], unit="word", rate=0.5, max_predictions=2)["weights"].sum() == 2  # a word begins behind a special token


def test_pads_go_by_the_mask_and_not_by_the_id():
    ids = np.full((50, 9), 20)
    mask = np.arange(9) < 3
    result = masked(ids, mask=np.tile(mask, (50, 1)), rate=0.9)
    assert (result["mask_positions"][result["weights"] == 1] < 3).all()
    assert (result["weights"].sum(1) == 3).all()


def test_more_padding_and_other_rows_change_no_number_of_masks():
    ids = rows(20)
    wider = np.pad(ids, [[0, 0], [0, 11]])
    for unit in ("token", "span"):
        counts = masked(ids, unit=unit, max_predictions=9)["weights"].sum(1)
        np.testing.assert_array_equal(masked(wider, unit=unit, max_predictions=9)["weights"].sum(1), counts)
        np.testing.assert_array_equal(masked(ids[:3], unit=unit, max_predictions=9)["weights"].sum(1), counts[:3])


@pytest.mark.parametrize("unit", ["token", "word", "span"])
def test_the_seed_decides(unit):
    ids = rows()
    one, again, other = (masked(ids, unit=unit, seed=seed)["token_ids"] for seed in ((7, 8), (7, 8), (7, 9)))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"rate": 0.0}, r"between 0 and 1\. Received: rate=0\.0"),
        ({"rate": 15}, r"Received: rate=15"),
        ({"unit": "phrase"}, r"token, word, span\. Received: unit='phrase'"),
        ({"max_predictions": 0}, r"Received: max_predictions=0"),
    ],
)
def test_an_argument_out_of_its_range_is_named(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        masked(rows(), **options)


def test_a_tokenizer_without_a_mask_is_refused():
    class Unmasked(Ids):
        mask_id = None

    with pytest.raises(ValueError, match=r"needs a token for the mask\. Received: .*mask_id is None"):
        mask_tokens(rows(), rows() != 0, Unmasked(), (0, 0))
