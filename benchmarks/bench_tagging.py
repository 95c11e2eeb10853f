"""What a CRF, GloVe and ELMo are worth: taggers of one BiLSTM, on names (WNUT-17) and on parts of speech (UD English).

    python benchmarks/bench_tagging.py                              # five seeds, all sentences; a second call goes on with the runs that are missing
    python benchmarks/bench_tagging.py --vectors glove.6B.50d.txt   # with rows that begin from these
    python benchmarks/bench_tagging.py --tasks wnut17 --rows "BiLSTM" "BiLSTM, CRF" --seeds 0 1   # these only, and no table: parts may run side by side
    python benchmarks/bench_tagging.py --finished                   # the table of the runs that are finished; with --vectors as they were made

The data are read from the directory that KERAS_RICHCTX_DATA names. A finished run is kept in build/tagging, as is the biLM of the row of ELMo; train that
first, by small_bilm.py, where its parts run side by side.
"""

import argparse
import functools
import time
from pathlib import Path

import keras
import numpy as np
import small_bilm
from harness import report
from kept_runs import kept_runs, made_on

import keras_richctx as krc
from keras_richctx.layers import ELMoWords, WordFeatures
from keras_richctx.models import ELMo, TokenTagger

TASKS = {  # UD's training split is not among the data at hand: the development split trains
    "WNUT-17, F1 of entities": {"name": "wnut17", "train": "train", "scheme": "BIO"},
    "UD English, accuracy": {"name": "ud-english-pos", "train": "validation", "scheme": None},
}
OURS = "BiLSTM, CRF, ELMo (small biLM of our own)"
ROWS = {  # the head, and whether words begin from the vectors that are given
    "BiLSTM": ("bilstm", False),
    "BiLSTM, CRF": ("bilstm-crf", False),
    "BiLSTM, GloVe": ("bilstm", True),
    "BiLSTM, CRF, GloVe": ("bilstm-crf", True),
    OURS: ("bilstm-crf", False),
}
SHARED = ("sentences", "epochs", "units", "embedding_dim", "learning_rate")  # options that every run hangs on


def score(task, predicted, gold):
    """The figure of a task, in hundredths."""
    if task["scheme"]:
        return 100 * krc.metrics.entity_f1(predicted, gold)["f1"]
    pairs = [pair for rows in zip(predicted, gold) for pair in zip(*rows)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)


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


class Row:
    """A row of the table: its data, and one compiled tagger that serves all of its seeds.

    Args:
        task: one of `TASKS`, its dict.
        name: string, one of `ROWS`.
        options: the options of the program.
    """

    def __init__(self, task, name, options):
        self.task, self.options, self.tagger = task, options, None
        self.head, given = ROWS[name]
        self.train, self.test = (krc.datasets.load(task["name"], split) for split in (task["train"], "test"))
        self.tags = self.train.names
        occurring = {word.lower() for words in [*self.train.words, *self.test.words] for word in words}
        self.vectors = read_vectors(options.vectors, occurring) if given else None
        self.elmo = ELMo.from_preset(small_bilm.small_bilm(small_bilm.settings_of(options))[1]) if name == OURS else None
        self.train = self.train[: options.sentences]

    def build(self, seed):
        """Makes a tagger whose first weights hang on the seed alone."""
        keras.utils.set_random_seed(seed)
        words = WordFeatures.from_sentences(self.train.words, vectors=self.vectors, embedding_dim=self.options.embedding_dim, seed=seed)
        encoder = words if self.elmo is None else [words, ELMoWords(self.elmo)]
        scheme = self.task["scheme"] if "crf" in self.head else None
        return TokenTagger(encoder, self.tags, head=self.head, units=self.options.units, dropout=0.5, scheme=scheme)

    def run(self, seed):
        """Trains and tests with one seed; returns the measures, which do not hang on the seeds before."""
        start, fresh = time.perf_counter(), self.build(seed)
        if self.tagger is None:
            self.tagger = fresh
            self.tagger.compile(keras.optimizers.Adam(self.options.learning_rate, global_clipnorm=5.0))
        else:
            restart(self.tagger, fresh)
        krc.training.fit(self.tagger, self.tagger.batches(self.train, seed=seed), epochs=self.options.epochs, progress=False)
        figure = score(self.task, self.tagger.predict_tags(self.test.words), self.test.tags)
        return {"figure": figure, "seconds": time.perf_counter() - start}


