import json
import subprocess
import sys

import numpy as np
import pytest

from keras_richctx.bert import pretraining
from keras_richctx.bert.pretraining import Pretraining
from keras_richctx.models import Bert, BertForPretraining

SENTENCES = ["the cat sat on the mat", "a dog saw the cat", "who sat on the mat", "it rains in Paris", "the good dog sat", "a bad cat saw it"]
OPTIONS = ["--size", "tiny", "--vocab-size", "300", "--length", "16", "--batch-size", "4", "--epochs", "2", "--unit", "word"]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n\n".join("\n".join(SENTENCES[i:] + SENTENCES[:i]) for i in range(4)), encoding="utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def _tiny(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("bert", "roberta"):
            sizes = {"num_layers": 1, "width": 12, "num_heads": 2, "max_length": 16, "model_type": kind}
            patch.setitem(pretraining.PRESETS, "tiny" if kind == "bert" else "tiny_roberta", {**sizes, "num_segments": 2 if kind == "bert" else 1})
        patch.setenv("KERAS_RICHCTX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def trained(cli, text, tmp_path_factory):
    out = tmp_path_factory.mktemp("bert") / "run"
    result = cli("train", "bert", "--text", text, "--validation", text, "--out", out, *OPTIONS)
    assert result.exit_code == 0, result.output
    return out, result


def test_a_training_leaves_a_directory_that_is_read_and_its_record(trained, text, cli):
    out, result = trained
    record = json.loads((out / "training.json").read_text())["result"]
    assert {"val_mlm_logits_accuracy", "val_nsp_logits_accuracy", "val_loss"} <= record["measures"].keys()
    assert len(record["history"]["mlm_logits_accuracy"]) == 2
    assert "Held-out text: " in result.stdout
    bert = Bert.from_preset(out)
    assert (bert.width, bert.max_length) == (12, 16)
    assert len(BertForPretraining.from_preset(out).fill_mask("the [MASK] sat", top=3)[0]) == 3
    again = cli("train", "bert", "--text", text, "--validation", text, "--out", out, *OPTIONS)
    assert "Nothing was done" in again.stdout
    other = cli("train", "bert", "--text", text, "--validation", text, "--out", out, *OPTIONS, "--seed", "1")
    assert other.exit_code == 1
    assert "holds another model: seed 0 there, 1 here" in other.stderr


def test_a_model_is_trained_further_on_full_sentences(trained, text, cli, tmp_path):
    out, _ = trained
    result = cli("train", "bert", "--text", text, "--from", out, "--out", tmp_path / "further", *OPTIONS, "--full-sentences", "--masking", "static")
    assert result.exit_code == 0, result.output
    assert "nsp" not in result.stdout
    before, after = (Bert.from_preset(path, pooler=False).get_weights() for path in (out, tmp_path / "further"))
    assert any(np.abs(a - b).max() > 0 for a, b in zip(before, after, strict=True))


def test_roberta_has_bytes_and_full_sentences(text, tmp_path):
    recipe = Pretraining(size="tiny_roberta", vocab_size=280, length=16, batch_size=4, epochs=1)
    model = recipe.build(recipe.train_tokenizer([text]))
    assert not recipe.next_sentence
    history = recipe.fit(model, [text], progress=False)
    assert np.isfinite(history.history["loss"]).all()
    model.save_to_preset(tmp_path)
    assert Bert.from_preset(tmp_path).pad_id == model.bert.pad_id


def test_two_devices_train_as_one(cli, text, tmp_path):
    options = ["--text", text, *OPTIONS, "--size", "bert_tiny", "--epochs", "1", "--dropout", "0"]
    devices = [sys.executable, "-m", "richctx", "train", "bert", *options, "--out", tmp_path / "two", "--strategy", "mirrored"]
    done = subprocess.run(devices, capture_output=True, text=True, check=False)  # of its own, since TensorFlow lays out its devices once
    assert done.returncode == 0, done.stderr[-2000:]
    assert cli("train", "bert", *options, "--out", tmp_path / "one").exit_code == 0
    one, two = (json.loads((tmp_path / name / "training.json").read_text())["result"]["measures"] for name in ("one", "two"))
    assert two == pytest.approx(one, rel=1e-3)


def test_what_is_missing_is_named(cli, tmp_path, text):
    assert "There is no such file of sentences" in cli("train", "bert", "--text", tmp_path / "no.txt", "--out", tmp_path / "run").stderr
    assert "The sizes are bert_l2_h128" in cli("train", "bert", "--text", text, "--size", "huge", "--out", tmp_path / "run").stderr
    assert "A strategy is one of auto, one" in cli("train", "bert", "--text", text, "--strategy", "both", "--out", tmp_path / "run").stderr
    assert not (tmp_path / "run").exists()
