"""Files of word vectors: every format read and written, and what is wrong with a file named."""

import os

import numpy as np
import pytest

from keras_richctx.checkpoints import read_vectors, write_vectors

WORDS = ["the", "l'été", "語", "0.5"]
MATRIX = np.array([[0.1, -2.5e-8, 3.0], [1 / 3, 0.0, -7.25], [1e10, 2.0, 4.0], [5.0, 6.0, 7.0]], "float32")


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary", "glove", "fasttext"])
def test_what_is_written_is_read_to_the_last_bit(format, mapped, tmp_path):
    path = tmp_path / "vectors"
    write_vectors(path, WORDS, MATRIX, format)
    for limit in (None, 2):
        words, matrix = read_vectors(path, limit, mapped)
        assert words == WORDS[:limit]
        np.testing.assert_array_equal(matrix, MATRIX[:limit])
    assert isinstance(matrix, np.memmap) == mapped


def test_files_as_the_released_programs_write_them(tmp_path):
    (tmp_path / "w2v.txt").write_bytes(b"2 3\n</s> 0.1 0.2 0.3 \nthe 1 2 3 \n")  # a space behind the last number
    (tmp_path / "glove.txt").write_bytes(b"the 1 2 3\r\nat name@domain.com 4 5 6")  # a space in a word, no end of the last line
    row = np.array([1, 2, 3], "<f4").tobytes()
    (tmp_path / "no_ends.bin").write_bytes(b"2 3\nthe " + row + b"of " + row)
    (tmp_path / "ends.bin").write_bytes(b"2 3\nthe " + row + b"\nof " + row + b"\n")
    assert read_vectors(tmp_path / "w2v.txt")[0] == ["</s>", "the"]
    words, matrix = read_vectors(tmp_path / "glove.txt")
    assert words == ["the", "at name@domain.com"]
    np.testing.assert_array_equal(matrix, [[1, 2, 3], [4, 5, 6]])
    for name in ("no_ends.bin", "ends.bin"):
        words, matrix = read_vectors(tmp_path / name)
        assert words == ["the", "of"]
        np.testing.assert_array_equal(matrix, [[1, 2, 3]] * 2)


@pytest.mark.parametrize("content", [b"the 1 2\nof 3 4\n", b"2 2\nthe 1 2\nof 3 4\n", b"2 2\r\nthe 1 2\r\nof 3 4\r\n\r\n"])
@pytest.mark.parametrize("mapped", [False, True])
def test_a_byte_order_mark_and_blank_lines_at_the_end_change_nothing(content, mapped, tmp_path):
    (tmp_path / "marked.txt").write_bytes(b"\xef\xbb\xbf" + content)
    words, matrix = read_vectors(tmp_path / "marked.txt", mapped=mapped)
    assert words == ["the", "of"]
    np.testing.assert_array_equal(matrix, [[1, 2], [3, 4]])


def test_a_mapped_copy_has_the_words_of_its_file(tmp_path):
    (tmp_path / "odd.txt").write_bytes("3 1\na\rb 1\nc\u2028d 2\ne\x0bf 3\n".encode())  # line ends to Python, none in the file
    assert read_vectors(tmp_path / "odd.txt", mapped=True)[0] == read_vectors(tmp_path / "odd.txt")[0] == ["a\rb", "c\u2028d", "e\x0bf"]


def test_an_older_file_in_the_place_of_a_mapped_one_is_another_one(tmp_path):
    path = tmp_path / "glove.txt"
    write_vectors(path, WORDS, MATRIX, "glove")
    read_vectors(path, mapped=True)
    write_vectors(path, WORDS[:2], MATRIX[:2] + 1, "glove")
    os.utime(path, (1e9, 1e9))
    words, matrix = read_vectors(path, mapped=True)
    assert words == WORDS[:2]
    np.testing.assert_array_equal(matrix, MATRIX[:2] + 1)