def restart(tagger, fresh):
    """Gives a compiled tagger the weights and the seeds of dropout of a new one, and its optimizer the state of one."""
    for variable, new in zip(tagger.variables, fresh.variables, strict=True):
        variable.assign(new)
    for variable in tagger.optimizer.variables:
        if "learning_rate" not in variable.path:
            variable.assign(keras.ops.zeros_like(variable))


def settings_of(task, row, seed, options):
    """All that the figure of a run hangs on."""
    settings = {"task": TASKS[task]["name"], "row": row, "seed": seed, **{name: getattr(options, name) for name in SHARED}}
    settings |= {"vectors": Path(options.vectors).name} if ROWS[row][1] else {}
    return settings | ({"bilm": small_bilm.settings_of(options)} if row == OURS else {})


def table(figures):
    """The rows of the table, of a dict from each pair of a task and a row to the figures of its seeds."""
    return [
        {
            "task": task,
            "tagger": row,
            "mean": f"{np.mean(values):.2f}",
            "deviation": f"{np.std(values, ddof=1):.2f}" if len(values) > 1 else "-",
            "seeds": len(values),
        }
        for (task, row), values in figures.items()
    ]


def note_of(options):
    """Says how the table was made."""
    note = (
        f"Words and characters, {options.units} units, {options.epochs} epochs of {options.sentences or 'all'} sentences, Adam at {options.learning_rate}; "
        "the mean and the deviation are over the seeds; test splits whole, the weights of the last epoch. UD's development split trains."
    )
    if options.vectors:
        note += f" GloVe is {Path(options.vectors).name}, trained on with the tagger."
    if measures := small_bilm.small_bilm(small_bilm.settings_of(options), finished=True)[0]:
        forward, backward = (measures["perplexities"][way] for way in ("forward", "backward"))
        note += (
            f" ELMo is a small biLM of our own, frozen, under a learnt mix of its layers and beside the words and characters: {measures['weights'] / 1e6:.2f} "
            f"million weights, trained {options.bilm_epochs} times over {measures['words']:,} words, those of WikiText-2's validation and test splits and "
            f"of the sentences that train the taggers; perplexity of WNUT-17's development split {forward:.0f} forwards, {backward:.0f} backwards, "
            f"with a vocabulary of {measures['vocabulary']:,}."
        )
    return note


def arguments(given=None):
    """Reads the options of the program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", nargs="+", choices=[task["name"] for task in TASKS.values()])
    parser.add_argument("--rows", nargs="+", choices=ROWS)
    parser.add_argument("--seeds", nargs="+", type=int, help="their numbers; 0 to 4 by default")
    parser.add_argument("--finished", action="store_true")
    parser.add_argument("--sentences", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--embedding-dim", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--vectors", default=None)
    small_bilm.add_arguments(parser)
    return parser.parse_args(given)


def main(given=None):
    options = arguments(given)
    wanted = {
        f"{task}, {row}, seed {seed}": (task, row, seed)
        for task in TASKS
        for row in options.rows or ROWS
        for seed in options.seeds or range(5)
        if TASKS[task]["name"] in (options.tasks or [TASKS[task]["name"]]) and (options.vectors or not ROWS[row][1])
    }
    row_of, figures = functools.lru_cache(maxsize=1)(lambda task, row: Row(TASKS[task], row, options)), {}
    runs = {name: settings_of(*key, options) for name, key in wanted.items()}
    chosen = ["--finished"] if options.finished else ()
    for name, measures, _ in kept_runs(small_bilm.KEPT, runs, lambda name, _: row_of(*wanted[name][:2]).run(wanted[name][2]), chosen):
        figures.setdefault(wanted[name][:2], []).append(measures["figure"])
    if not figures:
        raise SystemExit("No run is finished.")
    if options.finished or not (options.tasks or options.rows or options.seeds):
        report(
            "tagging",
            "Taggers of names and of parts of speech: what a CRF, GloVe and ELMo add",
            table(figures),
            note_of(options),
            made_on=made_on(small_bilm.KEPT, runs),
        )


if __name__ == "__main__":
    main()
