"""Packed rows: those of the library `tokenizers`, on lists and on tensors alike."""

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import processors

from keras_richctx.text import ByteLevelBPETokenizer, WordPieceTokenizer, pack_pairs, pack_windows
from keras_richctx.text.pack_windows import windows_of

WORDS = "a b c d e f g h"
LENGTHS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6)
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


@pytest.fixture(scope="module")
def bert():
    return WordPieceTokenizer.train([WORDS] * 2, vocab_size=40)


@pytest.fixture(scope="module")
def roberta():
    return ByteLevelBPETokenizer.train([f" {WORDS}"] * 2, vocab_size=290, special_tokens=SPECIAL)


@pytest.fixture(scope="module", params=["bert", "roberta"])
def tokenizer(request):
    return request.getfixturevalue(request.param)


def texts_of(counts):
    """Texts of so many tokens."""
    return ["".join(f" {word}" for word in np.resize(WORDS.split(), count)) for count in counts]


def reference(tokenizer, first, second, length):
    """What the library makes of the pairs: ids, segments, masks and offsets."""
    library = tokenizers.Tokenizer.from_str(tokenizer.get_config()["spec"])
    cls, sep = ((tokenizer.id_to_token(i), i) for i in (tokenizer.bos_id, tokenizer.eos_id))
    if isinstance(tokenizer, WordPieceTokenizer):
        library.post_processor = processors.BertProcessing(sep, cls)
    else:
        library.post_processor = processors.RobertaProcessing(sep, cls, trim_offsets=False, add_prefix_space=False)
    library.enable_truncation(length, strategy="longest_first")
    library.enable_padding(length=length, pad_id=tokenizer.pad_id)
    encodings = library.encode_batch(list(zip(first, second)) if second is not None else first)
    return [np.array([getattr(encoding, name) for encoding in encodings]) for name in ("ids", "type_ids", "attention_mask", "offsets")]


def as_arrays(inputs):
    return {name: np.asarray(values) for name, values in inputs.items()}


@given(lengths=LENGTHS, length=st.integers(7, 30), paired=st.booleans())
def test_rows_are_those_of_the_library(tokenizer, lengths, length, paired):
    first, second = (texts_of(counts) for counts in zip(*lengths))
    second = second if paired else None
    inputs = pack_pairs(tokenizer, first, second, length=length)
    ids, segments, mask, _ = reference(tokenizer, first, second, length)
    np.testing.assert_array_equal(inputs["token_ids"], ids)
    np.testing.assert_array_equal(inputs["padding_mask"], mask == 1)
    np.testing.assert_array_equal(inputs["segment_ids"], segments)


def test_roberta_s_rows_have_one_segment_and_two_separators(roberta):
    inputs = pack_pairs(roberta, [" a b"], [" c"])
    assert roberta.pieces(inputs["token_ids"][0]) == ["<s>", " a", " b", "</s>", "</s>", " c", "</s>"]
    assert (roberta.bos_id, roberta.pad_id, roberta.eos_id, roberta.unk_id, roberta.mask_id) == (0, 1, 2, 3, 4)
    assert not inputs["segment_ids"].any()


@given(lengths=LENGTHS, length=st.one_of(st.none(), st.integers(7, 20), st.just((8, 13, 21))), paired=st.booleans())
def test_tensors_are_packed_as_lists_are(tokenizer, lengths, length, paired):
    tf = pytest.importorskip("tensorflow")
    first, second = ([list(range(7, 7 + count)) for count in counts] for counts in zip(*lengths))
    options = {"length": length, "return_places": True}
    lists = pack_pairs(tokenizer, first, second if paired else None, **options)
    ragged = [tf.ragged.constant(rows, tf.int32, ragged_rank=1) for rows in (first, second)]
    tensors = pack_pairs(tokenizer, ragged[0], ragged[1] if paired else None, **options)
    for ours, theirs in zip(lists, tensors):
        assert {name: str(values.dtype) for name, values in ours.items()} == {name: values.dtype.name for name, values in theirs.items()}
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name].numpy())


def test_a_dataset_of_strings_is_packed_with_a_known_length(tokenizer):
    tf = pytest.importorskip("tensorflow")
    first, second = texts_of([3, 9, 1]), texts_of([8, 0, 2])
    dataset = tf.data.Dataset.from_tensor_slices((first, second)).batch(2).map(lambda a, b: pack_pairs(tokenizer, a, b, length=12))
    assert {name: (spec.shape.as_list(), spec.dtype.name) for name, spec in dataset.element_spec.items()} == {
        "token_ids": ([None, 12], "int32"),
        "segment_ids": ([None, 12], "int32"),
        "padding_mask": ([None, 12], "bool"),
    }
    batches = list(dataset)
    for name, values in pack_pairs(tokenizer, first, second, length=12).items():
        np.testing.assert_array_equal(np.concatenate([batch[name] for batch in batches]), values)


@pytest.mark.parametrize("length, width", [(None, 9), ((4, 8, 16), 16), ((4, 8), 8), (11, 11)])
def test_the_length_is_the_longest_row_s_or_the_bucket_that_it_fits_into(bert, length, width):
    assert pack_pairs(bert, texts_of([7, 2]), length=length)["token_ids"].shape == (2, width)


