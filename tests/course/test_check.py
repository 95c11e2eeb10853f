import re
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_richctx.course import answers, check
from keras_richctx.course.check import diagnose

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])  # each row sums to 1
LOGITS = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.25]])


@pytest.fixture
def chapter(monkeypatch):
    """A chapter with two exercises, in place of those of the course."""
    monkeypatch.setattr(answers, "_answers", lambda chapter: {"08.1": lambda: 8.4, "08.2": lambda: "dot"})
    monkeypatch.setattr(answers, "find_spec", lambda name: name.endswith("chapter_08") or None)
    monkeypatch.setattr(answers, "known", lambda: ["08.1", "08.2"])


@pytest.mark.parametrize(
    "expected, answer",
    [
        (8.4, 8.4),
        (2 / 3, 0.667),
        (0.0423912, 0.0424),
        ([[0.35054, 0], [-0.35054, 0]], [[0.351, 0], [-0.351, 0]]),
        (1.0049, 1.0),
        (102, 102.0),
        (1_200_000, np.float32(1_200_000)),
        (3, np.nextafter(np.float32(3), np.float32(4))),
        (12, np.int64(12)),
        (WEIGHTS, WEIGHTS.tolist()),
        (WEIGHTS, keras.ops.convert_to_tensor(WEIGHTS, "float32")),
        ((2, 3), [2, 3]),
        (True, np.True_),
        ("dot", "dot"),
        ({(0, 1), (1, 0)}, {(1, 0), (0, 1)}),
        (["le", "chat"], ("le", "chat")),
        (("dot", 3), ["dot", 3.0]),
        ([True, False], [True, False]),
    ],
)
def test_a_right_answer_is_right_in_any_form(expected, answer):
    assert diagnose(answer, expected) is None


@pytest.mark.parametrize(
    "expected, answer, clue",
    [
        (8.4, -8.4, "sign"),
        (8.4, 4.2, "factor of two"),
        (8.4, 840, "power of ten"),
        (8.4, 1 / 8.4, "reciprocal"),
        (8.4, 8.4**2, "square"),
        (8.4, np.log(8.4), "logarithm"),
        (0.5, np.exp(0.5), "exponential"),
        (12, 11, "off by one"),
        (102, 101, "off by one"),
        (102, 103, "off by one"),
        (102, 100, "integers have to be exact"),
        (102, 102.4, "integers have to be exact"),
        (1_200_000, 1_200_001, "off by one"),
        ([1000, 3000], [1001, 3001], "none of the numbers is right, and what is off is off by one"),
        ([1000, 3000], [1000, 3001], "1 of the 2 numbers is right, and what is off is off by one"),
        (np.array([1000, 3000]), [1000, 3010], "integers have to be exact"),
        (keras.ops.convert_to_tensor([1000, 3000]), [1000, 3010], "integers have to be exact"),
        (0.0423912, 0.042, "last digits"),
        (8.4, 8.5, "last digits"),
        (8.4, 9.9, "too large"),
        (8.4, float("nan"), "NaN"),
        (8.4, "eight", "made of numbers"),
        (8.4, [[1, 2], [3]], "made of numbers"),
        (8.4, None, "made of numbers"),
        (8.4, [8.4], "the shape is not"),
        (WEIGHTS, -WEIGHTS, "sign"),
        (WEIGHTS, 3 * WEIGHTS[::-1], "numbers|none"),
        (WEIGHTS, WEIGHTS.T, "transpose"),
        (WEIGHTS, WEIGHTS.ravel(), "shape is not"),
        (WEIGHTS, WEIGHTS[0], "2 axes"),
        (WEIGHTS, WEIGHTS[:, :2], "axis 1"),
        (WEIGHTS, WEIGHTS * [[2], [5]], "normalisation is missing"),
        (WEIGHTS, WEIGHTS[:, ::-1], "the order along axis 1 is reversed"),
        (WEIGHTS[0], WEIGHTS[0, ::-1], "put each in its place"),
        (WEIGHTS[0], WEIGHTS[0, [1, 0, 2]], "put each in its place"),
        ([3, 0], [0, 3], "swap the two"),
        ([3, 0], 3, "two numbers are expected, not one"),
        ([3, 0, -4], [3, 0], "three numbers are expected, not two"),
        (8.4, [8.4, 1], "one number is expected, not two"),
        (WEIGHTS[0], WEIGHTS, "1 axis."),
        (WEIGHTS, np.log(WEIGHTS), "logarithm"),
        (LOGITS, LOGITS / LOGITS.sum(1, keepdims=True), "normalised along axis 1"),
        (LOGITS, LOGITS / np.sqrt(512), "constant factor"),
        (LOGITS, LOGITS + 3, "constant is added"),
        (LOGITS, np.where(LOGITS > 2, 0, LOGITS), "5 of the 6"),
        (LOGITS, LOGITS**3 + LOGITS[::-1], "none of the numbers"),
        (WEIGHTS @ WEIGHTS.T, (WEIGHTS @ WEIGHTS.T) + [[0, 0.1], [-0.1, 0]], "2 of the 4"),
        (LOGITS[:, :2], LOGITS[:, :2].T, "transposed"),
        (True, False, "not it"),
        (True, 1, "True or False"),
        ("dot", "Dot ", "capitals"),
        ("dot", "general", "not it"),
        ("dot", 3, "a word"),
        ({"a", "b"}, {"b", "c"}, "belong there: 1; that do not: 1; that are missing: 1"),
        ({"a", "b"}, ["a", "b"], "a set"),
        (["le", "chat", "noir"], ["le", "noir", "chat"], "order"),
        (["le", "chat", "noir"], ["le", "chien", "noir"], "2 of 3"),
        (["le", "chat", "noir"], ["le", "chat"], "too short"),
        (["le", "chat", "noir"], "le chat noir", "a list"),
    ],
)
def test_a_wrong_answer_is_told_what_is_off_but_not_what_is_right(expected, answer, clue):
    message = diagnose(answer, expected)
    assert any(part in message for part in clue.split("|")), message
    assert "8.4" not in message.partition("Received")[0]


