import json

import keras
import numpy as np
import pytest

from keras_richctx.models import Bert, TextClassifier
from keras_richctx.text import WordPieceTokenizer

TEXTS = ["the good cat sat", "the bad dog", "a good mat", "who saw the bad dog", "it rains in Paris", "bad bad cat on a mat"]
OPTIONS = ["--epochs", "1", "--batch-size", "4", "--max-length", "16"]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights")
    keras.utils.set_random_seed(1)
    Bert(WordPieceTokenizer.train(TEXTS * 2, vocab_size=60), num_layers=1, width=12, num_heads=2, max_length=32).save_to_preset(path)
    return path


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    path = tmp_path_factory.mktemp("data")
    (path / "CoLA").mkdir()
    for file in ("train", "dev"):
        (path / f"CoLA/{file}.tsv").write_text("".join(f"x\t{int('bad' not in text)}\t\t{text}\n" for text in TEXTS))
    (path / "CoLA/test.tsv").write_text("index\tsentence\n0\ta cat\n1\ta bad cat\n")
    return path


@pytest.fixture(scope="module")
def finetune(cli, weights, official):
    def run(out, *options, task="cola"):
        return cli("finetune", task, "--weights", weights, "--data", official, "--out", out, *OPTIONS, *options)

    return run


@pytest.fixture(scope="module")
def trained(finetune, tmp_path_factory):
    out = tmp_path_factory.mktemp("finetuned") / "run"
    result = finetune(out, "--seeds", "2", "--learning-rate", "0.01", "--learning-rate", "1e-9", "--layer-decay", "0.9")
    assert result.exit_code == 0, result.output
    return out, result


def test_every_run_is_measured_and_the_best_kept(trained):
    out, result = trained
    record = json.loads((out / "training.json").read_text())["result"]
    assert [run["name"] for run in record["runs"]] == ["lr-0.01-seed-0", "lr-0.01-seed-1", "lr-1e-09-seed-0", "lr-1e-09-seed-1"]
    scores = {run["name"]: run["validation"]["cola"]["matthews"] for run in record["runs"]}
    assert scores[record["best"]] == max(scores.values())
    model = TextClassifier.from_preset(out / "model")
    predicted = [int(label == "acceptable") for label in model.classify(TEXTS)]
    written = (out / "runs" / record["best"] / "validation/CoLA.tsv").read_text().splitlines()[1:]
    assert [int(line.split("\t")[1]) for line in written] == predicted
    assert len((out / "runs" / record["best"] / "test/CoLA.tsv").read_text().splitlines()) == 3
    assert "cola validation" in result.stdout
    mean = np.mean([scores["lr-0.01-seed-0"], scores["lr-0.01-seed-1"]])
    assert f"{100 * mean:.2f}" in result.stdout
    assert not list(out.glob("runs/*/checkpoint"))


def test_what_is_done_is_not_done_again_and_other_settings_are_refused(trained, finetune):
    out, _ = trained
    again = finetune(out, "--seeds", "2", "--learning-rate", "0.01", "--learning-rate", "1e-9", "--layer-decay", "0.9")
    assert "Nothing was done" in again.stdout
    other = finetune(out, "--seeds", "3")
    assert other.exit_code == 1
    assert "holds another model" in other.stderr


def test_a_stopped_run_goes_on(finetune, tmp_path, monkeypatch):
    from keras_richctx.finetuning.recipe import FineTuning

    real, calls = FineTuning.fit, []

    def stop_at_the_second(self, *arguments, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, *arguments, **options)

    monkeypatch.setattr(FineTuning, "fit", stop_at_the_second)
    stopped = finetune(tmp_path / "run", "--seeds", "2")
    assert stopped.exit_code == 130
    assert "Run the same command again" in stopped.stderr
    result = finetune(tmp_path / "run", "--seeds", "2")
    assert result.exit_code == 0, result.output
    assert len(calls) == 3  # the first run was not done again


def test_a_frozen_encoder_makes_a_model_of_features(finetune, tmp_path):
    result = finetune(tmp_path / "run", "--frozen", "--layers", "mix", "--head", "bilstm", "--units", "6")
    assert result.exit_code == 0, result.output
    model = keras.saving.load_model(tmp_path / "run/model/model.keras")
    assert (model.features.layers, model.head) == ("mix", "bilstm")


@pytest.mark.parametrize(
    "options, task, message",
    [
        ([], "glue", "The tasks are cola"),
        (["--layers", "mix"], "cola", "pooled output"),
        (["--frozen", "--layer-decay", "0.9"], "cola", "have no rate"),
        ([], "rte", "gluebenchmark.com"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_written(finetune, tmp_path, options, task, message):
    result = finetune(tmp_path / "run", *options, task=task)
    assert result.exit_code in (1, 2)
    assert message in result.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()
