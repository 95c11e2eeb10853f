"""Models of odd sizes with the weights and answers that tests/golden/make_bert.py made."""

import json
import pathlib

import keras
import numpy as np
import pytest

from keras_richctx.bert import BertTask
from keras_richctx.bert.names import dense_places
from keras_richctx.models import BertForPretraining, SpanAnswerer, TextClassifier
from keras_richctx.text import WordPieceTokenizer

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "bert"
KINDS = ("bert", "roberta", "distilbert")


@keras.saving.register_keras_serializable("tests")
class TokenHead(BertTask):
    """A class for each token: what a head outside of the package needs."""

    architecture = "ForTokenClassification"
    own_patterns = "classifier"

    def __init__(self, bert, **kwargs):
        super().__init__(bert, **kwargs)
        self.classifier = self.make_dense(3, "classifier")
        self.built = True

    def call(self, inputs, training=False):
        return self.classifier(self.bert(inputs, training=training)["sequence_output"])

    def head_groups(self):
        return [list(dense_places("token_classifier", self.classifier))]

    def head_words(self):
        return {"id2label": {str(i): f"LABEL_{i}" for i in range(3)}}


CLASSES = {"lm": BertForPretraining, "classifier": TextClassifier, "span": SpanAnswerer, "tokens": TokenHead}


@pytest.fixture(scope="session")
def golden():
    return GOLDEN


@pytest.fixture(scope="session")
def answers():
    with np.load(GOLDEN / "answers.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="session")
def load():
    """Loads a model of a kind with a head, each once: tests do not change their weights."""
    models = {}

    def load(kind, head):
        if (kind, head) not in models:
            models[kind, head] = CLASSES[head].from_preset(GOLDEN / f"{kind}_{head}", tokenizer=None)
        return models[kind, head]

    return load


@pytest.fixture(scope="session")
def inputs_of(answers):
    """The batch of a kind."""

    def inputs_of(kind):
        inputs = {"token_ids": answers[f"{kind}/token_ids"], "padding_mask": answers["padding_mask"]}
        return {**inputs, "segment_ids": answers["segment_ids"]} if kind == "bert" else inputs

    return inputs_of


@pytest.fixture(scope="session")
def tokenizer():
    return WordPieceTokenizer.train(["the cat sat on the mat", "a dog saw the cat", "who sat on the mat"] * 2, vocab_size=60)


@pytest.fixture
def change_config():
    def change_config(folder, **words):
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, **words}))

    return change_config
