"""What a CRF is worth: the same tagger with its tags chosen one by one and together, on names (WNUT-17) and on parts of speech (UD English).

    python benchmarks/bench_tagging.py                         # five seeds, all sentences
    python benchmarks/bench_tagging.py --seeds 2 --sentences 1500 --epochs 5
    python benchmarks/bench_tagging.py --vectors glove.6B.50d.txt   # with rows that begin from these

The data are read from the directory that KERAS_RICHCTX_DATA names. A compiled model serves all seeds of its row: weights and optimizer begin anew.
"""

import argparse
import time
from pathlib import Path

import keras
import numpy as np
from harness import report

import keras_richctx as krc
from keras_richctx.layers import WordFeatures
from keras_richctx.models import TokenTagger

TASKS = {  # UD's training split is not among the data at hand: the development split trains
    "WNUT-17, F1 of entities": {"name": "wnut17", "train": "train", "scheme": "BIO"},
    "UD English, accuracy": {"name": "ud-english-pos", "train": "validation", "scheme": None},
}
HEADS = {"BiLSTM": "bilstm", "BiLSTM, CRF": "bilstm-crf"}


def score(task, predicted, gold):
    """The figure of a task, in hundredths."""
    if task["scheme"]:
        return 100 * krc.metrics.entity_f1(predicted, gold)["f1"]
    pairs = [pair for rows in zip(predicted, gold) for pair in zip(*rows)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)


def build(train, task, head, seed, vectors, settings):
    """Makes a tagger whose first weights hang on the seed alone."""
    keras.utils.set_random_seed(seed)
    words = WordFeatures.from_sentences(train.words, vectors=vectors, embedding_dim=settings.embedding_dim, seed=seed)
    scheme = task["scheme"] if "crf" in head else None
    return TokenTagger(words, task["tags"], head=head, units=settings.units, dropout=0.5, scheme=scheme)


def restart(tagger, fresh):
    """Gives a compiled tagger the weights of a new one, and its optimizer the state of one."""
    tagger.set_weights(fresh.get_weights())
    for variable in tagger.optimizer.variables:
        if "learning_rate" not in variable.path:
            variable.assign(keras.ops.zeros_like(variable))


def run(task, head, train, test, vectors, settings):
    """Trains and tests one row of the table; returns the figures, one a seed."""
    figures, tagger = [], None
    for seed in range(settings.seeds):
        start, fresh = time.perf_counter(), build(train, task, head, seed, vectors, settings)
        if tagger is None:
            tagger = fresh
            tagger.compile(keras.optimizers.Adam(settings.learning_rate, global_clipnorm=5.0))
        else:
            restart(tagger, fresh)
        krc.training.fit(tagger, tagger.batches(train, seed=seed), epochs=settings.epochs, progress=False)
        figures.append(score(task, tagger.predict_tags(test.words), test.tags))
        print(f"{task['name']}, {head}, seed {seed}: {figures[-1]:.2f} in {time.perf_counter() - start:.0f} s", flush=True)
    return figures


def read_vectors(path, wanted):
    """Reads a text file of a word and its numbers a line, of the words in `wanted` alone: words, and an array of shape `(N, D)`."""
    words, rows = [], []
    with Path(path).open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            word, _, numbers = line.rstrip().partition(" ")
            if word in wanted:
                words.append(word)
                rows.append(np.array(numbers.split(" "), "float32"))
    return words, np.stack(rows)


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--embedding-dim", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--vectors", default=None)
    settings = parser.parse_args(arguments)
    rows = []
    for title, task in TASKS.items():
        train, test = (krc.datasets.load(task["name"], split) for split in (task["train"], "test"))
        task = {**task, "tags": train.names}
        occurring = {word.lower() for words in [*train.words, *test.words] for word in words}
        given = read_vectors(settings.vectors, occurring) if settings.vectors else None
        train = train[: settings.sentences]
        for name, head in HEADS.items():
            for vectors in [None] if given is None else [None, given]:
                figures = run(task, head, train, test, vectors, settings)
                what = f"{name}{', GloVe' if vectors else ''}"
                rows.append({"task": title, "tagger": what, "mean": f"{np.mean(figures):.2f}", "deviation": f"{np.std(figures, ddof=1):.2f}"})
    note = (
        f"Words and characters, {settings.units} units, {settings.epochs} epochs of {settings.sentences or 'all'} sentences, Adam at {settings.learning_rate}, "
        f"{settings.seeds} seeds; test splits whole, the weights of the last epoch. UD's development split trains."
    )
    report("tagging", "Tags chosen one by one and together", rows, note)


if __name__ == "__main__":
    main()
