"""A tiny encoder, as a directory of Hugging Face's layout, and official files of a few lines."""

import json

import keras
import pytest
import tensorflow as tf

from keras_richctx.models import Bert
from keras_richctx.text import WordPieceTokenizer

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "saw", "who", "good", "bad", "it", "rains", "in", "Paris", "Ada", "codes"]


@pytest.fixture(autouse=True)
def _eagerly():
    """Without graphs, which take longer to trace than these runs take."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """A directory with a Bert of one layer, twelve numbers wide."""
    path = tmp_path_factory.mktemp("weights")
    keras.utils.set_random_seed(1)
    tokenizer = WordPieceTokenizer.train([" ".join(WORDS)] * 2, vocab_size=80)
    Bert(tokenizer, num_layers=1, width=12, num_heads=2, max_length=64, dropout=0.0, attention_dropout=0.0).save_to_preset(path)
    return path


@pytest.fixture(scope="session")
def official(tmp_path_factory):
    """A data directory with CoLA, MNLI, STS-B, SQuAD 1.1 and 2.0, and CoNLL-2003, each of a few lines."""
    path = tmp_path_factory.mktemp("data")
    texts = ["the good cat sat", "the bad dog", "a good mat", "who saw the bad dog", "it rains in Paris", "bad bad cat on a mat"]
    cola = "".join(f"x\t{int('bad' not in text)}\t\t{text}\n" for text in texts)
    write(path / "glue/CoLA/train.tsv", cola)
    write(path / "glue/CoLA/dev.tsv", cola)
    write(path / "glue/CoLA/test.tsv", "index\tsentence\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(texts[:3])))
    kinds = ("entailment", "neutral", "contradiction")
    mnli = "index\tsentence1\tsentence2\tgold_label\n" + "".join(f"{i}\t{a}\tthe cat\t{kinds[i % 3]}\n" for i, a in enumerate(texts))
    for file in ("train", "dev_matched", "dev_mismatched", "test_matched"):
        write(path / f"glue/MNLI/{file}.tsv", mnli)
    stsb = "index\tsentence1\tsentence2\tscore\n" + "".join(f"{i}\t{a}\tthe cat\t{i % 6}.000\n" for i, a in enumerate(texts))
    for file in ("train", "dev"):
        write(path / f"glue/STS-B/{file}.tsv", stsb)
    for version in ("1.1", "2.0"):
        write(path / f"squad/train-v{version}.json", json.dumps(squad(version)))
        write(path / f"squad/dev-v{version}.json", json.dumps(squad(version)))
    conll = "-DOCSTART- -X- O O\n\n" + "Ada NNP I-NP I-PER\ncodes VBZ I-VP O\n\nit PRP I-NP O\nrains VBZ I-VP O\nin IN I-PP O\nParis NNP I-NP I-LOC\n\n" * 2
    for file in ("eng.train", "eng.testa", "eng.testb"):
        write(path / f"conll2003/{file}", conll)
    return path


def squad(version):
    """A file of SQuAD, of two articles."""
    context = "the cat sat on a mat. the dog saw it in Paris."
    answered = [("who sat on a mat", "the cat", 0), ("who saw it", "the dog", 22), ("it rains in", "Paris", 40)]
    qas = [{"id": f"q{i}", "question": q, "answers": [{"text": a, "answer_start": start}]} for i, (q, a, start) in enumerate(answered)]
    if version == "2.0":
        qas.append({"id": "q9", "question": "who codes", "answers": [], "is_impossible": True})
    return {"version": version, "data": [{"title": "Cats", "paragraphs": [{"context": context, "qas": qas}]}]}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
