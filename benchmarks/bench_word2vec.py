"""Word2Vec beside gensim's: the same corpus, settings and time on the same cores; and the analogies of published GloVe vectors.

Usage: bench_word2vec.py CORPUS [GLOVE]

CORPUS is a text file, a text a line, its words in lower case with spaces between them; GLOVE a file of vectors, such as glove.6B.50d.txt. PEERS is the
Python of an environment with gensim. The sides run one after the other, gensim first; the second has as many passes as fit into its time.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import keras
from harness import report

import keras_richctx as krc
from keras_richctx.embeddings import WindowBatches, WordVectors, analogy_accuracy, count_words, similarity_correlation

VOCABULARY, DIM, WINDOW, NEGATIVES, SAMPLE = 20_000, 100, 5, 5, 1e-3
EPOCHS = 6  # of gensim
FREQUENT = 30_000
LEARNING_RATE, BATCH_SIZE, TRIAL = 0.1, 2048, 400

GENSIM = """
import json, sys, time
from gensim.models import Word2Vec
path, settings, out, skip_gram, epochs = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
sentences = [line.split() for line in open(path, encoding="utf-8")]
model = Word2Vec(sg=skip_gram, epochs=epochs, workers=2, seed=1, min_count=1, **settings)
model.build_vocab(sentences)
start = time.perf_counter()
model.train(sentences, total_examples=model.corpus_count, epochs=epochs)
seconds = time.perf_counter() - start
model.wv.save_word2vec_format(out, binary=True)
print(json.dumps({"seconds": seconds, "words": epochs * model.corpus_total_words}))
"""


class Lines:
    """The sentences of a file, which can be gone through again."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                yield line.split()


def gensim(path, skip_gram):
    settings = {"vector_size": DIM, "window": WINDOW, "negative": NEGATIVES, "sample": SAMPLE, "max_final_vocab": VOCABULARY}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "gensim.bin")
        command = [os.environ["PEERS"], "-c", GENSIM, path, json.dumps(settings), str(out), str(int(skip_gram)), str(EPOCHS)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return found["seconds"], found["words"], WordVectors.load(out)


def ours(path, architecture, seconds):
    corpus = Lines(path)
    tokenizer = krc.text.WordTokenizer.train((" ".join(sentence) for sentence in corpus), VOCABULARY + 4)
    counts = count_words(corpus, tokenizer)
    total = sum(map(len, corpus))
    settings = {"learning_rate": LEARNING_RATE, "window": WINDOW, "sample": SAMPLE, "batch_size": BATCH_SIZE, "jit_compile": True, "progress": False}
    model = krc.models.Word2Vec(tokenizer, counts, DIM, architecture, num_negatives=NEGATIVES)
    pass_steps = WindowBatches(corpus, tokenizer, counts, model.outputs(), WINDOW, SAMPLE, BATCH_SIZE).steps
    fresh = model.get_weights()
    clock = Clock()
    whole = timed(lambda: model.fit_corpus(corpus, epochs=1, steps_per_epoch=TRIAL, callbacks=[clock], **settings))
    step = (clock.ends[-1] - clock.ends[TRIAL // 2]) / (TRIAL - 1 - TRIAL // 2)
    steps = int((seconds - whole) / step) + TRIAL  # a trial's time is that of compiling and of its steps
    model.set_weights(fresh)
    spent = timed(lambda: model.fit_corpus(corpus, epochs=1, steps_per_epoch=steps, **settings))
    return spent, total * steps / pass_steps, model.vectors()


class Clock(keras.callbacks.Callback):
    """Notes when each step ends."""

    def on_train_begin(self, logs=None):
        self.ends = []

    def on_train_batch_end(self, batch, logs=None):
        self.ends.append(time.perf_counter())


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(path):
    tests = {name: krc.datasets.load(name, "test") for name in ("wordsim353", "simlex999")}
    rows = []
    for architecture in ("skip_gram", "cbow"):
        theirs = gensim(path, architecture == "skip_gram")
        sides = {"gensim, 2 workers": theirs, "keras_richctx": ours(path, architecture, theirs[0])}
        for side, (seconds, words, vectors) in sides.items():
            scores = {name: similarity_correlation(vectors, pairs, lowercase=True) for name, pairs in tests.items()}
            speed, baseline = words / seconds, theirs[1] / theirs[0]
            rows.append(
                {
                    "side": f"{side}, {'skip-gram' if architecture == 'skip_gram' else 'CBOW'}",
                    "seconds": f"{seconds:.0f}",
                    "passes": f"{EPOCHS * words / theirs[1]:.2f}",
                    "words a second": f"{speed:,.0f}",
                    "of gensim's": f"{speed / baseline:.2f}",
                    **{name: f"{found['spearman']:.3f} ({found['asked']} pairs)" for name, found in scores.items()},
                }
            )
    size = Path(path).stat().st_size / 1e6
    note = (
        f"IMDb reviews, {size:.0f} MB, {VOCABULARY:,} words, {DIM} numbers, window {WINDOW}, {NEGATIVES} negatives, subsampling {SAMPLE:g}; gensim with a rate "
        f"of 0.025, ours with {LEARNING_RATE:g} in batches of {BATCH_SIZE:,} windows, for a time that a trial foretells. Words count before subsampling. "
        "Correlations are Spearman's, of one run each."
    )
    report("word2vec", "Word2Vec: the same corpus, settings and time", rows, note)


def analogies(path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    vectors = WordVectors.load(path, mapped=True)
    loaded = time.perf_counter() - start
    questions = krc.datasets.load("word2vec-analogies", "test")
    start = time.perf_counter()
    found = {"3CosAdd": analogy_accuracy(vectors, questions, lowercase=True)}
    seconds, memory = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, options in (("3CosAdd", {}), ("3CosMul", {"method": "mul"}), ("3CosAdd with a, b and c", {"exclude": False})):
        found[f"{name}, {FREQUENT:,} words"] = analogy_accuracy(vectors, questions, restrict=FREQUENT, lowercase=True, **options)
    rows = [
        {"section": row["section"], "questions": f"{row['asked']:,}", **{name: f"{sections[k]['accuracy']:.1%}" for name, sections in found.items()}}
        for k, row in enumerate(found["3CosAdd"])
    ]
    queen, king = (vectors.analogy("man", "woman", "king", n=3, exclude=exclude) for exclude in (True, False))
    shown = [", ".join(f"{word} {score:.3f}" for word, score in words) for words in (queen, king)]
    note = (
        f"{Path(path).name}, {len(vectors):,} words, all of them candidates, or the most frequent {FREQUENT:,} (without the questions of other words). "
        f"{loaded:.0f} s to read, {seconds:.0f} s for all questions with 3CosAdd; {memory:.0f} MB at most, of which {before:.0f} MB before anything was read. "
        f"king - man + woman: {shown[0]}; with its own words allowed: {shown[1]}."
    )
    report("glove_analogies", "Analogies with GloVe", rows, note)
    for name in ("wordsim353", "simlex999"):
        print(name, similarity_correlation(vectors, krc.datasets.load(name, "test"), lowercase=True))


def main(corpus=None, glove=None):
    if corpus and "PEERS" in os.environ:
        compare(corpus)
    else:
        print("Word2Vec is not measured: give the corpus, and gensim's Python as PEERS; see the first lines of this file.")
    if glove:
        analogies(glove)


if __name__ == "__main__":
    main(*sys.argv[1:])
