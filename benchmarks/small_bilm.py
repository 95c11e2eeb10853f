"""A small bidirectional language model of our own, for the row of ELMo in bench_tagging.py: trained once, and kept in build/tagging.

    python benchmarks/small_bilm.py          # trains it, where it is missing

It reads the validation and the test split of WikiText-2 and, without their tags, the sentences that the taggers are trained on; of the tasks' test splits,
nothing. Its perplexity is that of WNUT-17's development split, of which it reads nothing either.
"""

import argparse
import math
import time
from pathlib import Path

import keras
from kept_runs import kept_runs

import keras_richctx as krc
from keras_richctx.elmo import build_vocabulary
from keras_richctx.elmo.streams import UNKNOWN
from keras_richctx.models import BidirectionalLanguageModel, ELMo
from keras_richctx.tagging.word_in_text import sentence_spans

KEPT = Path(__file__).parents[1] / "build/tagging"
TEXTS = (("wnut17", "train"), ("ud-english-pos", "validation"))
SIZE = {"filters": [(1, 16), (2, 32), (3, 48), (4, 32)], "num_highways": 1, "units": 128, "projection_dim": 64, "max_characters": 16, "dropout": 0.1}
ROWS, UNROLL, SAMPLES = 64, 20, 512


def sentences_of(text):
    """Splits WikiText into sentences of words, without its headings, and its numbers and compounds as they were written."""
    for mark in "-.,":
        text = text.replace(f" @{mark}@ ", mark)
    lines = [line.replace("<unk>", UNKNOWN).split() for line in text.split("\n")]
    return [words[start:end] for words in lines if words and words[0] != "=" for start, end in sentence_spans(words)]


def read_texts(limit=None):
    """Reads all that the model is trained on: a list of sentences, of each text the first `limit`."""
    texts = [sentences_of(krc.datasets.load("wikitext2", split)) for split in ("validation", "test")]
    texts += [krc.datasets.load(name, split).words for name, split in TEXTS]
    return [words for text in texts for words in text[:limit]]


def train(settings, folder):
    """Trains a model, and writes it to a folder; returns its measures."""
    start, sentences = time.perf_counter(), read_texts(settings["sentences"])
    keras.utils.set_random_seed(0)
    model = BidirectionalLanguageModel(ELMo(**settings["size"]), build_vocabulary(sentences, min_count=3), num_samples=SAMPLES, seed=0)
    steps = settings["epochs"] * math.ceil(sum(len(words) + 2 for words in sentences) / (ROWS * UNROLL))
    rate = keras.optimizers.schedules.CosineDecay(settings["learning_rate"], steps)
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=10.0))
    model.fit_sentences(sentences, batch_size=ROWS, unroll=UNROLL, epochs=settings["epochs"], progress=False)
    minutes = (time.perf_counter() - start) / 60
    perplexities = model.perplexities(krc.datasets.load("wnut17", "validation").words[: settings["sentences"]])
    model.elmo.save_to_preset(folder)
    sizes = {"words": sum(map(len, sentences)), "vocabulary": len(model.vocabulary), "weights": model.elmo.count_params()}
    return {**sizes, "minutes": minutes, "perplexities": perplexities}


def small_bilm(settings, finished=False):
    """Trains a model, or finds the one that was kept.

    Args:
        settings: what `settings_of` gives.
        finished: boolean, whether only a kept one is looked for.

    Returns:
        A pair: its measures, and the path of its preset. Both are `None` where there is none.
    """
    chosen = ["--finished"] if finished else ()
    for _, measures, path in kept_runs(KEPT, {"biLM": settings}, lambda _, path: train(settings, path.with_suffix("")), chosen):
        return measures, path.with_suffix("")
    return None, None


def add_arguments(parser):
    """Adds the options of the model to those of a program."""
    parser.add_argument("--bilm-epochs", type=int, default=5)
    parser.add_argument("--bilm-sentences", type=int, default=None, help="of each text, or all")


def settings_of(options):
    """The settings that a model hangs on, of the options of a program."""
    return {"size": SIZE, "epochs": options.bilm_epochs, "sentences": options.bilm_sentences, "learning_rate": 0.004, "rows": ROWS, "samples": SAMPLES}


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    add_arguments(arguments)
    small_bilm(settings_of(arguments.parse_args()))
