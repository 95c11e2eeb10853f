"""SQuAD: answers that are spans of a text."""

import json
import pathlib

import numpy as np

from keras_richctx.bert import SpanAnswerer
from keras_richctx.bert.answer import answerable
from keras_richctx.bert.run import padding_step
from keras_richctx.datasets import load, row_batches
from keras_richctx.finetuning.abstract_task import Task, new_heads
from keras_richctx.metrics import squad_scores
from keras_richctx.text import pack_windows

QUESTION, STRIDE = 64, 128  # tokens to which a question is cut, and by which windows are apart


class SquadTask(Task):
    """SQuAD 1.1, or 2.0, in which a question may have no answer.

    Texts are read in windows of `max_length` tokens, 128 apart. A window that does not hold the whole of its answer is trained to point at its first position,
    as in the authors' code. In 2.0, an answer is given where its score and that of no answer differ by less than a threshold, which is the one with the best F1
    on the set itself, as published: on the set that it was chosen on, a little too favourable.

    Args:
        name: string, `"squad-1.1"` or `"squad-2.0"`.
        recipe: as in `Task`.
    """

    measure = "f1"
    has_test = False  # it is not public

    @property
    def version(self):
        """The version, a string."""
        return self.name.removeprefix("squad-")

    def read(self, name, split, data_dir=None):
        return load(name, split, data_dir)

    def make_model(self, weights, examples, features, max_length, **options):
        if (features.layers, features.head) != ("last", "linear"):
            raise ValueError(f"Spans are found in the last layer. Received: layers={features.layers!r}, head={features.head!r}. Leave both out.")
        with new_heads():
            model = SpanAnswerer.from_preset(weights, **options, **features.options())
        model.bert.trainable = not features.frozen
        return model

    def rows(self, model, examples, max_length):
        """Packs questions into windows: what `pack_windows` returns."""
        length = min(max_length, model.bert.max_length)
        questions, contexts = [each.question for each in examples], [each.context for each in examples]
        return pack_windows(model.bert.tokenizer, questions, contexts, length=length, stride=STRIDE, max_question=min(QUESTION, length // 2))

    def batches(self, model, examples, max_length, batch_size, seed):
        inputs, windows = self.rows(model, examples, max_length)
        inputs = {**inputs, "context_mask": answerable(windows)}
        return row_batches(inputs, span_targets(windows, examples), batch_size, seed=seed, pad_to_multiple=padding_step())

    def predict(self, model, examples, max_length):
        questions, contexts = [each.question for each in examples], [each.context for each in examples]
        return self.decide(model.answer(questions, contexts, n_best=1, stride=STRIDE, length=max_length), examples)

    def decide(self, answers, examples):
        """Turns what `SpanAnswerer.answer` gives into a dict of `answers`, from ids to texts, and in 2.0 of `null_odds`, from ids to numbers."""
        texts, odds = {}, {}
        for each, (best, null_score) in zip(examples, answers):
            texts[each.id] = best[0].text if best else ""
            odds[each.id] = null_score - best[0].score if best else np.inf
        if self.version == "1.1":
            return {"answers": texts}
        threshold = squad_scores(texts, examples.answers, "2.0", odds, threshold=np.inf)["best_f1_threshold"]
        given = {i: "" if odds[i] > threshold else text for i, text in texts.items()}
        return {"answers": given, "null_odds": odds, "threshold": threshold}

    def scores(self, predictions, examples):
        scores = squad_scores(predictions["answers"], examples.answers, self.version)
        given = {"threshold": float(predictions["threshold"])} if "threshold" in predictions else {}
        return {"f1": scores["f1"] / 100, "exact_match": scores["exact_match"] / 100, **given}

    def write(self, predictions, examples, name, directory):
        for file, key in (("predictions.json", "answers"), ("null_odds.json", "null_odds")):
            if key in predictions:
                pathlib.Path(directory, file).write_text(json.dumps(predictions[key], ensure_ascii=False, indent=1), encoding="utf-8")


def span_targets(windows, examples):
    """Finds the first and the last token of the answer in each window.

    Args:
        windows: dict, the second of what `pack_windows` returns.
        examples: `Questions`, of which the first answer counts.

    Returns:
        An int32 array `(N, 2)`; zeros where there is no answer, or the window does not hold the whole of it.
    """
    spans, questions = windows["spans"], [examples[i] for i in windows["example"]]
    start = np.array([each.starts[0] if each.answers else -1 for each in questions])[:, None]  # (N, 1)
    end = start + np.array([len(each.answers[0]) if each.answers else 0 for each in questions])[:, None]
    real = spans[..., 0] >= 0  # (N, T)
    touched = real & (spans[..., 0] < end) & (spans[..., 1] > start)
    first, last = touched.argmax(axis=1), touched.shape[1] - 1 - touched[:, ::-1].argmax(axis=1)
    # A window that begins or ends within the answer does not hold it: the token before, or behind, would be part of it too.
    begun = np.take_along_axis(spans[..., 0], first[:, None], axis=1) <= start
    over = np.take_along_axis(spans[..., 1], last[:, None], axis=1) >= end
    whole = touched.any(axis=1) & begun[:, 0] & over[:, 0]
    return np.where(whole[:, None], np.stack([first, last], axis=1), 0).astype("int32")