def test_a_mapped_copy_is_renewed_with_its_file(tmp_path):
    path = tmp_path / "glove.txt"
    write_vectors(path, WORDS, MATRIX, "glove")
    read_vectors(path, mapped=True)
    copy = tmp_path / "glove.txt.npy"
    before = copy.stat().st_mtime_ns
    read_vectors(path, mapped=True)
    assert copy.stat().st_mtime_ns == before
    write_vectors(path, WORDS[:2], MATRIX[:2] + 1, "glove")
    words, matrix = read_vectors(path, mapped=True)
    assert words == WORDS[:2]
    np.testing.assert_array_equal(matrix, MATRIX[:2] + 1)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"the 1 2\nof 3\n", r"line 2: a word and 2 finite numbers are needed\. Received: b'of 3'"),
        (b"the 1 2\nof 3 x\n", r"line 2: a word and 2 finite"),
        (b"the 1 2\nof 3 nan\n", r"line 2: a word and 2 finite"),
        (b"the 1 2\n\xff 3 4\n", r"line 2: the word is not UTF-8"),
        (b"the 1 2\nthe 3 4\n", r"'the' as the words 1 and 2"),
        (b"3 2\nthe 1 2\nof 3 4\n", r"ends after 2 words, where 3"),
        (b"3 2\nthe " + bytes(8) + b"\nof " + bytes(4), r"word 2: a word, a space and 2 float32 numbers"),
        (b"", r"line 1: a file of word vectors begins"),
        (b"2 2\nthe 1 2\nof 3 4\nto 5 6\n", r"line 4: 2 words are announced, and here is another one\. Received: b'to 5 6"),
        (b"2 2\nthe " + bytes(8) + b"\nof " + bytes(8) + b"\nto " + bytes(8) + b"\n", r"goes on after the 2 words"),
        (b"2 2\nthe " + bytes(8) + b"\nof " + np.array([1, np.nan], "<f4").tobytes(), r"word 2: 2 finite numbers are needed\. Received: 'of' with nan"),
        (b"2 2\nthe " + bytes(12) + b"\nof " + bytes(12), r"word 2: this is no word, so that rows may have other than 2 numbers"),
        (b"2 2\n " + bytes(8) + b"\nof " + bytes(8), r"word 1: this is no word"),
        (b"2 1\nthe 1 2\nof 3 4\n", r"line 2: a word and 1 finite numbers are needed\. Received: b'the 1 2'"),
        (b"the 1 2\nof 3 4 5\n", r"line 2: a word and 2 finite numbers are needed\. Received: b'of 3 4 5'"),
        (b"the 1 2\n of 3 4\n", r"line 2: a word and 2 finite numbers are needed\. Received: b' of 3 4'"),
        (b"the 1 2\n 3 4\n", r"line 2: a word and 2 finite numbers are needed\. Received: b' 3 4'"),
        (b"2 2\nthe\t1\t2\nof\t3\t4\n", r"line 2: a word and 2 finite numbers are needed\. Received: b'the\\t1\\t2'"),
        (b"2 2\nthe  1  2\nof  3  4\n", r"line 2: a word and 2 finite numbers are needed\. Received: b'the  1  2'"),
        (b"99999999999999 300\nthe 1 2\n", r"line 1: 99,999,999,999,999 words of 300 numbers are announced, and the file is too short"),
    ],
)
@pytest.mark.parametrize("mapped", [False, True])
def test_a_damaged_file_is_named_with_its_line(content, message, mapped, tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_vectors(path, mapped=mapped)
    assert [file.name for file in tmp_path.iterdir()] == ["vectors"]  # no half copy stays


def test_what_no_file_can_hold_is_refused(tmp_path):
    path = tmp_path / "vectors"
    for words, matrix, message in (
        (["a b", "c"], MATRIX[:2], "holds no white space. Received: 'a b'"),
        (["a", "a"], MATRIX[:2], "no word twice"),
        (["a"], MATRIX[:2], "one vector for each word"),
        (["a", "b"], np.full((2, 3), np.inf), "finite"),
        ([], np.zeros((0, 3)), "one word at least.*Received: 0 words"),
        (["a"], np.zeros((1, 0)), r"Received: 1 words, 1 different, matrix of shape \(1, 0\)"),
        ([3], MATRIX[:1], "Received: 3"),
        (["a"], MATRIX[:1] * 1j, "real numbers. Received: a matrix of type complex"),
        (["\ud800"], MATRIX[:1], r"can be written in UTF-8\. Received: '\\ud800'"),
    ):
        with pytest.raises(ValueError, match=message):
            write_vectors(path, words, matrix)
    with pytest.raises(ValueError, match=r"byte order mark.*Received: '\\ufeffa'"):
        write_vectors(path, ["\ufeffa"], MATRIX[:1], "glove")
    for limit in (0, 1.5):
        (tmp_path / "read.txt").write_bytes(b"the 1 2\n")
        with pytest.raises(ValueError, match=f"Received: limit={limit}"):
            read_vectors(tmp_path / "read.txt", limit)
        (tmp_path / "read.txt").unlink()
    with pytest.raises(ValueError, match="Received: format='npz'"):
        write_vectors(path, WORDS, MATRIX, "npz")
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        read_vectors(path)
