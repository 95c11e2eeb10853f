"""The tasks of GLUE: the class of a text or of a pair, or how alike two texts are."""

import pathlib

import numpy as np

from keras_richctx.bert import Bert, TextClassifier
from keras_richctx.bert.run import padding_step, run_rows
from keras_richctx.datasets import load, row_batches
from keras_richctx.datasets.glue import TASKS
from keras_richctx.finetuning.abstract_task import Task, new_heads
from keras_richctx.finetuning.feature_classifier import FeatureClassifier
from keras_richctx.metrics import glue_scores
from keras_richctx.text import pack_pairs

MNLI = ("mnli-m", "mnli-mm")
FILES = {**{name: task.folder for name, task in TASKS.items()}, "mnli-m": "MNLI-m", "mnli-mm": "MNLI-mm"}  # what the server of GLUE calls them
NUMBERS = (0.0, 5.0)  # of STS-B


class GlueTask(Task):
    """A task of GLUE. `"mnli"` is trained once, and measured on both of its sets, the matched and the mismatched.

    Rows are cut to `max_length` tokens, the longer text of a pair first. With frozen features there is a `FeatureClassifier`, else a `TextClassifier`.

    Args:
        name: string, `"mnli"`, or one of those that `krc.datasets.load` knows.
        recipe: as in `Task`.
    """

    @property
    def sets(self):
        return MNLI if self.name == "mnli" else (self.name,)

    @property
    def measure(self):
        return {"cola": "matthews", "sts-b": "spearman", "mrpc": "f1", "qqp": "f1"}.get(self.name, "accuracy")

    def read(self, name, split, data_dir=None):
        # some lines of QQP's training file are cut in two
        return load(name, split, data_dir, on_bad="skip" if name == "qqp" and split == "train" else "error")

    def make_model(self, weights, examples, features, max_length, **options):
        labels = None if examples.names is None else list(examples.names)
        num_classes = 1 if labels is None else len(labels)
        if features.frozen:
            bert = Bert.from_preset(weights, **{"pooler": False, **options, **features.options()})
            return FeatureClassifier(bert, num_classes, labels, features.layers, features.head, features.units)
        if (features.layers, features.head) != ("last", "linear"):
            given = f"layers={features.layers!r}, head={features.head!r}"
            raise ValueError(f"A fine-tuned classifier reads the pooled output. Received: {given}. Leave both out, or freeze the encoder.")
        with new_heads():
            bert = Bert.from_preset(weights, **options)
            if bert.model_type == "bert" and bert.pooler is None:
                bert = Bert.from_preset(weights, **{**options, "pooler": True})
        return TextClassifier(bert, num_classes, labels)

    def rows(self, model, examples, max_length):
        """Packs examples into rows: what `pack_pairs` returns."""
        limit = min(max_length, model.bert.max_length)
        return pack_pairs(model.bert.tokenizer, list(examples.first), None if examples.second is None else list(examples.second), max_length=limit)

    def targets(self, examples):
        """Returns the labels as a model takes them: int32 `(N,)`, or float32 `(N, 1)` for regression."""
        labels = np.array(examples.labels)
        return labels.astype("int32") if examples.names else labels.astype("float32")[:, None]

    def batches(self, model, examples, max_length, batch_size, seed):
        return row_batches(self.rows(model, examples, max_length), self.targets(examples), batch_size, seed=seed, pad_to_multiple=padding_step())

    def predict(self, model, examples, max_length):
        logits = np.stack(run_rows(model, self.rows(model, examples, max_length), lambda logits, rows: np.asarray(logits, "float32"), batch_size=32))
        return self.decide(logits)

    def decide(self, logits):
        """Turns logits `(N, C)` into classes, int64 `(N,)`, or into numbers between 0 and 5."""
        return np.clip(logits[:, 0], *NUMBERS) if self.name == "sts-b" else logits.argmax(axis=-1)

    def scores(self, predictions, examples):
        return glue_scores(self.sets[0], predictions, np.array(examples.labels))

    def write(self, predictions, examples, name, directory):
        classes = TASKS[name].classes
        spelled = {number: text for text, number in (classes or {}).items()}
        rows = [f"{i}\t{spelled[int(value)] if classes else f'{value:.3f}'}" for i, value in enumerate(predictions)]
        pathlib.Path(directory, f"{FILES[name]}.tsv").write_text("\n".join(["index\tprediction", *rows]) + "\n", encoding="utf-8")
