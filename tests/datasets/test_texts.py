"""The two texts, Tiny Shakespeare and WikiText-2: one file and no other, whole, in three parts."""

import hashlib
import zipfile

import pytest

from keras_richctx import datasets
from keras_richctx.datasets import tinyshakespeare, wikitext2
from keras_richctx.datasets.download import file_sha256
from keras_richctx.datasets.tinyshakespeare import load_tinyshakespeare
from keras_richctx.datasets.wikitext2 import load_wikitext2

PLAY = "".join(f"Line {i} of {'a ' * (i % 7)}play.\n\n" for i in range(100))
ARTICLES = {split: f" \n = {split} = \n \n In 2015 , <unk> – {split} . \n" for split in wikitext2.SPLITS}


@pytest.fixture(autouse=True)
def _nothing_of_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("KERAS_RICHCTX_DATA", raising=False)
    monkeypatch.setenv("KERAS_RICHCTX_CACHE", str(tmp_path / "cache"))
    for module in (tinyshakespeare, wikitext2):
        monkeypatch.setattr(module, "URL", "http://127.0.0.1:9/no-test-may-use-the-network")
    monkeypatch.setattr(tinyshakespeare, "SHA256", hashlib.sha256(PLAY.encode()).hexdigest())
    monkeypatch.setattr(wikitext2, "SHA1", {split: hashlib.sha1(text.encode()).hexdigest() for split, text in ARTICLES.items()})


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def write_zip(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("wikitext-2/", "")
        for split, text in ARTICLES.items():
            archive.writestr(f"wikitext-2/wiki.{wikitext2.SPLITS[split]}.tokens", text)
    return path


def test_the_parts_of_a_play_are_the_play(tmp_path):
    write(tmp_path / "tinyshakespeare" / "input.txt", PLAY)
    parts = [load_tinyshakespeare(split, tmp_path) for split in ("train", "validation", "test")]
    assert "".join(parts) == PLAY
    assert [round(len(part) / len(PLAY), 2) for part in parts] == [0.9, 0.05, 0.05]
    assert datasets.load("tinyshakespeare", "valid", tmp_path) == parts[1]


def test_another_file_is_not_taken_for_the_play(tmp_path):
    write(tmp_path / "tinyshakespeare" / "input.txt", PLAY.replace("\n", "\r\n"))
    with pytest.raises(ValueError, match=r"not the file of char-rnn: its sha256 is .*its line ends are \\n"):
        load_tinyshakespeare("test", tmp_path)


def test_the_play_is_downloaded_once(server, monkeypatch, tmp_path):
    monkeypatch.setattr(tinyshakespeare, "URL", server.url)
    server.content = PLAY.encode()
    assert load_tinyshakespeare("test") == PLAY[int(0.95 * len(PLAY)) :]
    load_tinyshakespeare("train")
    assert len(server.requests) == 1
    assert (tmp_path / "cache" / "tinyshakespeare" / "input.txt").is_file()


@pytest.mark.parametrize("place", ["wikitext2/wiki.{}.tokens", "wikitext2/{}.txt", "wikitext-2/wiki.{}.tokens"])
def test_a_split_is_found_as_a_file_of_its_own(tmp_path, monkeypatch, place):
    for split, name in wikitext2.SPLITS.items():
        write(tmp_path / "data" / place.format(name), ARTICLES[split])
    monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path / "data"))
    assert {split: load_wikitext2(split) for split in ARTICLES} == ARTICLES


def test_a_split_is_read_from_the_archive_here_or_downloaded(server, monkeypatch, tmp_path):
    path = write_zip(tmp_path / "data" / "wikitext-2-v1.zip")
    assert {split: load_wikitext2(split, path.parent) for split in ARTICLES} == ARTICLES
    monkeypatch.setattr(wikitext2, "URL", server.url)
    server.content = path.read_bytes()
    assert {split: load_wikitext2(split) for split in ARTICLES} == ARTICLES
    assert len(server.requests) == 1


def test_where_some_splits_are_and_others_are_not_the_error_says_so(tmp_path, monkeypatch):
    write(tmp_path / "wikitext2" / "valid.txt", ARTICLES["validation"])
    assert load_wikitext2("validation", tmp_path) == ARTICLES["validation"]
    with pytest.raises(FileNotFoundError, match=r"(?s)holds none of .*wikitext2/train\.txt.*the train split .*may hold some splits only"):
        load_wikitext2("train", tmp_path)
    monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path))
    monkeypatch.setattr(wikitext2, "URL", "http://nothing.invalid/wikitext-2-v1.zip")
    with pytest.raises(ConnectionError, match=r"(?s)nothing\.invalid.*the train split .*may hold some splits only"):
        load_wikitext2("train")


def test_a_split_is_not_taken_for_another(tmp_path):
    write(tmp_path / "wikitext2" / "test.txt", ARTICLES["validation"])
    with pytest.raises(ValueError, match=r"does not hold the test split of wikitext2: its sha1 is"):
        load_wikitext2("test", tmp_path)


def test_the_counts_of_the_official_files(data_dir, monkeypatch):
    monkeypatch.undo()
    play = "".join(datasets.load("tinyshakespeare", split, data_dir) for split in ("train", "validation", "test"))
    assert (len(play), len(set(play))) == (1_115_394, 65)
    assert play.startswith("First Citizen:\nBefore we proceed")
    assert file_sha256(data_dir / "tinyshakespeare" / "input.txt") == tinyshakespeare.SHA256
    words = {split: datasets.load("wikitext2", split, data_dir).replace("\n", " <eos> ").split() for split in ("validation", "test")}
    assert {split: len(tokens) for split, tokens in words.items()} == {"validation": 217_646, "test": 245_569}
