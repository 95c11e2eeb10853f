import json

import keras
import numpy as np
import pytest

from keras_richctx.text import CharacterTokenizer
from keras_richctx.text.character_tokenizer import boundary_characters, word_to_characters


def test_a_word_written_out_by_hand():
    assert word_to_characters("aé", 8) == [259, ord("a") + 1, 0xC3 + 1, 0xA9 + 1, 260, 261, 261, 261]
    assert boundary_characters(5) == ([259, 257, 260, 261, 261], [259, 258, 260, 261, 261])
    assert word_to_characters("<S>", 5) == boundary_characters(5)[0]


def test_sentences_are_filled_up_with_zeros_and_come_back():
    sentences = [["one", "two", "three"], ["naïve"]]
    ids = CharacterTokenizer()(sentences)
    assert (ids.shape, ids.dtype) == ((2, 3, 50), np.int32)
    assert not ids[1, 1:].any()
    assert CharacterTokenizer().decode(ids) == sentences


def test_boundaries_stand_around_each_sentence():
    ids = CharacterTokenizer(6)([["a"], ["a", "b"]], boundaries=True)
    begin, end = boundary_characters(6)
    assert ids.shape == (2, 4, 6)
    np.testing.assert_array_equal(ids[:, 0], [begin] * 2)
    np.testing.assert_array_equal(ids[0, 2], end)
    np.testing.assert_array_equal(ids[1, 3], end)
    assert CharacterTokenizer(6).decode(ids[:1]) == [["<S>", "a", "</S>"]]


def test_a_long_word_keeps_its_first_bytes_or_is_refused():
    word = "x" * 47 + "é" + "y"
    row = CharacterTokenizer()([[word]])[0, 0]
    assert row[0] == 259
    assert row[49] == 260
    assert row[48] == 0xC3 + 1  # the first of two bytes
    with pytest.raises(ValueError, match=r"has 48 bytes at most\. Received: .* of 50 bytes"):
        CharacterTokenizer(long_words="error")([[word]])


def test_a_ragged_tensor_in_a_pipeline_gives_what_lists_give():
    tf = pytest.importorskip("tensorflow")
    sentences = [["to", "bé"], ["or"]]
    tokenizer = CharacterTokenizer(9)
    data = tf.data.Dataset.from_tensors(tf.ragged.constant(sentences)).map(lambda s: (tokenizer(s), tokenizer(s, boundaries=True)))
    for found, boundaries in zip(next(iter(data)), (False, True)):
        np.testing.assert_array_equal(found, tokenizer(sentences, boundaries))


@pytest.mark.parametrize(
    "sentences, kind, message",
    [
        ("to be", TypeError, "each a list of words; split a text first. Received: 'to be'"),
        (["to be"], TypeError, "split a text first"),
        ([[b"to"]], TypeError, "A text is a string"),
        ([], ValueError, "no sentence"),
        ([["a"], []], ValueError, "sentence 1 without words"),
        ([["a", ""]], ValueError, "an empty word"),
        ([["\udce9"]], ValueError, "lone surrogate"),
    ],
)
def test_what_is_no_sentence_of_words_is_refused(sentences, kind, message):
    with pytest.raises(kind, match=message):
        CharacterTokenizer()(sentences)


def test_a_config_makes_the_same_tokenizer():
    tokenizer = CharacterTokenizer(7, "error")
    again = keras.saving.deserialize_keras_object(json.loads(json.dumps(keras.saving.serialize_keras_object(tokenizer))))
    assert again.get_config() == tokenizer.get_config()