def test_the_verdict_is_printed(chapter, capsys):
    check("08.1", 8.4)
    check("08.1", -8.4)
    check("08.2", ...)
    assert capsys.readouterr().out.splitlines() == [
        "08.1 is right.",
        "08.1 not yet: the sign is off.",
        "08.2 skipped: put your answer in place of the dots.",
    ]


def test_in_the_solutions_anything_but_right_is_an_error(chapter):
    check("08.2", "dot", strict=True)
    with pytest.raises(ValueError, match=r"08\.1 not yet: the sign is off\. Received: answer=-8\.4"):
        check("08.1", -8.4, strict=True)
    with pytest.raises(ValueError, match="skipped"):
        check("08.1", ..., strict=True)


@pytest.mark.parametrize("exercise", ["99.1", "first", "", "08.", "08.x", 8.1, 8, None])
def test_an_unknown_exercise_lists_the_known_ones(chapter, exercise):
    with pytest.raises(ValueError, match=rf'exercise={exercise!r}\. Those that there are: "08\.1", "08\.2"'):
        check(exercise, 1)


@pytest.mark.parametrize("answer", [3, ...])
def test_an_exercise_beside_those_that_are_checked_is_sent_to_the_solutions(chapter, answer, capsys):
    check("08.3", answer)
    assert capsys.readouterr().out == "08.3 is not checked: see the solutions. Those of its chapter that are: 08.1, 08.2.\n"
    with pytest.raises(ValueError, match=r"exercise='08\.3'"):
        check("08.3", answer, strict=True)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.rglob("*.ipynb")), ids=lambda path: "/".join(path.parts[-2:]))
def test_every_check_in_the_notebooks_has_an_answer(path):
    asked = re.findall(r'krc\.check\(\\"(.*?)\\"', path.read_text(encoding="utf-8"))
    assert set(asked) <= set(answers.known())


def test_every_answer_of_the_course_can_be_computed_and_is_right_for_itself():
    for exercise in answers.known():
        check(exercise, answers.expected(exercise), strict=True)
