"""Tokenizers inside `tf.data`."""

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

TEXTS = ["What? I don't know!", "", "Un café 🦉", "[EOS]"]


def test_a_vector_gives_ragged_int32_equal_to_the_lists(tokenizer):
    ragged = tokenizer(tf.constant(TEXTS), bos=True, eos=True)
    assert isinstance(ragged, tf.RaggedTensor)
    assert ragged.dtype == tf.int32
    assert ragged.to_list() == tokenizer(TEXTS, bos=True, eos=True)


def test_a_scalar_gives_a_vector(tokenizer):
    ids = tokenizer(tf.constant(TEXTS[0]), eos=True)
    assert ids.dtype == tf.int32
    assert ids.numpy().tolist() == tokenizer(TEXTS[0], eos=True)
    assert tokenizer(tf.constant("")).shape == (0,)


def test_a_dataset_maps_batched_and_single_in_order(tokenizer):
    dataset = tf.data.Dataset.from_tensor_slices(TEXTS)
    batched = dataset.batch(3).map(tokenizer, num_parallel_calls=2)
    assert batched.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1)
    assert [row for batch in batched for row in batch.to_list()] == tokenizer(TEXTS)
    single = dataset.map(tokenizer)
    assert single.element_spec == tf.TensorSpec([None], tf.int32)
    assert [ids.numpy().tolist() for ids in single] == tokenizer(TEXTS)
    static = dataset.batch(2, drop_remainder=True).map(lambda texts: tokenizer(texts).to_tensor())
    assert static.element_spec.shape.as_list() == [2, None]


def test_an_empty_batch_stays_empty(tokenizer):
    assert tokenizer(tf.constant([], tf.string)).to_list() == []


def test_decoding_takes_what_encoding_gives(tokenizer):
    text = "What? I don't know!"
    ragged = tokenizer(tf.constant([text, "The"]))
    assert tokenizer.decode(ragged) == tokenizer.decode(ragged.to_tensor()) == [text, "The"]
    assert tokenizer.decode(ragged[0]) == text


def test_another_dtype_or_rank_is_refused(tokenizer):
    with pytest.raises(TypeError, match=r"takes a string tensor. Received: a tensor of dtype int32"):
        tokenizer(tf.constant([1]))
    with pytest.raises(ValueError, match=r"shape \(\) or \(batch,\).*Received: shape=\(1, 1\)"):
        tokenizer(tf.constant([["a"]]))


def test_bytes_that_are_not_utf8_are_named(tokenizer):
    texts = tf.constant([b"fine", b"\xc3\xa9\xe9"])
    with pytest.raises(ValueError, match=r"must hold UTF-8\. Received: byte 0xE9 at byte 2 of text 1"):
        tokenizer(texts)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must hold UTF-8\. Received: byte 0xE9 at byte 2 of text 1"):
        list(tf.data.Dataset.from_tensors(texts).map(tokenizer))


def test_the_tensor_path_equals_numpy_strings(tokenizer):
    assert tokenizer([str(text) for text in np.array(TEXTS)]) == tokenizer(tf.constant(np.array(TEXTS, object))).to_list()
