"""The Tatoeba pairs: any release that the site may serve, the splits, and the documented counts on the real file."""

import re
import warnings
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx import datasets
from keras_richctx.datasets import tatoeba
from keras_richctx.datasets.download import file_sha256
from keras_richctx.datasets.tatoeba import SPLITS, load_tatoeba_fra, split_position

SENTENCES = [f"This is sentence {'very ' * (i % 12)}number {i}." for i in range(600)]
LINES = [f"{english}\tPhrase {i}." for i, english in enumerate(SENTENCES)] + [f"{english}\tAutre {i} !" for i, english in enumerate(SENTENCES[::2])]


@pytest.fixture(autouse=True)
def _nothing_of_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("KERAS_RICHCTX_DATA", raising=False)
    monkeypatch.setenv("KERAS_RICHCTX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tatoeba, "URL", "http://127.0.0.1:9/no-test-may-use-the-network")


def write_zip(path, lines=LINES):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_about.txt", "About")
        file.writestr("fra.txt", "".join(line + "\n" for line in lines))
    return path


@pytest.fixture
def local(tmp_path, monkeypatch):
    """A directory with a small release that passes for the known one, so that no warning is due."""
    path = write_zip(tmp_path / "data" / "tatoeba_fra" / "fra-eng.zip")
    monkeypatch.setattr(tatoeba, "KNOWN", {file_sha256(path)})
    return tmp_path / "data"


def test_the_splits_share_no_english_sentence_and_lose_no_pair(local):
    parts = {split: load_tatoeba_fra(split, local) for split in SPLITS}
    assert sorted(pair for part in parts.values() for pair in part) == sorted(tuple(line.split("\t")) for line in LINES)
    sources = [set(part.source) for part in parts.values()]
    assert len(set.union(*sources)) == sum(map(len, sources))


def test_letter_case_does_not_move_a_sentence():
    assert split_position("Où est Zoë ?") == split_position("OÙ EST ZOË ?") == split_position("Ou\u0300 est Zoe\u0308 ?".casefold().replace("u\u0300", "ù"))


@given(st.lists(st.text(min_size=1), min_size=2, max_size=5, unique_by=str.casefold))
def test_positions_depend_on_the_sentence_alone(sentences):
    positions = [split_position(sentence) for sentence in sentences]
    assert all(0 <= position < 1 for position in positions)
    assert [split_position(sentence) for sentence in reversed(sentences)] == positions[::-1]


def test_positions_are_uniform_and_do_not_change():
    positions = [split_position(sentence) for sentence in SENTENCES]
    assert abs(sum(positions) / len(positions) - 0.5) < 0.05
    assert split_position("Go on.") == pytest.approx(0.7375191, abs=1e-7)  # another hash would move test sentences into the training split


def test_the_other_order_and_further_sentences_move_nothing(local, tmp_path):
    lines = [f"{line}\tCC-BY 2.0 (France) Attribution: tatoeba.org #{i}" for i, line in enumerate(LINES[::-1])] + ["Something new.\tDu neuf.\tCC-BY"]
    write_zip(tmp_path / "later" / "fra-eng.zip", lines)
    for split in SPLITS:
        with pytest.warns(UserWarning, match="not the release of 2017-09-29"):
            later = load_tatoeba_fra(split, tmp_path / "later")
        assert set(later) - {("Something new.", "Du neuf.")} == set(load_tatoeba_fra(split, local))


def test_pairs_come_shuffled_with_the_translations_of_a_sentence_together(local):
    source = load_tatoeba_fra("train", local).source
    assert len([sentence for i, sentence in enumerate(source) if i == 0 or source[i - 1] != sentence]) == len(set(source))
    order = [SENTENCES.index(sentence) for sentence in dict.fromkeys(source)]
    assert order != sorted(order)


def test_french_spaces_become_plain_and_accents_composed(tmp_path):
    write_zip(tmp_path / "fra-eng.zip", ["Coming?\tTu viens\u202f?\u00a0Oui\u2009!", "Summer\tE\u0301te\u0301 «\u00a0chaud\u00a0»"])
    with pytest.warns(UserWarning, match="not the release"):
        assert dict(load_tatoeba_fra("train", tmp_path)) == {"Coming?": "Tu viens ? Oui !", "Summer": "Été « chaud »"}


@pytest.mark.parametrize("place", ["tatoeba_fra/fra-eng.zip", "fra-eng.zip", "tatoeba_fra/fra.txt", "fra.txt"])
@pytest.mark.parametrize("by", ["argument", "environment"])
def test_local_copies_are_found(tmp_path, monkeypatch, place, by):
    path = tmp_path / "local" / place
    write_zip(path)
    if path.suffix == ".txt":
        path.write_text("".join(line + "\r\n" for line in LINES), encoding="utf-8-sig")
    monkeypatch.setattr(tatoeba, "KNOWN", {file_sha256(path)})
    if by == "environment":
        monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path / "local"))
    pairs = load_tatoeba_fra("train", data_dir=tmp_path / "local" if by == "argument" else None)
    assert len(pairs) > 0.9 * len(LINES)


