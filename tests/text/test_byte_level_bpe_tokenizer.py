"""Bytes: nothing is lost, and what a reader sees."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.text import ByteLevelBPETokenizer
from keras_richctx.text.byte_level_bpe_tokenizer import byte_alphabet

UNICODE = st.text(st.characters(exclude_categories=["Cs"]))


@given(UNICODE)
def test_any_text_comes_back(bpe, text):
    assert bpe.decode(bpe(text)) == text
    assert bpe.decode(bpe(text, bos=True, eos=True)) == text


@given(UNICODE)
def test_spans_cover_the_text_and_match_the_pieces(bpe, text):
    spans, pieces = bpe.spans(text), bpe.tokenize(text)
    assert {i for start, end in spans for i in range(start, end)} == set(range(len(text)))
    whole = [(span, piece) for span, piece in zip(spans, pieces) if "<0x" not in piece]
    assert all(text[start:end] == piece for (start, end), piece in whole)


@given(UNICODE, UNICODE)
def test_all_bytes_of_a_text_are_in_its_pieces(bpe, text, more):
    content = b"".join(bytes(byte_alphabet()[c] for c in bpe.id_to_token(i)) for i in bpe(text + more))
    assert content == (text + more).encode()


def test_a_reader_sees_spaces_accents_and_stray_bytes():
    tokenizer = ByteLevelBPETokenizer.train(["the the é"] * 2, vocab_size=300)
    assert tokenizer.tokenize("the the é") == ["the", " the", " é"]
    assert tokenizer.tokenize("ê\n") == ["<0xC3>", "<0xAA>", "\n"]
    assert tokenizer.id_to_token(tokenizer("the the")[1]) == "Ġthe"
    assert tokenizer.pieces([0, 1, 2]) == ["[PAD]", "[BOS]", "[EOS]"]


def test_half_a_character_decodes_to_the_replacement_character(bpe):
    ids = bpe("🦉")
    assert len(ids) == 4
    assert bpe.decode(ids[:2]) == "\ufffd"


def test_special_tokens_can_be_named_and_more_added():
    tokenizer = ByteLevelBPETokenizer.train(["un un"], 300, special_tokens=["<pad>", "<s>", "</s>", "<mask>"])
    assert [tokenizer.id_to_token(i) for i in range(4)] == ["<pad>", "<s>", "</s>", "<mask>"]
    assert (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id) == (0, 1, 2, None)
    assert tokenizer.decode([1, *tokenizer("<mask>"), 3, 2]) == "<mask>"


@pytest.mark.parametrize("special_tokens", [["[PAD]", "[BOS]"], ["[PAD]", "[BOS]", "[BOS]"], ["[PAD]", "[BOS]", ""]])
def test_special_tokens_that_are_too_few_or_alike_are_refused(special_tokens):
    with pytest.raises(ValueError, match=r"padding, begin, end, then any others, all distinct. Received: special_tokens="):
        ByteLevelBPETokenizer.train(["un"], 300, special_tokens=special_tokens)


def test_the_vocabulary_holds_the_bytes_and_at_most_what_was_asked():
    texts = ["low lower lowest"] * 2
    assert ByteLevelBPETokenizer.train(texts, vocab_size=259).vocab_size == 259
    assert ByteLevelBPETokenizer.train(texts, vocab_size=262).vocab_size == 262
    assert 262 < ByteLevelBPETokenizer.train(texts, vocab_size=5000).vocab_size < 280
    assert ByteLevelBPETokenizer.train(["abcd"], vocab_size=5000).vocab_size == 259  # a pair that occurs once is not merged
    with pytest.raises(ValueError, match=r"at least 259: 3 special tokens and 256 bytes. Received: vocab_size=258"):
        ByteLevelBPETokenizer.train(texts, vocab_size=258)


def test_a_vocabulary_that_lacks_a_byte_is_refused(bpe):
    content = json.loads(bpe.get_config()["spec"])
    vocab = content["model"]["vocab"]
    last = max(vocab, key=vocab.get)
    content["model"] |= {"merges": [], "vocab": {token: i for token, i in vocab.items() if len(token) == 1 or token.startswith("[")}}
    del content["model"]["vocab"]["Ġ"]
    assert last not in content["model"]["vocab"]
    with pytest.raises(ValueError, match=r"all 256 bytes.*Received: 1 missing, such as 'Ġ'"):
        ByteLevelBPETokenizer(json.dumps(content))


def test_a_file_that_adds_a_space_or_normalises_is_refused(bpe):
    for change in (
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}},
    ):
        content = json.loads(bpe.get_config()["spec"]) | change
        with pytest.raises(ValueError, match=r"A ByteLevelBPETokenizer has"):
            ByteLevelBPETokenizer(json.dumps(content))


def test_the_alphabet_is_one_to_one():
    alphabet = byte_alphabet()
    assert sorted(alphabet.values()) == list(range(256))
    assert alphabet["Ġ"] == 32
    assert alphabet["A"] == 65
