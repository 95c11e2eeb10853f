"""What pre-training is worth the fewer digits are labelled: a small network that knows the digits 0 to 4, on the digits 5 to 9.

    KERAS_BACKEND=jax python benchmarks/bench_transfer.py            # five seeds, some minutes
    KERAS_BACKEND=jax python benchmarks/bench_transfer.py --seeds 2

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
FILTERS = (16, 32, 64)
KINDS = {"from scratch": None, "fixed features": False, "fine-tuned": True}  # whether the backbone is trained on


def digits():
    """The digits 0 to 4; and the digits 5 to 9 with labels from 0 on, half of them to choose from and half to test."""
    every = krc.datasets.load("mnist", "test")
    order = np.random.default_rng(0).permutation(len(every))
    every = every[order]
    low, high = every[every.labels < 5], every[every.labels >= 5]
    high = krc.datasets.LabelledImages(high.images, high.labels - 5)
    return low, high[: len(high) // 2], high[len(high) // 2 :]


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
    model = krc.models.ImageClassifier(krc.layers.ConvGrid(FILTERS), classes, pooling="flatten")
    model.build((None, 28, 28, 1))
    return model


def pretrain(low, seed, epochs):
    """A classifier that knows the digits 0 to 4."""
    model = fresh(seed)
    model.compile(keras.optimizers.Adam(1e-3))
    model.fit(low.images, low.labels, batch_size=50, epochs=epochs, verbose=0)
    return model


def optimizer(kind, model, settings):
    """Adam; where the backbone is fine-tuned, at a rate of its own for each layer."""
    adam = keras.optimizers.Adam(settings.rate)
    return krc.training.discriminative_rates(adam, model) if kind == "fine-tuned" else adam


def restart(model, weights):
    """Gives a compiled model other weights, and its optimizer the state of a new one."""
    model.set_weights(weights)
    for variable in model.optimizer.variables:
        if "learning_rate" not in variable.path:
            variable.assign(keras.ops.zeros_like(variable))


def accuracies(settings):
    """The share of test digits that are right, a dict from kinds to arrays `(sizes, seeds)`."""
    low, pool, test = digits()
    found = {kind: np.zeros((len(SIZES), settings.seeds)) for kind in KINDS}
    models = {}
    for seed in range(settings.seeds):
        known = pretrain(low, seed, settings.epochs)
        for kind, trains in KINDS.items():
            start = fresh(100 + seed) if kind == "from scratch" else known.transfer(5, fine_tune=trains)
            if kind not in models:
                models[kind] = start
                start.compile(optimizer(kind, start, settings))
                start.optimizer.build(start.trainable_variables)
            model, weights = models[kind], start.get_weights()
            for i, n in enumerate(SIZES):
                restart(model, weights)
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
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rate", type=float, default=1e-3)
    settings = parser.parse_args(arguments)
    low, _, test = digits()
    start = time.perf_counter()
    found = accuracies(settings)
    note = (
        f"A network of three convolutions ({', '.join(map(str, FILTERS))} filters) learns {len(low):,} digits from 0 to 4 in {settings.epochs} epochs, then "
        f"the digits 5 to 9, as many of each; {len(test):,} others test. {settings.steps} steps of {BATCH} digits, Adam at {settings.rate:g}; fine-tuned, that "
        "is the rate of the last layer, and 2.6 times less from layer to layer below. Means and deviations of "
        f"{settings.seeds} seeds, each with weights and labelled digits of its own; {(time.perf_counter() - start) / 60:.1f} minutes in all."
    )
    report("transfer", "Digits 5 to 9, from scratch and from a network that knows 0 to 4", rows(found), note)


if __name__ == "__main__":
    main()
