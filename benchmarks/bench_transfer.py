"""What pre-training is worth the fewer digits are labelled: a small network that knows the digits 0 to 4 among clutter, on the digits 5 to 9.

    python benchmarks/bench_transfer.py            # five seeds, some minutes
    python benchmarks/bench_transfer.py --seeds 2

The digits are the 10,000 of MNIST's test files, from the directory that KERAS_RICHCTX_DATA names. A compiled model serves all runs of its kind: weights and
optimizer begin anew.
"""

import argparse
import time

import keras
import numpy as np
from harness import report

import keras_richctx as krc

SIZES = (10, 30, 100, 300)
BATCH = 10
SIDE, PIECES = 40, 2
FILTERS = (16, 32, 64, 64)
RATES = {"from scratch": 2e-3, "fixed features": 5e-3, "fine-tuned": 1e-3}


def digits():
    """The digits 0 to 4; and the digits 5 to 9 with labels from 0 on, 3,000 to choose from and 1,000 to test."""
    every = krc.datasets.load("mnist", "test")
    order = np.random.default_rng(0).permutation(len(every))
    every = every[order]
    every = krc.datasets.cluttered_digits(every, SIDE, PIECES)
    low, high = every[every.labels < 5], every[every.labels >= 5]
    high = krc.datasets.LabelledImages(high.images, high.labels - 5)
    return low, high[:3000], high[3000:4000]


def choose(data, n, seed):
    """Chooses n digits, as many of each class."""
    rng = np.random.default_rng(seed)
    return data[np.concatenate([rng.choice(np.flatnonzero(data.labels == label), n // 5, replace=False) for label in range(5)])]


def batches(data, steps, seed):
    """The digits of all steps in their order: pass after pass over the data, each in an order of its own."""
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(data)) for _ in range(-(-steps * BATCH // len(data)))])[: steps * BATCH]
    return data[order]


def fresh(seed, classes=5):
    """A classifier whose weights hang on the seed alone."""
    keras.utils.set_random_seed(seed)
    model = krc.models.ImageClassifier(krc.layers.ConvGrid(FILTERS), classes)
    model.build((None, SIDE, SIDE, 1))
    return model


def pretrain(low, epochs):
    """A classifier that knows the digits 0 to 4."""
    model = fresh(0)
    model.compile(keras.optimizers.Adam(2e-3), jit_compile=False)
    history = model.fit(low.images, low.labels, batch_size=50, epochs=epochs, verbose=0)
    print(f"0 to 4: {history.history['accuracy'][-1]:.1%} in training", flush=True)
    return model


def restart(model, weights):
    """Gives a compiled model other weights, and its optimizer the state of a new one."""
    model.set_weights(weights)
    for variable in model.optimizer.variables:
        if "learning_rate" not in variable.path:
            variable.assign(keras.ops.zeros_like(variable))


def accuracies(settings):
    """The share of test digits that are right, a dict from kinds to arrays `(sizes, seeds)`."""
    low, pool, test = digits()
    known = pretrain(low, settings.epochs)
    models = {"from scratch": fresh(1), "fixed features": known.transfer(5, fine_tune=False), "fine-tuned": known.transfer(5)}
    starts = {kind: model.get_weights() for kind, model in models.items()}
    for kind, model in models.items():
        model.compile(keras.optimizers.Adam(RATES[kind]), jit_compile=False)
        model.optimizer.build(model.trainable_variables)
    found = {kind: np.zeros((len(SIZES), settings.seeds)) for kind in models}
    for seed in range(settings.seeds):
        starts["from scratch"] = fresh(seed + 1).get_weights()
        for kind, model in models.items():
            for i, n in enumerate(SIZES):
                restart(model, starts[kind])
                chosen = batches(choose(pool, n, seed), settings.steps, seed)
                model.fit(chosen.images, chosen.labels, batch_size=BATCH, shuffle=False, verbose=0)
                found[kind][i, seed] = model.evaluate(test.images, test.labels, batch_size=500, verbose=0, return_dict=True)["accuracy"]
        print(f"seed {seed}: " + "; ".join(f"{kind} {values[:, seed].round(3).tolist()}" for kind, values in found.items()), flush=True)
    return found


def rows(found):
    """The rows of the table."""
    table = []
    for i, n in enumerate(SIZES):
        row = {"labelled digits": n}
        for kind, values in found.items():
            row[kind] = f"{values[i].mean():.1%} ± {values[i].std(ddof=1):.1%}"
        for kind in list(found)[1:]:
            row[f"gain of {kind}, points"] = f"{100 * (found[kind][i] - found['from scratch'][i]).mean():+.1f}"
        table.append(row)
    return table


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--steps", type=int, default=150)
    settings = parser.parse_args(arguments)
    low, _, test = digits()
    start = time.perf_counter()
    found = accuracies(settings)
    note = (
        f"MNIST's test digits, each somewhere in {SIDE} x {SIDE} pixels beside {PIECES} pieces of others. A network of {len(FILTERS)} convolutions "
        f"({', '.join(map(str, FILTERS))} filters) and a mean over places learns {len(low):,} digits from 0 to 4 in {settings.epochs} epochs, then the digits "
        f"5 to 9, as many of each; {len(test):,} others test. {settings.steps} steps of {BATCH} digits, Adam at "
        f"{', '.join(f'{rate:g} {kind}' for kind, rate in RATES.items())}. Means and deviations of {settings.seeds} sets of labelled digits, from scratch with "
        f"weights of their own too; {(time.perf_counter() - start) / 60:.1f} minutes in all."
    )
    report("transfer", "Digits 5 to 9 among clutter, from scratch and from a network that knows 0 to 4", rows(found), note)


if __name__ == "__main__":
    main()
