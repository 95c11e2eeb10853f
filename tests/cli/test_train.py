import errno
import json
import re
import shutil
import signal

import numpy as np
import pytest

from richctx.model_directory import ModelDirectory

BAD_FILES = {
    "empty": (b"", "is empty"),
    "white space": (b"\n", r"line 1: the source sentence is empty"),
    "one column": (b"A cat.\tUn chat.\nA dog.\n", r"line 2: one column"),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"line 3: a NUL byte, so this is a binary file"),
    "encoding": ("A cat.\tUn chat.\nThe summer.\tL'été.\n".encode("latin-1"), r"line 2: byte 0xe9, the 15th of the line, is not UTF-8"),
    "empty sentence": (b"A cat.\tUn chat.\n\tUn chien.\n", r"line 2: the source sentence is empty"),
    "one sentence": (b"A cat.\tUn chat.\n", r"1 different source sentences, 1 cannot be held out"),
}


def contents(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


class Killed(BaseException):
    """Ends a run as a kill does: nothing catches it, nothing is saved."""


def die():
    raise Killed


def weights(directory):
    return ModelDirectory(directory).load().get_weights()


@pytest.mark.parametrize("content, message", BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_one_line_of_error_and_makes_no_directory(cli, tmp_path, content, message):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    result = cli("translate", "train", "--pairs", path, "--out", tmp_path / "run", "--epochs", "1")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("Error: ")
    assert re.search(message, result.stderr), result.stderr
    assert not (tmp_path / "run").exists()


def test_files_of_different_lengths_are_told_apart(cli, tmp_path):
    (tmp_path / "a").write_text("A cat.\nA dog.\n")
    (tmp_path / "b").write_text("Un chat.\n")
    result = cli("translate", "train", "--pairs", tmp_path / "a", "--target", tmp_path / "b", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "2 lines in" in result.stderr
    assert "1 in" in result.stderr


@pytest.mark.parametrize("path, message", [("nowhere.tsv", "There is no such file"), (".", "not a directory")])
def test_what_is_no_file_is_named(cli, tmp_path, path, message):
    result = cli("translate", "train", "--pairs", tmp_path / path, "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    "options",
    [[], ["--pairs", "a", "--data", "phrasebook"], ["--target", "b", "--data", "phrasebook"], ["--data", "phrasebook", "--epochs", "1", "--minutes", "1"]],
    ids=["no pairs", "two sources", "a target alone", "two ends"],
)
def test_options_that_exclude_each_other_are_a_usage_error(cli, tmp_path, options):
    result = cli("translate", "train", "--out", tmp_path / "run", *options)
    assert result.exit_code == 2
    assert "one of the two" in result.stderr or "--target goes with --pairs" in result.stderr


@pytest.mark.parametrize(
    "option, message", [("--attention=none", "bahdanau, luong, fixed"), ("--tokenizer=char", "word, bpe"), ("--vocab-size=3", "at least 5")]
)
def test_a_wrong_setting_is_refused_and_does_not_claim_the_directory(train, tmp_path, option, message):
    result = train(tmp_path / "run", option)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_training_leaves_a_model_its_record_and_nothing_half_written(trained):
    record = json.loads((trained / "training.json").read_text(encoding="utf-8"))
    assert len(record["result"]["history"]["val_loss"]) == record["plan"]["epochs"] == 2
    assert 0 <= record["result"]["validation_bleu"] <= 100
    assert record["plan"]["units"] == 8
    assert {path.name for path in trained.iterdir()} == {"model.keras", "training.json", "checkpoint"}


def test_the_same_command_again_changes_nothing(train, trained):
    before = contents(trained)
    result = train(trained)
    assert result.exit_code == 0
    assert "trained already: validation BLEU" in result.stdout
    assert contents(trained) == before


def test_a_directory_of_other_settings_is_refused_by_name_and_kept(train, trained):
    before = contents(trained)
    result = train(trained, "--units", "10", "--dropout", "0.5")
    assert result.exit_code == 1
    assert "units 8 there, 10 here; dropout 0.1 there, 0.5 here" in result.stderr
    assert contents(trained) == before


def test_a_directory_of_another_vocabulary_is_refused_by_name_and_kept(train, trained, pairs_file, tmp_path):
    other = tmp_path / "pairs.tsv"
    other.write_text(pairs_file.read_text(encoding="utf-8").replace("\n", " encore\n"), encoding="utf-8")  # a word more at the end of each target
    before = contents(trained)
    result = train(trained, pairs=other)
    assert result.exit_code == 1
    assert "target vocabulary" in result.stderr
    assert "source vocabulary" not in result.stderr
    assert contents(trained) == before


def test_a_model_of_unknown_origin_is_kept(train, trained, tmp_path):
    shutil.copy(trained / "model.keras", tmp_path)
    result = train(tmp_path)
    assert result.exit_code == 1
    assert "no training.json that tells how it was made" in result.stderr
    assert contents(tmp_path).keys() == {(trained / "model.keras").relative_to(trained)}


@pytest.mark.parametrize("damaged", ["{", '{"plan": [1]}', "[]"])
def test_a_damaged_record_is_named_and_kept(train, trained, tmp_path, damaged):
    out = shutil.copytree(trained, tmp_path / "run")
    (out / "training.json").write_text(damaged)
    result = train(out)
    assert result.exit_code == 1
    assert "training.json is damaged" in result.stderr
    assert (out / "training.json").read_text() == damaged


def test_a_place_that_cannot_be_written_to_is_an_error_before_training(train, pairs_file):
    result = train(pairs_file)
    assert result.exit_code == 1
    assert "is a file, where a directory is needed" in result.stderr
    assert "epoch" not in result.output


def test_a_full_disk_is_an_error_before_training(train, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    result = train(tmp_path / "run")
    assert result.exit_code == 1
    assert "is too full" in result.stderr
    assert "epoch" not in result.output


def test_a_disk_that_fills_up_at_the_end_costs_no_training(train, trained, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ModelDirectory, "save", full)
    result = train(tmp_path / "run")
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    monkeypatch.undo()
    assert train(tmp_path / "run").exit_code == 0
    for ours, theirs in zip(weights(tmp_path / "run"), weights(trained), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("ending", ["interrupted", "killed"])
def test_a_run_that_was_cut_short_goes_on_to_the_weights_of_one_that_was_not(train, trained, tmp_path, at_step, monkeypatch, ending):
    at_step(6, die if ending == "killed" else lambda: signal.raise_signal(signal.SIGINT))  # in the middle of the second epoch
    if ending == "killed":
        with pytest.raises(Killed):
            train(tmp_path / "run")
    else:
        result = train(tmp_path / "run")
        assert result.exit_code == 130
        assert "Run the same command again to go on." in result.stderr
    assert not (tmp_path / "run" / "model.keras").exists()

    monkeypatch.undo()
    result = train(tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "Going on from epoch 2" in result.stdout
    for ours, theirs in zip(weights(tmp_path / "run"), weights(trained), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_minutes_bound_the_training(cli, pairs_file, tmp_path):
    options = ["--tokenizer", "word", "--units", "8", "--batch-size", "8", "--validation", "4", "--minutes", "0.05"]
    result = cli("translate", "train", "--pairs", pairs_file, "--out", tmp_path / "run", *options)
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "run" / "training.json").read_text(encoding="utf-8"))
    assert record["plan"]["epochs"] is None
    assert record["result"]["seconds_of_last_session"] > 3
    assert "1000000" not in result.stdout, "the number of epochs is not known, and so not told"


def test_empty_sentences_can_be_left_out_with_a_warning(cli, pairs_file, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(pairs_file.read_text(encoding="utf-8") + "\tVide.\n", encoding="utf-8")
    result = cli("translate", "train", "--pairs", path, "--skip-empty", "--validation", "99", "--out", tmp_path / "run")  # fails after the reading
    warning, error = result.stderr.splitlines()
    assert warning.startswith("Warning: ")
    assert "1 of 33 pairs skipped for an empty sentence" in warning
    assert error.startswith("Error: Of 32 different source sentences, 99")


def test_a_strategy_of_one_device_trains_as_none_does(train, trained, tmp_path):
    assert train(tmp_path / "run", "--strategy", "one").exit_code == 0
    for mine, theirs in zip(weights(tmp_path / "run"), weights(trained), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name, message", [("both", "A strategy is one of auto, one"), ("multi_worker", "found through TF_CONFIG")])
def test_a_strategy_that_there_is_not_is_one_line_of_error_and_makes_no_directory(train, tmp_path, monkeypatch, name, message):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    result = train(tmp_path / "run", "--strategy", name)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert not (tmp_path / "run").exists()
