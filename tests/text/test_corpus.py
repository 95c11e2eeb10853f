"""What a tokenizer is trained on: strings and files, and what is refused."""

import re

import pytest

from keras_richctx.text.corpus import read_texts


def test_files_and_strings_give_the_same_texts(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes("\ufeffun été\r\n\r\ndeux\nL'un\u2028L'autre".encode())
    assert list(read_texts([path, "trois"])) == ["un été", "", "deux", "L'un\u2028L'autre", "trois"]
    assert list(read_texts(path)) == ["un été", "", "deux", "L'un\u2028L'autre"]


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("one\ntwo\nun été\n".encode("latin-1"))
    with pytest.raises(ValueError, match=rf"must be UTF-8.*Received: byte 0xE9 at column 4 of line 3 of {re.escape(str(path))}"):
        list(read_texts([path]))


@pytest.mark.parametrize("texts", [[], ["", " \n\t", "\u00a0"]])
def test_a_corpus_without_text_is_refused(texts):
    with pytest.raises(ValueError, match=r"holds no text"):
        list(read_texts(texts))


def test_a_string_is_neither_taken_for_a_file_nor_for_a_list_of_characters():
    with pytest.raises(TypeError, match=r"pathlib\.Path.*Received: texts='corpus\.txt'"):
        list(read_texts("corpus.txt"))


@pytest.mark.parametrize("item", [None, b"un", 3, ["un"]])
def test_another_type_of_item_is_named(item):
    with pytest.raises(TypeError, match=f"Received: item 1 of type {type(item).__name__}"):
        list(read_texts(["un", item]))


def test_a_lone_surrogate_is_named():
    with pytest.raises(ValueError, match=r"lone surrogate.*Received: U\+D83E at position 1"):
        list(read_texts(["a\ud83eb"]))
