"""Named entities: a tag for each word."""

import pathlib

from keras_richctx.bert import Bert
from keras_richctx.datasets import TaggedSentences, load
from keras_richctx.finetuning.abstract_task import Task
from keras_richctx.metrics import entity_f1
from keras_richctx.tagging import BertWords, TokenTagger, convert_tags


class TaggingTask(Task):
    """A corpus of named entities, in BIO, into which the IOB1 of CoNLL-2003 is brought: the entities, and so the scores, are the same.

    Sentences are read whole, each by itself; `max_length` does not cut them. With a CRF the tags are bound to BIO.

    Args:
        name: string, `"conll2003"` or `"wnut17"`.
        recipe: as in `Task`.
    """

    measure = "f1"

    def read(self, name, split, data_dir=None):
        sentences = load(name, split, data_dir)
        return TaggedSentences(sentences.words, [convert_tags(tags, "BIO") for tags in sentences.tags])

    def make_model(self, weights, examples, features, max_length, **options):
        bert = Bert.from_preset(weights, **{"pooler": False, **options, **features.options()})
        words = BertWords(bert, features.layers, fine_tune=not features.frozen, name="bert_words")
        scheme = {"scheme": "BIO"} if "crf" in features.head else {}
        return TokenTagger(words, examples.names, head=features.head, units=features.units, dtype=bert.dtype_policy, **scheme)

    def batches(self, model, examples, max_length, batch_size, seed):
        return model.batches(examples, batch_size, seed=seed)

    def predict(self, model, examples, max_length):
        return model.predict_tags(examples.words)

    def scores(self, predictions, examples):
        scores = entity_f1(predictions, examples.tags)
        return {name: scores[name] for name in ("f1", "precision", "recall")}

    def write(self, predictions, examples, name, directory):
        lines = []
        for words, tags, predicted in zip(examples.words, examples.tags, predictions):
            lines += [" ".join(columns) for columns in zip(words, tags, predicted)] + [""]
        pathlib.Path(directory, f"{name}.conll").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def layer_groups(self, model):
        encoder = model.encoder.bert
        known = {id(variable) for variable in encoder.variables}
        return [*encoder.layer_groups(), [variable for variable in model.trainable_variables if id(variable) not in known]]
