import re

from keras_richctx.datasets import names
from keras_richctx.metrics import bleu
from richctx.model_directory import ModelDirectory


def figure(output, name):
    return float(re.search(rf"{name}\s+([\d.]+)", output)[1])


def test_every_translation_of_a_sentence_is_a_reference(cli, trained, tmp_path):
    said = ModelDirectory(trained).load().translate("the cat sleeps .").text or "."
    (tmp_path / "pairs.tsv").write_text(f"the cat sleeps .\tUne autre chose, tout autre.\nthe cat sleeps .\t{said}\n", encoding="utf-8")
    result = cli("translate", "evaluate", trained, "--pairs", tmp_path / "pairs.tsv")
    assert result.exit_code == 0, result.output
    assert figure(result.stdout, "BLEU") == round(bleu([said], [[said, "Une autre chose, tout autre."]]), 2)
    assert figure(result.stdout, "sentences") == 1
    assert "with 2 reference translations" in result.stdout
    assert "AER" not in result.stdout, "a user's file has no gold alignments"


def test_the_first_short_sentences_are_measured_and_gold_alignments_where_there_are_any(cli, trained):
    result = cli("translate", "evaluate", trained, "--data", "phrasebook", "--max-words", "6", "--sentences", "9", "--beams", "2")
    assert result.exit_code == 0, result.output
    assert figure(result.stdout, "sentences") == 9
    assert 0 <= figure(result.stdout, "AER") <= 1


def test_a_data_set_or_split_that_is_not_there_is_named(cli, trained):
    for options, message in (
        [["--data", "europarl"], f"there are {', '.join(names())}"],
        [["--data", "phrasebook", "--split", "dev"], "train, validation, test"],
    ):
        result = cli("translate", "evaluate", trained, *options)
        assert result.exit_code == 1
        assert message in result.stderr
