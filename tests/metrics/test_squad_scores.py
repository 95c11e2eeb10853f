import json

import pytest

from keras_richctx.metrics import squad_scores
from keras_richctx.metrics.squad_scores import normalize_answer


def test_a_published_system_has_its_official_figures(data_dir):
    from keras_richctx.datasets import load

    predictions = json.loads((data_dir / "squad" / "predictions" / "rnet_plus_v1.1.json").read_text(encoding="utf-8"))
    scores = squad_scores(predictions, load("squad-1.1", "validation", data_dir=data_dir).answers)
    assert scores["total"] == 10570
    assert (round(scores["exact_match"], 4), round(scores["f1"], 4)) == (82.4693, 88.4779)


def test_the_best_of_several_answers_counts():
    answers = {"a": ["Saint Bernadette", "Bernadette Soubirous of Lourdes"], "b": ["1866"]}
    scores = squad_scores({"a": "bernadette soubirous", "b": "in 1866."}, answers)
    assert scores == pytest.approx({"exact_match": 0.0, "f1": 100 * (2 / 3 + 2 / 3) / 2, "total": 2})


def test_answers_are_normalized_as_officially():
    assert normalize_answer("An  Apple, a day\tand the U.S.A.'s “pie”") == "apple day and usas “pie”"


def test_version_2_by_hand():
    answers = {"a": ["Paris"], "b": [], "c": [], "d": ["the"]}
    predictions = {"a": "Paris", "b": "", "c": "Rome", "d": "the"}
    scores = squad_scores(predictions, answers)
    assert (scores["exact_match"], scores["f1"], scores["total"]) == (75.0, 75.0, 4)
    assert scores["has_answer"] == {"exact_match": 100.0, "f1": 100.0, "total": 2}
    assert scores["no_answer"] == {"exact_match": 50.0, "f1": 50.0, "total": 2}
    assert squad_scores({"d": "the"}, {"d": ["the"]}, version="1.1") == {"exact_match": 100.0, "f1": 0.0, "total": 1}  # officially so
    assert squad_scores({"b": "the"}, {"b": []})["f1"] == 100.0  # nothing is left of it


def test_thresholds_by_hand():
    answers, predictions = {"a": ["Paris"], "b": [], "c": ["Rome"]}, {"a": "Paris", "b": "Bonn", "c": "Oslo"}
    sure = {"a": 0.1, "b": 0.6, "c": 0.8}
    scores = squad_scores(predictions, answers, no_answer_probabilities=sure, threshold=0.5)
    assert scores["exact_match"] == pytest.approx(200 / 3)  # b and c are taken for none, which b is
    assert (scores["best_exact_match"], scores["best_exact_match_threshold"]) == (pytest.approx(200 / 3), 0.1)
    assert squad_scores(predictions, answers, no_answer_probabilities=sure)["exact_match"] == pytest.approx(100 / 3)


def test_a_question_without_a_prediction_is_wrong_and_said():
    with pytest.warns(UserWarning, match="1 of 2 questions have no prediction.*'b'"):
        assert squad_scores({"a": "x"}, {"a": ["x"], "b": ["y"]})["exact_match"] == 50.0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"answers": {}}, "answers without any"),
        ({"predictions": {"z": ""}}, "the first of them 'z'"),
        ({"version": "1.0"}, "version='1.0'"),
        ({"answers": {"a": []}, "version": "1.1"}, "none for 'a'"),
        ({"answers": {"a": []}, "no_answer_probabilities": {}}, "Received: none for 1, the first of them 'a'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        squad_scores(**{"predictions": {"a": "x"}, "answers": {"a": ["x"]}, **options})