def test_lengths_are_multiples_up_to_the_largest(bert):
    assert pack_pairs(bert, texts_of([7]), pad_to_multiple=8)["token_ids"].shape == (1, 16)
    assert pack_pairs(bert, texts_of([12]), pad_to_multiple=8, max_length=13)["token_ids"].shape == (1, 13)
    assert pack_pairs(bert, [])["token_ids"].shape == (0, 2)


def test_places_lead_back_to_the_text(tokenizer):
    first, second = texts_of([9, 2]), texts_of([4, 1])
    inputs, places = pack_pairs(tokenizer, first, second, length=12, return_places=True)
    offsets = reference(tokenizer, first, second, 12)[3]
    for row in range(2):
        spans = [tokenizer.spans(texts[row]) for texts in (first, second)]
        for text, place, offset, i in zip(places["text"][row], places["place"][row], offsets[row], inputs["token_ids"][row]):
            assert (place == -1) == (text == -1) == (i in (tokenizer.bos_id, tokenizer.eos_id, tokenizer.pad_id))
            if text >= 0:
                assert spans[text][place] == tuple(offset)


@pytest.mark.parametrize(
    "arguments, options, error, complaint",
    [
        ((["a"], ["b", "c"]), {}, ValueError, r"has its second one\. Received: 1 first and 2 second"),
        ((["a"], ["b"]), {"length": 4}, ValueError, r"A row needs 5 positions at least.*Received: length=4"),
        ((["a"],), {"max_length": 2}, ValueError, r"Received: max_length=2"),
        ((["a"],), {"pad_to_multiple": 0}, ValueError, r"Received: pad_to_multiple=0"),
        (("a",), {}, TypeError, r"Texts come as a list of strings.*Received: 'a'"),
    ],
)
def test_what_cannot_be_packed_is_refused(bert, arguments, options, error, complaint):
    with pytest.raises(error, match=complaint):
        pack_pairs(bert, *arguments, **options)


def google_s_windows(tokens, room, stride):
    """The windows and the windows of maximal context of `run_squad.py`, word for word as its loop goes."""
    windows, start = [], 0
    while start < tokens:
        length = min(tokens - start, room)
        windows.append((start, length))
        if start + length == tokens:
            break
        start += min(length, stride)
    best = []
    for position in range(tokens):
        scores = [min(position - s, s + n - 1 - position) + 0.01 * n if s <= position < s + n else -1 for s, n in windows]
        best.append(int(np.argmax(scores)))
    return windows, best


@given(tokens=st.integers(1, 60), question=st.integers(1, 9), length=st.integers(13, 40), stride=st.integers(1, 50))
def test_windows_and_maximal_contexts_are_google_s(tokenizer, tokens, question, length, stride):
    (context,), (asked,) = texts_of([tokens]), texts_of([question])
    inputs, windows = pack_windows(tokenizer, [asked], [context], length=length, stride=stride, max_question=7)
    room = length - min(question, 7) - 2 - tokenizer.pair_separators
    expected, best = google_s_windows(tokens, room, stride)
    assert [(start, end - start) for start, end in windows_of(tokens, room, stride)] == expected
    spans, ids = tokenizer.spans(context), tokenizer(context)
    assert inputs["token_ids"].shape == (len(expected), length)
    for row, (start, count) in enumerate(expected):
        there = windows["spans"][row, :, 0] >= 0
        assert list(map(tuple, windows["spans"][row][there])) == spans[start : start + count]
        assert inputs["token_ids"][row][there].tolist() == ids[start : start + count]
        assert windows["max_context"][row][there].tolist() == [window == row for window in best[start : start + count]]
        assert not windows["max_context"][row][~there].any()


def test_every_token_has_its_maximal_context_once_whatever_the_examples_beside_it(tokenizer):
    questions, contexts = texts_of([2, 3, 2, 2]), texts_of([30, 0, 5, 30])
    inputs, windows = pack_windows(tokenizer, questions, contexts, length=16, stride=4, max_question=4)
    assert windows["example"].tolist() == sorted(windows["example"].tolist())
    for i, context in enumerate(contexts):
        rows = windows["example"] == i
        spans = [tuple(span) for span in windows["spans"][rows][windows["max_context"][rows]].tolist()]
        assert sorted(spans) == tokenizer.spans(context)
        alone, _ = pack_windows(tokenizer, questions[i : i + 1], [context], length=16, stride=4, max_question=4)
        np.testing.assert_array_equal(alone["token_ids"], inputs["token_ids"][rows])


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"length": 9, "max_question": 6}, r"Received: length=9, max_question=6"),
        ({"stride": 0}, r"Received: stride=0"),
        ({"max_question": 0}, "max_question=0"),
    ],
)
def test_windows_without_room_are_refused(bert, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        pack_windows(bert, ["a"], ["b"], **options)
    with pytest.raises(ValueError, match=r"1 questions and 2 contexts"):
        pack_windows(bert, ["a"], ["b", "c"])
    with pytest.raises(TypeError, match=r"questions is a list of strings"):
        pack_windows(bert, "a", ["b"])
