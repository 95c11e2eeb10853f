import pytest

from keras_richctx.datasets import Pairs
from richctx import demo
from richctx.model_directory import ModelDirectory

ZONE = Pairs(
    ["the cat sleeps here .", "the European economic area is large .", "the red cat sleeps ."],
    ["le chat dort ici .", "la zone économique européenne est grande .", "le chat rouge dort ."],
    [{(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)}, {(0, 0), (1, 3), (2, 2), (3, 1), (4, 4), (5, 5), (6, 6)}, {(0, 0), (1, 2), (2, 1), (3, 3), (4, 4)}],
)


def test_the_demo_translates_measures_and_draws(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "PAIRS", 40)
    monkeypatch.setattr(demo, "HELD_OUT", 12)
    monkeypatch.setattr(demo, "RECIPE", {**demo.RECIPE, "units": 8, "epochs": 1})
    result = cli("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("wrong") + result.stdout.count("right ") >= demo.SHOWN
    assert "BLEU" in result.stdout
    assert "AER" in result.stdout
    assert (tmp_path / "demo" / "alignment.png").read_bytes().startswith(b"\x89PNG")
    assert ModelDirectory(tmp_path / "demo").load().translate("the cat").source_tokens[-1] == "[EOS]"


def test_the_demo_keeps_its_hands_off_a_trained_model(cli, trained):
    result = cli("demo", "--out", trained)
    assert result.exit_code == 1
    assert "holds a model of `richctx translate train`" in result.stderr


@pytest.mark.parametrize("pair, words", [(0, 1), (1, 3), (2, 2)])
def test_the_longest_reversal_counts_words_in_a_row(pair, words):
    assert demo.longest_reversal(ZONE.alignments[pair]) == words
    assert demo.longest_reversal(set()) == 0


def test_the_instructive_sentence_is_right_first_and_then_the_most_reversed():
    assert demo.instructive(ZONE, ZONE.target) == 1
    assert demo.instructive(ZONE, [ZONE.target[0], "la zone .", ZONE.target[2]]) == 2
