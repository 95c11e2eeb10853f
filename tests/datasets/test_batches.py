"""Batches of sentence pairs: what is in them, in which order, and that a run can be continued exactly."""

import collections
import inspect
import re
import warnings

import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.datasets import Pairs, batches, load, source_batches, translation_batches
from keras_richctx.text import ByteLevelBPETokenizer, WordTokenizer


class Letters:
    """A tokenizer of letters, `"c"` being 13; `"-"` is the pad id, which no tokenizer should give but a mask must survive."""

    pad_id, bos_id, eos_id = 0, 1, 2

    def __call__(self, texts, bos=False, eos=False):
        return [[1] * bos + [0 if letter == "-" else ord(letter) - 86 for letter in text] + [2] * eos for text in texts]


def some_pairs(n, seed=0, longest=11):
    rng = np.random.default_rng(seed)
    source, target = (["".join(rng.choice(list("abcdefg"), rng.integers(1, longest))) for _ in range(n)] for _ in "ab")
    return Pairs(source, target)


def make(pairs, **options):
    return translation_batches(pairs, Letters(), Letters(), **options)


def as_lists(dataset):
    """Batches as nested lists, which can be compared."""
    return [
        [{name: array.tolist() for name, array in inputs.items()}, labels.tolist(), weight.tolist()] for inputs, labels, weight in dataset.as_numpy_iterator()
    ]


def read_back(batches):
    """The rows of batches, each as the tuple of its real source ids and its real label ids."""
    rows = []
    for inputs, labels, weight in batches:
        for ids, mask, label, real in zip(inputs["encoder_token_ids"], inputs["encoder_padding_mask"], labels, weight):
            rows.append((tuple(ids[: sum(mask)]), tuple(label[: int(sum(real))])))
    return rows


def tokenized(pairs):
    return [(tuple(source), tuple(target)) for source, target in zip(Letters()(pairs.source, eos=True), Letters()(pairs.target, eos=True))]


def test_a_batch_written_out_by_hand():
    pairs = Pairs(["ab", "c"], ["d", "efg"])
    ((inputs, labels, weight),) = make(pairs, batch_size=2, pad_to_multiple=1).as_numpy_iterator()
    assert inputs["encoder_token_ids"].tolist() == [[13, 2, 0], [11, 12, 2]]
    assert inputs["encoder_padding_mask"].tolist() == [[True, True, False], [True, True, True]]
    assert inputs["decoder_token_ids"].tolist() == [[1, 15, 16, 17], [1, 14, 0, 0]]
    assert inputs["decoder_padding_mask"].tolist() == [[True] * 4, [True, True, False, False]]
    assert labels.tolist() == [[15, 16, 17, 2], [14, 2, 0, 0]]
    assert weight.tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert {name: str(array.dtype) for name, array in inputs.items()} == {
        "encoder_token_ids": "int32",
        "encoder_padding_mask": "bool",
        "decoder_token_ids": "int32",
        "decoder_padding_mask": "bool",
    }
    assert (labels.dtype, weight.dtype) == ("int32", "float32")