def test_limits(local):
    everything = load_tatoeba_fra("train", local)
    short = load_tatoeba_fra("train", local, max_words=9)
    assert list(short) == [(source, target) for source, target in everything if len(source.split()) <= 9]
    few = load_tatoeba_fra("train", local, max_words=9, max_sentences=20)
    assert few == short[: len(few)]
    assert list(few.references().items()) == list(short.references().items())[:20]


@pytest.mark.parametrize("max_sentences", [0, -1, 10_000])
def test_limits_that_cannot_be_met(local, max_sentences):
    with pytest.raises(ValueError, match=rf"has 5\d\d different sentences.*Received: max_sentences={max_sentences}"):
        load_tatoeba_fra("train", local, max_sentences=max_sentences)
    with pytest.raises(ValueError, match=r"no such sentences.*max_words=1"):
        load_tatoeba_fra("train", local, max_words=1)


def test_the_archive_is_downloaded_once_and_then_found(server, monkeypatch, tmp_path, local):
    monkeypatch.setattr(tatoeba, "URL", server.url)
    server.content = (local / "tatoeba_fra" / "fra-eng.zip").read_bytes()
    assert load_tatoeba_fra("test") == load_tatoeba_fra("test", local)
    load_tatoeba_fra("validation")
    assert len(server.requests) == 1
    assert (tmp_path / "cache" / "tatoeba_fra" / "fra-eng.zip").is_file()


def test_another_release_is_taken_with_a_warning_and_a_spoilt_one_never(server, monkeypatch, tmp_path):
    monkeypatch.setattr(tatoeba, "URL", server.url)
    path = tmp_path / "cache" / "tatoeba_fra" / "fra-eng.zip"
    server.content = write_zip(tmp_path / "newer.zip").read_bytes()
    with pytest.warns(UserWarning, match=f"sha256 is {file_sha256(tmp_path / 'newer.zip')}") as record:
        datasets.load("tatoeba-fra", "test")
    assert record[0].filename == __file__
    path.write_bytes(server.content[:-100])
    server.content = server.content[:500] + b"\xff" + server.content[501:]
    with pytest.warns(UserWarning, match="downloaded anew"), pytest.raises(ValueError, match=r"downloaded twice.*not a sound zip archive"):
        load_tatoeba_fra("test")
    server.content = (tmp_path / "newer.zip").read_bytes()
    with pytest.warns(UserWarning, match="downloaded anew: .*not a sound zip archive"), pytest.warns(UserWarning, match="not the release"):
        load_tatoeba_fra("test")
    assert path.read_bytes() == server.content


