"""A user's own files: what is read, and how each kind of broken file is named."""

import gzip
import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.datasets.read_pairs import read_pairs

TEXT = "Go on.\tContinue.\nThank you, Zoë.\tMerci, Zoë.\n"
PAIRS = [("Go on.", "Continue."), ("Thank you, Zoë.", "Merci, Zoë.")]


@pytest.fixture
def write(tmp_path):
    def write(content, name="pairs.tsv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        TEXT.removesuffix("\n"),
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT.replace("\t", " \t  "),
        TEXT.replace("\n", "\tCC-BY 2.0 (France) Attribution: tatoeba.org #1\tmore\n"),
    ],
    ids=["plain", "no newline at the end", "CRLF", "byte order mark", "spaces", "more columns"],
)
@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["text", "gzip"])
def test_layouts_of_one_file_are_read_alike(write, content, pack):
    assert list(read_pairs(write(pack(content.encode())))) == PAIRS


def test_two_aligned_files_are_read(write):
    source = write("\ufeffGo on.\r\nThank you, Zoë.", "a.en")
    target = write(gzip.compress("Continue.\nMerci, Zoë.\n".encode()), "a.fr.gz")
    assert list(read_pairs(str(source), str(target))) == PAIRS


def test_nothing_but_a_newline_ends_a_line(write):
    source = "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven\x1deight\x1enine"
    path = write(f"{source}\ta\nb\tc\n")
    assert list(read_pairs(path)) == [(source, "a"), ("b", "c")]
    assert list(read_pairs(write(source, "a"), write("x\ry\n", "b"))) == [(source, "x\ry")]


def test_quotation_marks_are_plain_characters(write):
    assert list(read_pairs(write('"Go\tVa\n"Run"\tCours\n'))) == [('"Go', "Va"), ('"Run"', "Cours")]


SENTENCES = st.text(st.characters(blacklist_characters="\0\t\n\r\ufeff", blacklist_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1))
def test_what_is_written_is_read(tmp_path_factory, pairs):
    path = tmp_path_factory.getbasetemp() / "written.tsv"
    path.write_bytes("".join(f"{source}\t{target}\n" for source, target in pairs).encode())
    assert list(read_pairs(path)) == [(source.strip(), target.strip()) for source, target in pairs]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file(write, content):
    path = write(content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))} is empty"):
        read_pairs(path)


def test_one_column(write):
    with pytest.raises(ValueError, match=r"pairs\.tsv, line 2: one column, .*tab.*Received: 'Merci; danke'"):
        read_pairs(write("a\tb\nMerci; danke\nc\td\n"))


def test_mismatched_line_counts(write):
    with pytest.raises(ValueError, match=r"Received: 3 lines in .*a\.en, 2 in .*a\.fr"):
        read_pairs(write("a\nb\nc\n", "a.en"), write("a\nb\n", "a.fr"))


def test_a_binary_file(write):
    with pytest.raises(ValueError, match=r"pairs\.tsv, line 2: a NUL byte, so this is a binary file"):
        read_pairs(write(b"a\tb\nc\t\x00\xff\n"))


def test_utf_16(write):
    with pytest.raises(ValueError, match=r"pairs\.tsv is UTF-16\. Save it as UTF-8"):
        read_pairs(write(TEXT.encode("utf-16")))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_bad_encoding_is_named_by_line_and_byte(write, mark):
    with pytest.raises(ValueError, match=r"pairs\.tsv, line 2: byte 0xeb, the 14th of the line, is not UTF-8.*iconv"):
        read_pairs(write(mark + TEXT.encode("latin-1")))
    with pytest.raises(ValueError, match=rf"line 1: byte 0xe9, the {1 + len(mark)}th of the line"):
        read_pairs(write(mark + b"\xe9t\xe9\tsummer\n"))


def test_line_ends_of_old_macintoshes(write):
    with pytest.raises(ValueError, match=r"ends its lines with \\r alone"):
        read_pairs(write(TEXT.replace("\n", "\r")))


@pytest.mark.parametrize(
    "content, place",
    [
        ("a\tb\n\tc\n", r"pairs\.tsv, line 2: the source sentence is empty\. Mend"),
        ("a\tb\nc\t\n", r"pairs\.tsv, line 2: the target sentence is empty\. Mend"),
        ("a\tb\nc\t \u00a0\tx\n", r"pairs\.tsv, line 2: the target sentence is empty\. Mend"),
        ("a\tb\nc\td\n\n\t\n", r"pairs\.tsv, line 3: the source sentence is empty, and 1 more pairs have an empty one\."),
    ],
)
def test_an_empty_sentence_is_named_by_line_and_side(write, content, place):
    with pytest.raises(ValueError, match=place):
        read_pairs(write(content))


def test_an_empty_sentence_in_aligned_files_is_named_by_file(write):
    with pytest.raises(ValueError, match=r"a\.fr, line 2: the target sentence is empty"):
        read_pairs(write("a\nb\nc\n", "a.en"), write("a\n\nc\n", "a.fr"))


def test_skipped_pairs_are_counted(write):
    path = write("a\tb\n\tc\n\nd\t\ne\tf\n")
    with pytest.warns(UserWarning, match=r"pairs\.tsv: 3 of 5 pairs skipped for an empty sentence, at line 2, 3, 4\.") as record:
        assert list(read_pairs(path, on_empty="skip")) == [("a", "b"), ("e", "f")]
    assert record[0].filename == __file__


def test_nothing_skipped_nothing_said(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(read_pairs(write(TEXT), on_empty="skip")) == PAIRS


def test_all_pairs_skipped_is_an_error(write):
    with pytest.raises(ValueError, match="each of the 2 pairs has an empty sentence"):
        read_pairs(write("\ta\n\n"), on_empty="skip")


def test_an_unknown_way_with_empty_sentences(write):
    with pytest.raises(ValueError, match="Received: on_empty='ignore'"):
        read_pairs(write(TEXT), on_empty="ignore")


def test_a_directory(tmp_path):
    with pytest.raises(IsADirectoryError, match="not a directory"):
        read_pairs(tmp_path)


def test_a_missing_file(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file.*no\.tsv"):
        read_pairs(tmp_path / "no.tsv")
    with pytest.raises(FileNotFoundError, match=r"no such file.*no\.fr"):
        read_pairs(write(TEXT), tmp_path / "no.fr")


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:20] + b"\xff" + data[21:], lambda data: data[:3]])
def test_a_damaged_gzip_file(write, damage):
    with pytest.raises(ValueError, match=r"pairs\.tsv is a damaged gzip file"):
        read_pairs(write(damage(gzip.compress(TEXT.encode()))))
