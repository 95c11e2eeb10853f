import bench_awd_lstm
import numpy as np
import pytest
from bench_awd_lstm import NOTHING_ALONE, REGULARIZERS, main, options, rows, runs

import keras_richctx as krc


@pytest.fixture
def texts(monkeypatch, without_graphs):
    """A text of a few words for each split."""
    random = np.random.default_rng(0)
    text = " \n".join(" ".join(random.choice(["one", "two", "three", "<unk>"], 9)) for _ in range(20))
    monkeypatch.setattr(krc.datasets, "load", lambda name, split: text)
    monkeypatch.setattr(
        bench_awd_lstm,
        "SETTINGS",
        {**bench_awd_lstm.SETTINGS, "epochs": 2, "words": 150, "units": 5, "embedding_dim": 5, "num_layers": 1, "rows": 4, "chunk": 8},
    )


def test_each_regularizer_is_on_alone():
    assert len(runs()) == 2 + len(REGULARIZERS) + len(NOTHING_ALONE)
    off, on = options([]), options(list(REGULARIZERS))
    assert not any(off.values())
    assert all(on.values())
    for name in REGULARIZERS:
        alone = options(runs()[f"{name} alone"])
        assert {argument for argument in on if alone[argument] != off[argument]} == set(REGULARIZERS[name])


def test_the_table_compares_with_nothing():
    results = {name: {"test": 200.0 - 10 * i, "held out": 190.0, "best epoch": 3} for i, name in enumerate(runs())}
    first, second, *_, last = rows(results)
    assert (first["regularizers"], first["against nothing"]) == ("nothing", "")
    assert (second["test perplexity"], second["against nothing"]) == ("190.0", "-5.0%")
    assert (last["regularizers"], last["against nothing"]) == ("everything", "-50.0%")


def test_a_second_call_goes_on_with_what_is_missing(texts, tmp_path, monkeypatch):
    monkeypatch.setattr(bench_awd_lstm, "KEPT", tmp_path)
    main(["everything"])
    (kept,) = tmp_path.iterdir()
    content = kept.read_text()
    trained, reported = [], []
    monkeypatch.setattr(bench_awd_lstm, "train", lambda on, *_: trained.append(on) or {"test": 1.0, "held out": 1.0, "best epoch": 1, "minutes": 0.0})
    monkeypatch.setattr(bench_awd_lstm, "report", lambda *arguments, made_on: reported.append(arguments))
    main([])
    assert len(trained) == len(runs()) - 1
    assert list(REGULARIZERS) not in trained
    assert kept.read_text() == content
    assert len(reported) == 1
    main([])
    assert len(trained) == len(runs()) - 1
