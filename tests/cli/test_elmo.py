import json
import re

import h5py
import numpy as np
import pytest

from keras_richctx.elmo import ELMo
from richctx import elmo_run, embedding

TINY = {"filters": [(1, 3), (2, 4)], "num_highways": 1, "units": 6, "projection_dim": 4}
OPTIONS = ["--batch-size", "2", "--unroll", "5", "--epochs", "2", "--samples", "4", "--validation", "0.3"]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("the bank of the river\na bank lends money\nmoney\nthe river bends\nwe saw it\nthe naïve bank\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(cli, text, tmp_path_factory):
    out = tmp_path_factory.mktemp("elmo") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elmo_run, "MINI", TINY)
        result = cli("train", "elmo", "--text", text, "--out", out, *OPTIONS)
    assert result.exit_code == 0, result.output
    assert "forwards" in result.stdout
    return out


def test_a_training_leaves_the_published_files_and_its_record(trained, text, cli, monkeypatch):
    record = json.loads((trained / "training.json").read_text())
    assert len(record["result"]["history"]["forward_perplexity"]) == 2
    assert record["result"]["perplexity"].keys() == {"forward", "backward"}
    assert ELMo.from_preset(trained).bilm.units == 6
    monkeypatch.setattr(elmo_run, "MINI", TINY)
    again = cli("train", "elmo", "--text", text, "--out", trained, *OPTIONS)
    assert "Nothing was done" in again.stdout
    other = cli("train", "elmo", "--text", text, "--out", trained, *OPTIONS, "--seed", "1")
    assert other.exit_code == 1
    assert "holds another model: seed 0 there, 1 here" in other.stderr


def test_a_model_is_trained_further_on_other_text(trained, text, cli, tmp_path):
    result = cli("train", "elmo", "--text", text, "--from", trained, "--out", tmp_path / "further", *OPTIONS, "--optimizer", "adam")
    assert result.exit_code == 0, result.output
    before, after = (ELMo.from_preset(path).get_weights() for path in (trained, tmp_path / "further"))
    assert any(np.abs(a - b).max() > 0 for a, b in zip(before, after))
    assert (tmp_path / "further/vocabulary.txt").read_text() == (trained / "vocabulary.txt").read_text()


@pytest.mark.parametrize("layers, shape", [("all", (3, 5, 8)), ("average", (5, 8))])
def test_vectors_stand_in_the_order_of_the_lines(trained, text, cli, tmp_path, layers, shape):
    out = tmp_path / "x.h5"
    result = cli("embed", text, "--model", trained, "--out", out, "--layers", layers, "--batch-size", "2")
    assert result.exit_code == 0, result.output
    lines = text.read_text(encoding="utf-8").splitlines()
    expected = ELMo.from_preset(trained).embed([line.split() for line in lines])
    with h5py.File(out) as file:
        assert file["0"].shape == shape
        assert file.attrs["layers"] == layers
        for i, array in enumerate(expected):
            np.testing.assert_allclose(file[str(i)], embedding.SELECT[layers](array), atol=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["x.h5"]


def test_a_run_that_was_stopped_goes_on(trained, text, cli, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "PIECE", 2)
    real, calls = ELMo.embed, []

    def stop(self, *arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(ELMo, "embed", stop)
    command = ("embed", text, "--model", trained, "--out", tmp_path / "x.h5")
    stopped = cli(*command)
    assert stopped.exit_code == 130
    assert "Run the same command again" in stopped.stderr
    assert not (tmp_path / "x.h5").exists()
    other = cli(*command, "--layers", "top")
    assert other.exit_code == 1
    assert "another run, with another layers" in other.stderr
    result = cli(*command)
    assert result.exit_code == 0, result.output
    assert len(calls) == 4  # three pieces, and the one that was stopped
    with h5py.File(tmp_path / "x.h5") as file:
        assert sorted(file, key=int) == [str(i) for i in range(6)]
    assert "is there already" in cli(*command).stderr


@pytest.mark.parametrize(
    "content, message", [(b"one\n\ntwo\n", "Line 2 of"), (b"", "holds no sentence"), ("été\n".encode("latin-1"), "must be UTF-8.*line 1 of")]
)
def test_a_bad_text_is_named(trained, cli, tmp_path, content, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    result = cli("embed", path, "--model", trained, "--out", tmp_path / "x.h5")
    assert result.exit_code == 1
    assert re.search(message, result.stderr.replace("\n", " "))
    assert not (tmp_path / "x.h5").exists()
