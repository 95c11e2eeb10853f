import bench_tagging
import numpy as np
import pytest

import keras_richctx as krc


@pytest.mark.parametrize("title, wanted", [("WNUT-17, F1 of entities", 80.0), ("UD English, accuracy", 75.0)])
def test_each_task_has_its_figure(title, wanted):
    predicted, gold = [["B-x", "O"], ["O", "B-y"]], [["B-x", "O"], ["B-x", "B-y"]]
    assert bench_tagging.score(bench_tagging.TASKS[title], predicted, gold) == pytest.approx(wanted)


def test_vectors_of_wanted_words_alone_are_read(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\nb\u2028c 3 4\nd 5 6\n", encoding="utf-8")
    words, array = bench_tagging.read_vectors(tmp_path / "v.txt", {"a", "d"})
    assert words == ["a", "d"]
    np.testing.assert_array_equal(array, [[1, 2], [5, 6]])


def test_the_table_has_a_row_for_each_task_and_head(monkeypatch):
    sentences = krc.datasets.TaggedSentences([["a"]], [["O"]])
    monkeypatch.setattr(krc.datasets, "load", lambda name, split: sentences)
    monkeypatch.setattr(bench_tagging, "run", lambda *arguments: [1.0, 3.0])
    reported = []
    monkeypatch.setattr(bench_tagging, "report", lambda *arguments: reported.append(arguments))
    bench_tagging.main(["--seeds", "2"])
    rows = reported[0][2]
    assert len(rows) == len(bench_tagging.TASKS) * len(bench_tagging.HEADS)
    assert (rows[0]["mean"], rows[0]["deviation"]) == ("2.00", "1.41")