@pytest.mark.parametrize(
    "n, batch_size, multiple, shuffle, seed",
    [(1, 1, 1, True, 0), (1, 45, 9, False, 0), (40, 7, 3, True, -(2**40)), (42, 7, 1, True, 2**40), (41, 1, 2, False, 1)],
)
def test_every_pair_occurs_once_in_a_pass(n, batch_size, multiple, shuffle, seed):
    pairs = some_pairs(n)
    dataset = make(pairs, batch_size=batch_size, pad_to_multiple=multiple, shuffle=shuffle, seed=seed)
    batches = as_lists(dataset)
    assert collections.Counter(read_back(batches)) == collections.Counter(tokenized(pairs))
    sizes = sorted(len(labels) for _, labels, _ in batches)
    assert int(dataset.cardinality()) == len(sizes) == -(-n // batch_size)
    assert sizes[1:] == [batch_size] * (len(sizes) - 1)


@pytest.mark.parametrize("multiple", [1, 4, 7])
def test_pads_are_zero_and_as_few_as_the_multiple_allows(multiple):
    for inputs, labels, weight in make(some_pairs(50), batch_size=8, pad_to_multiple=multiple).as_numpy_iterator():
        for ids, mask in [
            (inputs["encoder_token_ids"], inputs["encoder_padding_mask"]),
            (inputs["decoder_token_ids"], inputs["decoder_padding_mask"]),
            (labels, weight == 1),
        ]:
            lengths = mask.sum(1)
            np.testing.assert_array_equal(mask, np.arange(ids.shape[1]) < lengths[:, None])
            assert not ids[~mask].any()
            assert ids[mask].all()
            assert ids.shape[1] == -(-lengths.max() // multiple) * multiple
        np.testing.assert_array_equal(weight, inputs["decoder_padding_mask"])
        np.testing.assert_array_equal(inputs["decoder_token_ids"][:, 1:][weight[:, 1:] == 1], labels[:, :-1][weight[:, 1:] == 1])


def test_the_mask_goes_by_length_and_not_by_the_pad_id():
    ((inputs, labels, weight),) = make(Pairs(["-a-", "b"], ["c--", "-"]), pad_to_multiple=1, shuffle=False).as_numpy_iterator()
    assert inputs["encoder_padding_mask"].sum(1).tolist() == [4, 2]
    assert labels.tolist() == [[13, 0, 0, 2], [0, 2, 0, 0]]
    assert weight.sum(1).tolist() == [4, 2]


def test_passes_differ_and_two_builds_agree_whatever_the_global_seed():
    pairs = some_pairs(60)
    two = as_lists(make(pairs, batch_size=7, seed=5).repeat(2))
    assert len(two) == 2 * 9
    assert two[:9] != two[9:]
    keras.utils.set_random_seed(99)
    assert as_lists(make(pairs, batch_size=7, seed=5).repeat(2)) == two
    assert as_lists(make(pairs, batch_size=7, seed=6)) != two[:9]


def test_equals_are_mixed_anew_in_each_pass():
    pairs = Pairs([f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"], ["a"] * 64)  # all of one length
    batches = [frozenset(map(tuple, inputs["encoder_token_ids"].tolist())) for inputs, _, _ in make(pairs, batch_size=8).repeat(2).as_numpy_iterator()]
    assert not set(batches[:8]) & set(batches[8:])


def test_a_stopped_run_is_continued_exactly():
    dataset = make(some_pairs(60), batch_size=7)
    whole = as_lists(dataset.repeat(3))
    assert as_lists(dataset) + as_lists(dataset) == whole[:18]
    assert as_lists(dataset.repeat(3).skip(13)) == whole[13:]
    assert as_lists(dataset.repeat().skip(13).take(9)) == whole[13:22]


def test_without_shuffling_batches_go_from_long_to_short_in_every_pass():
    dataset = make(some_pairs(60), batch_size=7, shuffle=False, pad_to_multiple=3)
    passes = as_lists(dataset.repeat(2))
    assert passes[:9] == passes[9:] == as_lists(dataset)
    widths = [len(labels[0]) for _, labels, _ in passes[:9]]
    assert widths == sorted(widths, reverse=True)
    rows = read_back(as_lists(make(Pairs(["b", "a", "c"], ["x", "y", "z"]), shuffle=False)))
    assert [source for source, _ in rows] == [(12, 2), (11, 2), (13, 2)]  # equals stay in their order


def test_shuffling_mixes_long_and_short_batches():
    widths = [len(labels[0]) for _, labels, _ in as_lists(make(some_pairs(200), batch_size=7, pad_to_multiple=1))]
    assert widths not in (sorted(widths), sorted(widths, reverse=True))


def test_bucketing_leaves_little_padding_and_a_larger_multiple_few_shapes():
    pairs = load("phrasebook", size=1000)
    english, french = WordTokenizer.train(pairs.source, 2000), WordTokenizer.train(pairs.target, 2000)
    share = {}
    for multiple in (1, 4, 8):
        real, all_positions, shapes = 0, 0, set()
        for inputs, _, _ in translation_batches(pairs, english, french, batch_size=16, pad_to_multiple=multiple).as_numpy_iterator():
            for side in ("encoder", "decoder"):
                real += inputs[f"{side}_padding_mask"].sum()
                all_positions += inputs[f"{side}_padding_mask"].size
            shapes.add((inputs["encoder_token_ids"].shape[1], inputs["decoder_token_ids"].shape[1]))
        share[multiple] = 1 - real / all_positions, len(shapes)
    assert share[1][0] < 0.06 < share[4][0] < share[8][0] < 0.3
    assert share[1][1] > share[4][1] > share[8][1]


@pytest.mark.parametrize("tokenizer", [WordTokenizer, ByteLevelBPETokenizer])
def test_the_sentences_can_be_read_back(tokenizer):
    pairs = load("phrasebook", size=50)
    english, french = tokenizer.train(pairs.source, 400), tokenizer.train(pairs.target, 400)
    found = []
    for inputs, labels, _ in translation_batches(pairs, english, french, batch_size=9).as_numpy_iterator():
        found += zip(english.decode(inputs["encoder_token_ids"].tolist()), french.decode(labels.tolist()))
        assert french.decode(inputs["decoder_token_ids"].tolist()) == french.decode(labels.tolist())
    assert sorted(found) == sorted(zip(english.decode(english(pairs.source)), french.decode(french(pairs.target))))


def test_many_sentences_are_tokenized_in_parts(monkeypatch):
    monkeypatch.setattr(batches, "CHUNK", 7)
    assert sorted(read_back(as_lists(make(some_pairs(50))))) == sorted(tokenized(some_pairs(50)))


def test_a_very_long_sentence_goes_through():
    pairs = Pairs(["a" * 2000, "b"], ["c", "d" * 3000])
    assert sorted(map(len, sum(read_back(as_lists(make(pairs))), ()))) == [2, 2, 2001, 3001]


def test_a_sentence_without_tokens_is_one_end():
    assert read_back(as_lists(make(Pairs([""], [""])))) == [((2,), (2,))]


def test_nothing_is_dropped_or_said_where_all_pairs_are_short_enough():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_back(as_lists(make(some_pairs(50, longest=6), max_length=6)))) == 50


def test_long_pairs_are_an_error_or_dropped_with_their_number():
    pairs = Pairs(["aa", "aaa", "aa", "a"], ["bb", "bb", "bbb", "bb"])
    with pytest.raises(ValueError, match=r"2 of 4 pairs are longer than max_length=3 tokens.*index 1 with 4 source and 3 target tokens.*on_long=\"drop\""):
        make(pairs, max_length=3)
    with pytest.warns(UserWarning, match="2 of 4 pairs are longer than max_length=3 tokens, EOS included, and are dropped") as record:
        dataset = make(pairs, max_length=3, on_long="drop")
    assert record[0].filename == inspect.getfile(make)
    assert sorted(read_back(as_lists(dataset))) == sorted(tokenized(Pairs(["aa", "a"], ["bb", "bb"])))
    with pytest.raises(ValueError, match="4 of 4 pairs are longer"):
        make(pairs, max_length=2, on_long="drop")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"batch_size": 0}, "batch_size must be an integer of at least 1. Received: batch_size=0"),
        ({"batch_size": 2.5}, "Received: batch_size=2.5"),
        ({"batch_size": True}, "Received: batch_size=True"),
        ({"pad_to_multiple": -1}, "Received: pad_to_multiple=-1"),
        ({"max_length": 0}, "Received: max_length=0"),
        ({"max_length": 5, "on_long": "cut"}, "Received: on_long='cut'"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(some_pairs(5), **options)


def test_a_seed_must_be_an_integer():
    with pytest.raises(TypeError, match="integer"):
        make(some_pairs(5), seed=None)


def test_no_pairs():
    with pytest.raises(ValueError, match="at least one pair"):
        make(Pairs([], []))


@pytest.mark.parametrize("name", ["bos_id", "eos_id"])
def test_a_tokenizer_without_begin_or_end(name):
    tokenizer = Letters()
    setattr(tokenizer, name, None)
    with pytest.raises(ValueError, match=f"target_tokenizer must have bos_id and eos_id.*{name} is None"):
        translation_batches(some_pairs(5), Letters(), tokenizer)


def test_keras_trains_on_the_batches():
    inputs = {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in [("encoder_token_ids", "int32"), ("encoder_padding_mask", "bool")]}
    inputs |= {
        name.replace("encoder", "decoder"): keras.Input((None,), dtype=inputs[name].dtype, name=name.replace("encoder", "decoder")) for name in list(inputs)
    }
    model = keras.Model(inputs, keras.layers.Dense(20)(keras.layers.Embedding(20, 3)(inputs["decoder_token_ids"])))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
    history = model.fit(make(some_pairs(20), batch_size=6), epochs=2, shuffle=False, verbose=0)
    assert len(history.history["loss"]) == 2


@given(st.lists(st.text("abcdefg", max_size=9), max_size=30), st.integers(1, 8), st.integers(1, 5))
def test_source_batches_hold_every_sentence_where_they_say(texts, batch_size, multiple):
    found, last = {}, np.inf
    for indices, inputs in source_batches(texts, Letters(), batch_size, multiple):
        ids, mask = inputs["encoder_token_ids"], inputs["encoder_padding_mask"]
        assert (ids.dtype, mask.dtype) == ("int32", "bool")
        assert not ids[~mask].any()
        lengths = mask.sum(1)
        assert ids.shape == (len(indices), -(-lengths.max() // multiple) * multiple)
        assert last >= lengths.max()
        last = lengths.min()
        found |= {index: row[real].tolist() for index, row, real in zip(indices, ids, mask)}
    assert [found[index] for index in range(len(texts))] == Letters()(texts, eos=True)
    assert len(found) == len(texts)


def test_source_batches_refuse_what_is_not_a_list_of_sentences():
    with pytest.raises(TypeError, match=r"list of strings\. Received: texts='A cat'"):
        source_batches("A cat", Letters())
    with pytest.raises(TypeError, match="takes a string, a list of strings"):
        source_batches(["A cat", None], WordTokenizer.train(["A cat"], 20))
    with pytest.raises(ValueError, match="Received: batch_size=0"):
        source_batches(["A cat"], Letters(), batch_size=0)
