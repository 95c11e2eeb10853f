"""What each regularizer of the AWD-LSTM is worth: a word model of WikiText-2 with each of them on its own, and with all of them.

    python benchmarks/bench_awd_lstm.py              # all runs, some minutes each; a second call goes on with the runs that are missing
    python benchmarks/bench_awd_lstm.py everything   # the runs of that name only, and no table

A finished run is kept in build/awd_lstm, under its settings: with other settings it is made again.
"""

import collections
import math
import sys
import time
import types
from pathlib import Path

import keras
import numpy as np
from harness import report
from kept_runs import kept_runs, made_on

import keras_richctx as krc
from keras_richctx.language_models import evaluate

SETTINGS = {
    "words": 54_000,  # of the validation text, the last tenth of them held out
    "least_count": 3,  # a word that is seen less often in the training text is <unk>
    "embedding_dim": 200,
    "units": 200,
    "num_layers": 2,
    "rows": 20,
    "chunk": 35,
    "learning_rate": 0.003,
    "epochs": 40,
    "patience": 3,
    "seed": 0,
}
# What each is with it and without it.
REGULARIZERS = {
    "embedding dropout": {"embedding_dropout": (0.1, 0.0)},
    "input dropout": {"input_dropout": (0.3, 0.0)},
    "hidden dropout": {"hidden_dropout": (0.2, 0.0)},
    "output dropout": {"output_dropout": (0.3, 0.0)},
    "weight dropout": {"weight_dropout": (0.3, 0.0)},
    "AR and TAR": {"activation_regularization": (1.0, 0.0), "temporal_activation_regularization": (1.0, 0.0)},
    "tied weights": {"tie_weights": (True, False)},
}
NOTHING_ALONE = ("hidden dropout", "output dropout")  # what does not help alone is also left out of all
KEPT = Path(__file__).parents[1] / "build/awd_lstm"


def options(on):
    """The arguments of the model with these regularizers on and the others off."""
    return {name: values[regularizer not in on] for regularizer, arguments in REGULARIZERS.items() for name, values in arguments.items()}


def runs():
    """A dict from the name of each run to the regularizers that are on in it."""
    return {
        "nothing": [],
        **{f"{name} alone": [name] for name in REGULARIZERS},
        **{f"everything but {name}": [other for other in REGULARIZERS if other != name] for name in NOTHING_ALONE},
        "everything": list(REGULARIZERS),
    }


def read_texts():
    """The ids of the training text, of the held-out end of it and of the test text, and the number of words."""
    words = {split: krc.datasets.load("wikitext2", split).replace("\n", " <eos> ").split() for split in ("validation", "test")}
    cut = SETTINGS["words"] * 9 // 10
    texts = {"train": words["validation"][:cut], "held out": words["validation"][cut : SETTINGS["words"]], "test": words["test"]}
    counts = collections.Counter(texts["train"])
    known = sorted(word for word, count in counts.items() if count >= SETTINGS["least_count"] and word != "<unk>")
    ids = {word: number for number, word in enumerate(["<pad>", "<unk>", *known])}
    return {name: np.array([ids.get(word, ids["<unk>"]) for word in text]) for name, text in texts.items()}, len(ids)


def train(on, texts, vocab_size):
    """Trains one model; returns its measures."""
    keras.utils.set_random_seed(SETTINGS["seed"])
    shape = {name: SETTINGS[name] for name in ("embedding_dim", "units", "num_layers")}
    model = krc.models.AWDLSTM(types.SimpleNamespace(vocab_size=vocab_size, pad_id=0), **shape, **options(on))
    model.compile(keras.optimizers.Adam(SETTINGS["learning_rate"], global_clipnorm=0.25), weighted_metrics=[])
    start = time.perf_counter()
    history = krc.training.truncated_bptt(
        model,
        texts["train"],
        SETTINGS["chunk"],
        batch_size=SETTINGS["rows"],
        epochs=SETTINGS["epochs"],
        validation_stream=texts["held out"],
        patience=SETTINGS["patience"],  # the weights of the best epoch are restored
    )
    losses = history.history["val_loss"]
    return {
        "test": math.exp(evaluate(model, texts["test"], batch_size=SETTINGS["rows"])),
        "best epoch": 1 + int(np.argmin(losses)),
        "held out": math.exp(min(losses)),
        "weights": model.count_params(),
        "minutes": (time.perf_counter() - start) / 60,
    }


def rows(results):
    """The rows of the table, of a dict from each run to its measures."""
    nothing = results["nothing"]["test"]
    return [
        {
            "regularizers": name,
            "test perplexity": f"{result['test']:.1f}",
            "against nothing": "" if name == "nothing" else f"{result['test'] / nothing - 1:+.1%}",
            "held out": f"{result['held out']:.1f}",
            "best epoch": result["best epoch"],
        }
        for name, result in results.items()
    ]


def main(chosen):
    texts, vocab_size = read_texts()
    settings = {name: {**SETTINGS, **options(on)} for name, on in runs().items()}
    kept = kept_runs(KEPT, settings, lambda name, path: train(runs()[name], texts, vocab_size), chosen)
    results = {name: measures for name, measures, _ in kept}
    if chosen:
        return
    minutes = np.mean([result["minutes"] for result in results.values()])
    note = (
        f"Trained on {len(texts['train']):,} words of the validation split, so that a run takes minutes and a model without regularizers learns the text by "
        f"heart; the {len(texts['held out']):,} words after them choose the epoch, the {len(texts['test']):,} of the test split measure. {vocab_size:,} kinds "
        f"of words, so the figures compare with each other only. {SETTINGS['num_layers']} LSTM layers of {SETTINGS['units']} and {SETTINGS['embedding_dim']} "
        f"units, Adam at {SETTINGS['learning_rate']:g} until {SETTINGS['patience']} epochs bring nothing, one seed; {minutes:.1f} minutes a run."
    )
    report("awd_lstm", "Each regularizer of the AWD-LSTM on its own, and all of them", rows(results), note, made_on=made_on(KEPT, settings))


if __name__ == "__main__":
    main(sys.argv[1:])
