"""Checks the answer of an exercise: says what is off and leaves the finding to the reader."""

import re

import numpy as np

from keras_richctx.course import answers
from keras_richctx.course.diagnose_array import as_array, diagnose_array


def check(exercise, answer, strict=False):
    """Checks an answer and prints what is off with it, without giving the right one away.

    Three digits of a number are enough, where the answer is not an integer. Of numbers, arrays and tensors it is said what they share with the answer:
    all but a factor, the sign, the normalisation or the order of the axes; of sets and sequences, how many of their members are right.

    Args:
        exercise: string, the chapter and the number of the exercise, such as `"08.2"`.
        answer: the reader's answer. `...`, as the cell comes, is skipped.
        strict: boolean, whether anything but a right answer is an error, as it is in the solutions.

    Raises:
        ValueError: if there is no such chapter; with `strict`, also if the exercise is not among those that are checked, or the answer is not right.

    Example:
        >>> krc.check("05.1", 4)  # the weight of each of four source words whose scores are equal
        05.1 not yet: it is upside down: take the reciprocal.
        >>> krc.check("05.1", ...)
        05.1 skipped: put your answer in place of the dots.
    """
    checked = answers.of_chapter(exercise)
    if checked and exercise not in checked and re.fullmatch(r"\d+\.\d+", exercise) and not strict:
        print(f"{exercise} is not checked: see the solutions. Those of its chapter that are: {', '.join(checked)}.")
        return
    expected = answers.expected(exercise)
    if answer is ...:
        off, message = True, "skipped: put your answer in place of the dots."
    else:
        off = diagnose(answer, expected)
        message = f"not yet: {off}" if off else "is right."
    if strict and off:
        raise ValueError(f"{exercise} {message} Received: answer={answer!r}")
    print(exercise, message)


def diagnose(answer, expected):
    """Says in a sentence what is off with `answer` beside `expected`, or returns `None` where nothing is."""
    if isinstance(expected, list | tuple) and as_array(expected) is not None:
        return diagnose_array(answer, expected)
    for kind, name, diagnose_kind in _KINDS:
        if isinstance(expected, kind):
            right_kind = isinstance(answer, kind)
            return diagnose_kind(answer, expected) if right_kind else f"the answer is {name}, and this is of type {type(answer).__name__}."
    return diagnose_array(answer, expected)


def _diagnose_truth(answer, expected):
    return None if answer == expected else "this is not it."


def _diagnose_word(answer, expected):
    if answer == expected:
        return None
    same = answer.strip().casefold() == expected.strip().casefold()
    return "only spaces or capitals are off." if same else "this is not it."


def _diagnose_set(answer, expected):
    if answer == expected:
        return None
    return f"members that belong there: {len(answer & expected)}; that do not: {len(answer - expected)}; that are missing: {len(expected - answer)}."


def _diagnose_sequence(answer, expected):
    if len(answer) != len(expected):
        return f"it is too {'long' if len(answer) > len(expected) else 'short'}. Received: {len(answer)} entries."
    right = sum(diagnose(mine, theirs) is None for mine, theirs in zip(answer, expected))
    if right == len(expected):
        return None
    if sorted(map(repr, answer)) == sorted(map(repr, expected)):
        return "the entries are right, their order is not."
    return f"{right} of {len(expected)} entries are right."


_KINDS = [
    (bool | np.bool_, "True or False", _diagnose_truth),
    (str, "a word", _diagnose_word),
    (set | frozenset, "a set", _diagnose_set),
    (list | tuple, "a list", _diagnose_sequence),
]
