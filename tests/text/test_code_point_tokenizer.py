"""One id for each code point, and the text comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.text import CodePointTokenizer, WordTokenizer

TEXTS = ["to be,\nor not to be", "e\u0301té\r\n🦉\u200d[EOS]\x00"]


@pytest.fixture(scope="module")
def tokenizer():
    return CodePointTokenizer.train(TEXTS)


KNOWN = st.text(st.sampled_from(sorted(set("".join(TEXTS)))))


@given(text=KNOWN)
def test_a_text_of_known_code_points_comes_back(tokenizer, text):
    ids = tokenizer(text)
    assert len(ids) == len(text)
    assert min(ids, default=4) >= 4
    assert tokenizer.decode(ids) == text
    assert tokenizer.tokenize(text) == list(text)
    assert tokenizer.spans(text) == [(i, i + 1) for i in range(len(text))]


@given(text=st.text())
def test_any_other_code_point_is_unknown(tokenizer, text):
    known = set("".join(TEXTS))
    assert tokenizer.decode(tokenizer(text)) == "".join(c if c in known else "[UNK]" for c in text)
    assert len(tokenizer(text)) == len(text)


def test_the_vocabulary_is_what_occurs_most_frequent_first():
    tokenizer = CodePointTokenizer.train(["banana\n"])
    assert [tokenizer.id_to_token(i) for i in range(tokenizer.vocab_size)] == ["[PAD]", "[UNK]", "[BOS]", "[EOS]", "a", "n", "\n", "b"]
    smaller = CodePointTokenizer.train(["banana\n"], vocab_size=6)
    assert smaller.vocab_size == 6
    assert smaller.decode(smaller("banana")) == "[UNK]anana"
    assert CodePointTokenizer.train(["banana\n"], vocab_size=99) == tokenizer


def test_the_lines_of_a_file_keep_their_ends_as_newlines(tmp_path):
    (tmp_path / "text.txt").write_bytes(b"un\r\ndeux\nu")
    assert CodePointTokenizer.train([tmp_path / "text.txt"]) == CodePointTokenizer.train(["un\ndeux\nu"])
    (tmp_path / "text.txt").write_bytes(b"un")
    assert CodePointTokenizer.train(tmp_path / "text.txt") == CodePointTokenizer.train(["un"])


def test_a_vocabulary_without_room_is_refused():
    with pytest.raises(ValueError, match=r"at least 5: four special tokens and a code point\. Received: vocab_size=4"):
        CodePointTokenizer.train(TEXTS, vocab_size=4)


def test_words_and_code_points_are_not_taken_for_each_other(tokenizer):
    with pytest.raises(ValueError, match=r"A WordTokenizer has .*'Removed'.*Received: .*'Isolated'"):
        WordTokenizer(tokenizer.get_config()["spec"])
    with pytest.raises(ValueError, match=r"A CodePointTokenizer has .*'Isolated'.*Received: .*'Removed'"):
        CodePointTokenizer(WordTokenizer.train(TEXTS, vocab_size=20).get_config()["spec"])
