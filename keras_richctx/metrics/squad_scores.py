"""Exact match and F1 of answers, as SQuAD's official scripts compute them."""

import collections
import re
import string
import warnings

ARTICLES = re.compile(r"\b(a|an|the)\b")
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text):
    """Brings an answer to the form in which answers are compared: lower case, without ASCII punctuation, without articles, with single spaces.

    Args:
        text: string.

    Returns:
        A string.

    Example:
        >>> normalize_answer("The  Beyoncé-tour, an event")
        'beyoncétour event'
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(NO_PUNCTUATION)).split())


def squad_scores(predictions, answers, version=None, no_answer_probabilities=None, threshold=1.0):
    r"""Scores answers against those of several people: of each question the best.

    An exact match is one after `normalize_answer`; F1 is that of the words which the two have in common,

    $$P = \frac{|A \cap G|}{|A|}, \qquad R = \frac{|A \cap G|}{|G|}, \qquad F_1 = \frac{2 P R}{P + R}$$

    In version 2.0 a question may have no answer: then the empty string is right, and nothing else is. A question without a prediction counts as wrong, with a
    warning; the official script of 2.0 leaves it out of the mean.

    Args:
        predictions: dict from the id of a question to a string, empty for "there is no answer".
        answers: dict from the id of a question to the list of its right answers, empty where there is none, as `Questions.answers`.
        version: string, `"1.1"` or `"2.0"`, or `None` for 2.0 if some question has no answer, else 1.1. They differ too in an answer that is nothing but an
            article: 1.1 gives its exact match an F1 of 0. Defaults to `None`.
        no_answer_probabilities: dict from the id of a question to a float, how sure it is that there is no answer, or `None`. Defaults to `None`.
        threshold: float, the probability above which an answer is taken for none. Defaults to `1.0`.

    Returns:
        A dict of `"exact_match"` and `"f1"`, percentages, and `"total"`, the number of questions. With version 2.0 also `"has_answer"` and `"no_answer"`, dicts
        of the same three over the questions that have one and that have none, where there are any; and, with probabilities, `"best_exact_match"` and
        `"best_f1"`, what the best thresholds would give, with these, `"best_exact_match_threshold"` and `"best_f1_threshold"`.

    Raises:
        ValueError: if there are no questions, the version is unknown, predictions are of no question, a question of version 1.1 has no answer, or a
            probability is missing.

    Example:
        >>> squad_scores({"q1": "the Normans", "q2": "in 1066"}, {"q1": ["Normans", "the Norman people"], "q2": ["1066"]})
        {'exact_match': 50.0, 'f1': 83.33333333333333, 'total': 2}

    References:
        [Rajpurkar et al., 2016](https://arxiv.org/abs/1606.05250), section 6.1; [Rajpurkar et al., 2018](https://arxiv.org/abs/1806.03822).
    """
    version = version or ("2.0" if any(not texts for texts in answers.values()) else "1.1")
    _check(predictions, answers, version, no_answer_probabilities)
    given = {question: predictions.get(question) for question in answers}
    missing = [question for question, text in given.items() if text is None]
    if missing:
        warnings.warn(f"{len(missing):,} of {len(given):,} questions have no prediction and count as wrong, the first of them {missing[0]!r}.", stacklevel=2)
    raw = {question: _score(text, answers[question], version) for question, text in given.items()}
    scores = dict(raw)
    for question, probability in (no_answer_probabilities or {}).items():
        if question in scores and probability > threshold:
            scores[question] = (float(not answers[question]),) * 2
    result = _means(scores.values())
    if version == "2.0":
        for name, wanted in (("has_answer", True), ("no_answer", False)):
            some = [score for question, score in scores.items() if bool(answers[question]) == wanted]
            result |= {name: _means(some)} if some else {}
        if no_answer_probabilities is not None:
            for place, name in enumerate(("exact_match", "f1")):
                best, where = _best_threshold(given, answers, {question: score[place] for question, score in raw.items()}, no_answer_probabilities)
                result |= {f"best_{name}": best, f"best_{name}_threshold": where}
    return result


def _score(text, right, version):
    """Returns the exact match and the F1 of one answer, floats from 0 to 1."""
    if text is None:
        return 0.0, 0.0
    if version == "2.0":
        right = [answer for answer in right if normalize_answer(answer)] or [""]
    words = normalize_answer(text).split()
    exact, f1 = 0.0, 0.0
    for answer in right:
        wanted = normalize_answer(answer).split()
        exact = max(exact, float(words == wanted))
        common = sum((collections.Counter(words) & collections.Counter(wanted)).values())
        if version == "2.0" and not (words and wanted):
            f1 = max(f1, float(words == wanted))
        elif common:
            precision, recall = common / len(words), common / len(wanted)
            f1 = max(f1, 2 * precision * recall / (precision + recall))
    return exact, f1


def _means(scores):
    exact, f1 = zip(*scores)
    return {"exact_match": 100 * sum(exact) / len(exact), "f1": 100 * sum(f1) / len(f1), "total": len(exact)}


def _best_threshold(given, answers, scores, probabilities):
    """Lets the threshold rise over all questions; returns the highest mean, a percentage, and the threshold that gives it first."""
    current = best = float(sum(not right for right in answers.values()))  # at zero, all are said to have none
    where = 0.0
    for question in sorted(answers, key=probabilities.get):
        current += scores[question] if answers[question] else -float(bool(given[question]))
        if current > best:
            best, where = current, probabilities[question]
    return 100 * best / len(answers), where


def _check(predictions, answers, version, probabilities):
    if not answers:
        raise ValueError("There is at least one question. Received: answers without any")
    if version not in ("1.1", "2.0"):
        raise ValueError(f'The versions of SQuAD are "1.1" and "2.0". Received: version={version!r}')
    unknown = [question for question in predictions if question not in answers]
    if unknown:
        raise ValueError(f"Predictions are of questions that there are. Received: {len(unknown):,} predictions of others, the first of them {unknown[0]!r}")
    without = [question for question, right in answers.items() if not right]
    if version == "1.1" and without:
        raise ValueError(f"In version 1.1 each question has an answer. Received: none for {without[0]!r}. Pass version='2.0'.")
    if probabilities is not None and (lost := [question for question in answers if question not in probabilities]):
        raise ValueError(f"Each question has a no-answer probability. Received: none for {len(lost):,}, the first of them {lost[0]!r}")
