"""Answers to questions, as pieces of the text they were asked about."""

import dataclasses

import numpy as np

from keras_richctx.bert.best_spans import best_spans
from keras_richctx.bert.run import run_rows, tokenizer_of
from keras_richctx.text import pack_windows


@dataclasses.dataclass(frozen=True)
class Answer:
    """An answer.

    Args:
        text: string, as it stands in the context; empty for no answer.
        start: integer, where it begins in the context.
        end: integer, the character behind its last.
        score: float, the sum of its two logits.
    """

    text: str
    start: int
    end: int
    score: float


def answer(model, questions, contexts, n_best=20, max_answer_length=30, stride=128, length=384, max_question=64, batch_size=32):
    """Answers questions about texts, however long: a long one is read in windows that overlap.

    A span is looked for in each window, in which its first token must have its maximal context, and the best of all windows are the answers. The score of no
    answer is the lowest of all windows, as in SQuAD's own script: each of them has to find none.

    Args:
        model: a `SpanAnswerer` with a tokenizer.
        questions: list of strings.
        contexts: list of strings, one for each question.
        n_best: integer, how many answers to find for each. Defaults to `20`.
        max_answer_length: integer, the most tokens of an answer. Defaults to `30`.
        stride: integer, by how many tokens windows are apart. Defaults to `128`.
        length: integer, the tokens of a window with its question; the model's `max_length` if that is less. Defaults to `384`.
        max_question: integer, to how many tokens a question is cut, half a window at most. Defaults to `64`.
        batch_size: integer. Defaults to `32`.

    Returns:
        A list for each question of pairs: its best `Answer`s, falling by score, at most `n_best` and none twice; and the score of no answer, a float.

    Raises:
        ValueError: if there is no tokenizer, or there are not as many contexts as questions.

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), sections 4.2 and 4.3.
    """
    tokenizer = tokenizer_of(model.bert)
    length = min(length, model.bert.max_length)
    windowing = {"length": length, "stride": stride, "max_question": min(max_question, length // 2)}
    inputs, windows = pack_windows(tokenizer, list(questions), list(contexts), **windowing)
    spans = window_spans(model, inputs, windows, n_best, max_answer_length, batch_size)
    return join_windows(windows, spans, contexts, n_best)


def answerable(windows):
    """Says where in each window an answer may begin or end: in the context, and at the first position, which stands for none.

    Args:
        windows: dict, the second of what `pack_windows` returns.

    Returns:
        A boolean array `(N, T)`.
    """
    in_context = windows["spans"][..., 0] >= 0  # (N, T)
    return in_context | (np.arange(in_context.shape[1]) == 0)


def window_spans(model, inputs, windows, n_best=20, max_answer_length=30, batch_size=32):
    """Finds the best spans of each window, windows of like length together.

    Args:
        model: a `SpanAnswerer`.
        inputs: dict of arrays `(N, T)`, the first of what `pack_windows` returns.
        windows: dict, the second of it.
        n_best, max_answer_length, batch_size: as in `answer`.

    Returns:
        A list of N dicts, a row each of what `best_spans` returns.
    """
    allowed, begins = answerable(windows), windows["max_context"] | (np.arange(windows["max_context"].shape[1]) == 0)  # (N, T)

    def read(logits, rows):
        logits = np.array(logits)  # (B, 2, T)
        logits[:, 0] = np.where(begins[rows, : logits.shape[2]], logits[:, 0], -np.inf)
        spans = best_spans(logits, n_best=n_best, max_answer_length=max_answer_length)
        return [{name: array[i] for name, array in spans.items()} for i in range(len(rows))]

    return run_rows(model, {**inputs, "context_mask": allowed}, read, batch_size)


def join_windows(windows, spans, contexts, n_best=20):
    """Joins what was found in the windows of a text.

    Args:
        windows: dict, as `pack_windows` returns it.
        spans: list, what `window_spans` returns.
        contexts: list of strings, the text of each question.
        n_best: integer, how many answers to keep. Defaults to `20`.

    Returns:
        What `answer` returns.
    """
    answers = [({}, []) for _ in contexts]  # of each question: its answers by where they stand, and the scores of no answer
    for row, (example, found) in enumerate(zip(windows["example"], spans)):
        best, null_scores = answers[example]
        null_scores.append(float(found["null_scores"]))
        for i, j, score in zip(found["starts"], found["ends"], found["scores"]):
            if np.isfinite(score):
                place = (int(windows["spans"][row, i, 0]), int(windows["spans"][row, j, 1]))
                best[place] = max(float(score), best.get(place, -np.inf))
    results = []
    for context, (best, null_scores) in zip(contexts, answers):
        falling = sorted(best.items(), key=lambda item: -item[1])[:n_best]
        results.append(([Answer(context[start:end], start, end, score) for (start, end), score in falling], min(null_scores)))
    return results
