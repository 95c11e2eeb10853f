"""The tests of word vectors, as their files are given out."""

import zipfile

import pytest

import keras_richctx as krc


def test_the_official_files(data_dir):
    analogies = krc.datasets.load("word2vec-analogies", "test", data_dir)
    assert (len(analogies), len(analogies.sections)) == (19544, 14)
    assert sum(len(questions) for name, questions in analogies.sections.items() if not name.startswith("gram")) == 8869
    assert ("boy", "girl", "king", "queen") in analogies.sections["family"]
    wordsim, simlex = (krc.datasets.load(name, "test", data_dir) for name in ("wordsim353", "simlex999"))
    assert (len(wordsim), len(simlex)) == (353, 999)
    assert wordsim[1] == ("tiger", "cat", 7.35)
    assert simlex[0] == ("old", "new", 1.58)


def test_the_archives_of_the_authors(data_dir, tmp_path):
    wordsim, simlex = (krc.datasets.load(name, "test", data_dir) for name in ("wordsim353", "simlex999"))
    with zipfile.ZipFile(tmp_path / "wordsim353.zip", "w") as archive:
        archive.writestr("combined.tab", "Word 1\tWord 2\tHuman (mean)\r\n" + "".join(f"{a}\t{b}\t{score}\r\n" for a, b, score in wordsim))
    with zipfile.ZipFile(tmp_path / "SimLex-999.zip", "w") as archive:
        header = "word1\tword2\tPOS\tSimLex999\tconc(w1)\n"
        archive.writestr("SimLex-999/SimLex-999.txt", header + "".join(f"{a}\t{b}\tN\t{score}\t3.0\n" for a, b, score in simlex))
    for name, pairs in (("wordsim353", wordsim), ("simlex999", simlex)):
        assert krc.datasets.load(name, "test", tmp_path).scores == pairs.scores


def test_what_is_wrong_is_named(tmp_path):
    (tmp_path / "questions-words.txt").write_text(": family\nboy girl king\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2: four words"):
        krc.datasets.load("word2vec-analogies", "test", tmp_path)
    (tmp_path / "wordsim353.tsv").write_text("tiger\tcat\tmuch\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: two words and a number"):
        krc.datasets.load("wordsim353", "test", tmp_path)
    (tmp_path / "wordsim353.tsv").write_text("tiger\tcat\t7\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"353 pairs\. Received: 1"):
        krc.datasets.load("wordsim353", "test", tmp_path)
    for line in ("tiger\tcat\tnan\n", "tiger\t \t7\n"):
        (tmp_path / "wordsim353.tsv").write_text(line, encoding="utf-8")
        with pytest.raises(ValueError, match="line 1: two words and a number"):
            krc.datasets.load("wordsim353", "test", tmp_path)
    with pytest.raises(ValueError, match="Received: 2 and 1 words, 2 scores"):
        krc.datasets.WordPairs(["a", "b"], ["c"], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"Received: scores\[1\]=nan"):
        krc.datasets.WordPairs(["a", "b"], ["c", "d"], [1.0, float("nan")])
    assert repr(krc.datasets.WordPairs([], [], [])) == "<WordPairs: 0 pairs>"
    with pytest.raises(ValueError, match="the split test"):
        krc.datasets.load("simlex999", "train", tmp_path)
