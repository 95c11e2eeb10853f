import bench_tagging
import numpy as np
import pytest
import small_bilm
from bench_tagging import OURS

import keras_richctx as krc
from keras_richctx.models import ELMo

FIGURES = {0: 1.0, 1: 3.0}


@pytest.mark.parametrize("title, wanted", [("WNUT-17, F1 of entities", 80.0), ("UD English, accuracy", 75.0)])
def test_each_task_has_its_figure(title, wanted):
    predicted, gold = [["B-x", "O"], ["O", "B-y"]], [["B-x", "O"], ["B-x", "B-y"]]
    assert bench_tagging.score(bench_tagging.TASKS[title], predicted, gold) == pytest.approx(wanted)


def test_vectors_of_wanted_words_alone_are_read(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\nb\u2028c 3 4\nd 5 6\n", encoding="utf-8")
    words, array = bench_tagging.read_vectors(tmp_path / "v.txt", {"a", "d"})
    assert words == ["a", "d"]
    np.testing.assert_array_equal(array, [[1, 2], [5, 6]])


@pytest.fixture
def program(monkeypatch, tmp_path):
    """The program with rows that take no time: the runs that it did and the tables that it reported."""

    class Row:
        def __init__(self, task, name, options):
            self.names = task["name"], name

        def run(self, seed):
            done.append((*self.names, seed))
            return {"figure": FIGURES[seed], "seconds": 0.0}

    done, reported = [], []
    monkeypatch.setattr(small_bilm, "KEPT", tmp_path)
    monkeypatch.setattr(bench_tagging, "Row", Row)
    monkeypatch.setattr(bench_tagging, "report", lambda *arguments, made_on: reported.append(arguments))
    return done, reported


def test_parts_are_kept_and_make_one_table(program):
    done, reported = program
    for task in ("wnut17", "ud-english-pos"):
        bench_tagging.main(["--tasks", task, "--seeds", "0", "1"])
    assert not reported
    assert len(set(done)) == len(done) == 2 * 3 * 2  # tasks, rows without vectors, seeds
    bench_tagging.main(["--finished"])
    assert len(done) == 2 * 3 * 2
    rows = reported[0][2]
    assert [(row["task"], row["tagger"]) for row in rows] == [(task, row) for task in bench_tagging.TASKS for row in ("BiLSTM", "BiLSTM, CRF", OURS)]
    assert {(row["mean"], row["deviation"], row["seeds"]) for row in rows} == {("2.00", "1.41", 2)}


def test_a_run_of_other_settings_is_another_run_and_one_of_another_row_is_not_asked_for(program):
    done, reported = program
    for more in ([], ["--epochs", "2"], ["--bilm-epochs", "2"]):
        bench_tagging.main(["--tasks", "wnut17", "--rows", OURS, "BiLSTM", "--seeds", "1", *more])
    assert done == [("wnut17", OURS, 1), ("wnut17", "BiLSTM", 1)] * 2 + [("wnut17", OURS, 1)]
    bench_tagging.main(["--finished", "--rows", "BiLSTM", "--vectors", "glove.txt"])
    assert [(row["tagger"], row["deviation"]) for row in reported[0][2]] == [("BiLSTM", "-")]
    with pytest.raises(SystemExit):
        bench_tagging.main(["--finished", "--rows", "BiLSTM, GloVe", "--vectors", "glove.txt"])


@pytest.mark.parametrize("name", ["BiLSTM, CRF", OURS])
def test_a_seed_trains_alike_whatever_ran_before(name, monkeypatch, tmp_path, request):
    if name == OURS:  # the other row holds that what is traced serves all seeds
        request.getfixturevalue("without_graphs")
    sentences = krc.datasets.TaggedSentences([["Ada", "codes", "."], ["I", "met", "Ada"]] * 9, [["B-person", "O", "O"], ["O", "O", "B-person"]] * 9)
    monkeypatch.setattr(krc.datasets, "load", lambda name, split: sentences)
    elmo = ELMo(filters=[(1, 4), (3, 8)], units=6, projection_dim=5, max_characters=12)
    elmo.save_to_preset(tmp_path)
    monkeypatch.setattr(small_bilm, "small_bilm", lambda settings: ({}, tmp_path))
    options = bench_tagging.arguments(["--epochs", "2", "--units", "6", "--embedding-dim", "7", "--sentences", "16"])
    rows, task = [], bench_tagging.TASKS["WNUT-17, F1 of entities"]
    for seeds in ([1], [0, 1]):
        rows.append(bench_tagging.Row(task, name, options))
        assert all(0 <= rows[-1].run(seed)["figure"] <= 100 for seed in seeds)
    alone, after = ([np.array(variable) for variable in row.tagger.variables] for row in rows)
    for one, other in zip(alone, after, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    if name == OURS:  # its weights are those that were read, and the mix of its layers has moved
        words = rows[0].tagger.encoder.encoders[1]
        assert all(np.array_equal(a, b) for a, b in zip(words.elmo.get_weights(), elmo.get_weights(), strict=True))
        assert np.ptp(words.mix.scalars) > 0


def test_wikitext_is_read_as_sentences():
    text = " \n = Title = \n\n The lobster , a well @-@ known <unk> , weighs 0 @.@ 7 kg . It is blue ! \n"
    assert small_bilm.sentences_of(text) == [["The", "lobster", ",", "a", "well-known", "<UNK>", ",", "weighs", "0.7", "kg", "."], ["It", "is", "blue", "!"]]


def test_the_bilm_reads_no_test_split_of_a_task_is_trained_once_and_is_kept(monkeypatch, tmp_path):
    loaded = []

    def load(name, split):
        loaded.append((name, split))
        return " a b c . d e . \n" * 400 if name == "wikitext2" else krc.datasets.TaggedSentences([["a", "b"]] * 400, [["O", "O"]] * 400)

    monkeypatch.setattr(krc.datasets, "load", load)
    monkeypatch.setattr(small_bilm, "KEPT", tmp_path)
    monkeypatch.setattr(small_bilm, "SIZE", {"filters": [(1, 4)], "num_highways": 1, "units": 6, "projection_dim": 5, "max_characters": 8})
    settings = small_bilm.settings_of(bench_tagging.arguments(["--bilm-epochs", "1"]))
    assert small_bilm.small_bilm(settings, finished=True) == (None, None)
    measures, path = small_bilm.small_bilm(settings)
    assert measures["words"] == 2 * 400 * 7 + 2 * 400 * 2
    assert {split for name, split in loaded if name != "wikitext2"} == {"train", "validation"}
    count = len(loaded)
    assert small_bilm.small_bilm(settings, finished=True) == (measures, path)
    assert len(loaded) == count
    assert ELMo.from_preset(path).count_params() == measures["weights"]
    assert max(measures["perplexities"].values()) < measures["vocabulary"]