def test_a_pinned_checksum_holds(server, monkeypatch, local, tmp_path):
    monkeypatch.setattr(tatoeba, "URL", server.url)
    path = local / "tatoeba_fra" / "fra-eng.zip"
    monkeypatch.setattr(tatoeba, "KNOWN", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(load_tatoeba_fra("test", local, sha256=file_sha256(path))) > 0
    with pytest.raises(ValueError, match=f"its sha256 is {file_sha256(path)}. Received: sha256='{'0' * 64}'"):
        load_tatoeba_fra("test", local, sha256="0" * 64)
    server.content = path.read_bytes()
    with pytest.raises(ValueError, match="downloaded twice"):
        load_tatoeba_fra("test", sha256="0" * 64)
    assert not (tmp_path / "cache" / "tatoeba_fra" / "fra-eng.zip").exists()


def test_a_damaged_local_copy_is_named(local):
    path = local / "tatoeba_fra" / "fra-eng.zip"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.warns(UserWarning, match="not the release"), pytest.raises(ValueError, match=rf"{re.escape(str(path))} is not a sound zip archive"):
        load_tatoeba_fra("test", local)


def test_no_copy_where_one_must_be(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"tatoeba_fra/fra-eng\.zip, .*Received: data_dir=.*Get the file from http"):
        load_tatoeba_fra("test", tmp_path)
    with pytest.raises(FileNotFoundError, match="data_dir is not a directory"):
        load_tatoeba_fra("test", tmp_path / "no")
    monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path / "no"))
    with pytest.raises(FileNotFoundError, match="KERAS_RICHCTX_DATA is not a directory"):
        load_tatoeba_fra("test")


def test_no_copy_and_no_network_says_where_to_put_one(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path))  # holds other data
    monkeypatch.setattr(tatoeba, "URL", "http://nothing.invalid/fra-eng.zip")
    with pytest.raises(ConnectionError, match=r"http://nothing\.invalid/fra-eng\.zip: .*put it at .*tatoeba_fra/fra-eng\.zip.*KERAS_RICHCTX_DATA"):
        load_tatoeba_fra("test")


def test_names_of_data_sets_and_splits():
    assert {"phrasebook", "tatoeba-fra", "tinyshakespeare", "wikitext2"} < set(datasets.names())
    assert datasets.names() == sorted(datasets.names())
    with pytest.raises(ValueError, match=f"there are {', '.join(map(re.escape, datasets.names()))}. Received: name='tatoeba'"):
        datasets.load("tatoeba")
    for name in datasets.names():
        with pytest.raises(ValueError, match=r"the splits? (train, validation(, test)?|test)\. Received: split='dev'"):
            datasets.load(name, "dev")


def test_a_short_name_of_the_validation_split_is_taken(local):
    assert datasets.load("tatoeba-fra", "valid", local) == datasets.load("tatoeba-fra", "validation", local)


def test_load_takes_the_options_of_the_data_set(local):
    assert datasets.load("tatoeba-fra", "train", local, max_words=9) == load_tatoeba_fra("train", local, max_words=9)
    assert len(datasets.load("phrasebook", "test", local, size=7)) == 7
    with pytest.raises(TypeError, match="size"):
        datasets.load("tatoeba-fra", "train", local, size=7)


def test_the_release_of_the_documented_figures(data_dir):
    assert file_sha256(data_dir / "tatoeba_fra" / "fra-eng.zip") == "16c4f7d0df9e7c5e6c54cdb0447f3f4a18a55052ff5e2e0b27dd4a06c0e49d04"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parts = {split: load_tatoeba_fra(split, data_dir) for split in SPLITS}
        held_out = load_tatoeba_fra("test", data_dir, max_words=10, max_sentences=1000)
    assert {split: len(part) for split, part in parts.items()} == {"train": 137_076, "validation": 2_876, "test": 2_835}
    assert sum(map(len, parts.values())) == 142_787
    sources = [{source.casefold() for source in part.source} for part in parts.values()]
    assert len(set.union(*sources)) == sum(map(len, sources)) == 98_657
    assert not re.search("[\u00a0\u202f\u2009]", "".join(parts["train"].target))
    references = held_out.references()
    assert len(references) == 1000
    assert max(len(source.split()) for source in references) == 10
    assert held_out.target == [french for english, french in parts["test"] if english in references]
