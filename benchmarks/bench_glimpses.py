"""How well digits are known by glimpses of 8 by 8 pixels: places learnt by reward, by gradient, or not at all, and digits among clutter.

    KERAS_BACKEND=jax python benchmarks/bench_glimpses.py              # all runs, some minutes each; a second call goes on with those that are missing
    KERAS_BACKEND=jax python benchmarks/bench_glimpses.py "by reward"  # the runs of that name only, and no table
    python benchmarks/bench_glimpses.py --finished  # the table of the runs that are finished

The digits are the 10,000 of MNIST's test files, from the directory that KERAS_RICHCTX_DATA names. A finished run is kept in build/glimpses, with its weights.
"""

import sys
import time
from pathlib import Path

import keras
import numpy as np
from digits import digits
from harness import report
from kept_runs import kept_runs, made_on
from matplotlib.figure import Figure

import keras_richctx as krc

SETTINGS = {"train": 8_500, "glimpses": 6, "size": 8, "scales": 3, "units": 128, "cell": "gru", "batch": 64, "epochs": 40, "rate": 2e-3, "shift": 2, "seed": 0}
RUNS = {
    "by reward": {"location": "reinforce"},
    "by gradient": {"location": "differentiable"},
    "the middle only": {"location": "differentiable", "frozen": True},
    "by reward, one scale": {"location": "reinforce", "scales": 1},
    "by reward, clutter": {"location": "reinforce", "clutter": True},
    "the middle only, clutter": {"location": "differentiable", "frozen": True, "clutter": True},
}
KEPT = Path(__file__).parents[1] / "build/glimpses"
IMAGES = Path(__file__).parents[1] / "docs/images"


def shown(train, settings, epoch):
    """The digits as they are shown in one epoch: moved by some pixels, or somewhere among clutter."""
    if settings.get("clutter"):
        return krc.datasets.cluttered_digits(train, seed=epoch).pixels
    shift, side = settings["shift"], train.images.shape[1]
    return krc.datasets.translated_digits(train, side + 2 * shift, seed=epoch).pixels[:, shift : shift + side, shift : shift + side]


def build(settings):
    """Makes a model; with `frozen` it looks at the middle each time."""
    names = ("glimpses", "size", "scales", "units", "cell", "location", "seed")
    model = krc.models.GlimpseClassifier(10, **{name: settings[name] for name in names})
    if settings.get("frozen"):
        model.choose.kernel_initializer = "zeros"
        model.choose.trainable = False
    return model


def train(settings, weights):
    """Trains one model, keeps its weights, and returns its measures."""
    keras.utils.set_random_seed(settings["seed"])
    learnt, held_out = digits(settings["train"])
    if settings.get("clutter"):
        held_out = krc.datasets.cluttered_digits(held_out, seed=10**6)
    model = build(settings)
    rate = keras.optimizers.schedules.CosineDecay(settings["rate"], settings["epochs"] * -(-settings["train"] // settings["batch"]))
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=5.0))
    start = time.perf_counter()
    for epoch in range(settings["epochs"]):
        history = model.fit(shown(learnt, settings, epoch), learnt.labels, batch_size=settings["batch"], verbose=0)
    minutes = (time.perf_counter() - start) / 60
    tested = model.evaluate(held_out.pixels, held_out.labels, batch_size=500, verbose=0, return_dict=True)
    steps = model.trace(held_out.pixels)
    model.save_weights(weights)
    by_step = (steps["probabilities"].argmax(axis=-1) == held_out.labels[:, None]).mean(axis=0)
    return {
        "accuracy": tested["accuracy"],
        "in training": history.history["accuracy"][-1],
        "by step": by_step.tolist(),
        "spread of places": float(steps["centres"].std(axis=0).mean()),
        "weights": model.count_params(),
        "minutes": minutes,
    }


def rows(results):
    """The rows of the table, of a dict from each run to its measures."""
    return [
        {
            "places": name,
            "test accuracy": f"{result['accuracy']:.1%}",
            "if it stopped after each glimpse, %": ", ".join(f"{100 * share:.1f}" for share in result["by step"]),
            "deviation of places, of half a side": f"{result['spread of places']:.2f}",
            "weights": f"{result['weights']:,}",
            "minutes": f"{result['minutes']:.1f}",
        }
        for name, result in results.items()
    ]


def picture(settings, weights):
    """Draws where a trained model looked at some digits among clutter, for a light and for a dark page."""
    _, held_out = digits(settings["train"])
    shown_digits = krc.datasets.cluttered_digits(held_out[:200], seed=10**6)
    model = build(settings)
    model(shown_digits.pixels[:1])
    model.load_weights(weights)
    steps = model.trace(shown_digits.pixels)
    chosen = [int(np.flatnonzero(shown_digits.labels == digit)[0]) for digit in (2, 3, 5, 7)]
    for dark in (False, True):
        with krc.viz.style(dark):
            figure = Figure(figsize=(7.2, 2.1), layout="constrained")
            for ax, i in zip(figure.subplots(1, len(chosen)), chosen):
                says = " ".join(str(digit) for digit in steps["probabilities"][i].argmax(axis=-1))
                krc.viz.glimpses(shown_digits.pixels[i], steps["centres"][i], settings["size"], ax=ax, title=f"says {says}", dark=dark)
            figure.savefig(IMAGES / f"glimpses_{'dark' if dark else 'light'}.png", dpi=100)


def main(chosen):
    settings, results = {name: {**SETTINGS, **options} for name, options in RUNS.items()}, {}
    for name, measures, path in kept_runs(KEPT, settings, lambda name, path: train(settings[name], path.with_suffix(".weights.h5")), chosen):
        results[name] = measures
        if settings[name].get("clutter") and not settings[name].get("frozen"):
            picture(settings[name], path.with_suffix(".weights.h5"))
    if chosen and chosen != ["--finished"]:
        return
    held_out = len(krc.datasets.load("mnist", "test")) - SETTINGS["train"]
    note = (
        f"{SETTINGS['glimpses']} glimpses of {SETTINGS['size']} x {SETTINGS['size']} pixels, at {SETTINGS['scales']} scales unless said otherwise; a GRU of "
        f"{SETTINGS['units']} units; {SETTINGS['train']:,} digits of MNIST's test files train, moved by up to {SETTINGS['shift']} pixels, the other "
        f"{held_out:,} test as they are; with clutter, digits stand in 60 x 60 pixels beside four pieces of others, anew in each epoch. "
        f"{SETTINGS['epochs']} epochs, Adam at {SETTINGS['rate']:g} that falls to zero, the weights of the last epoch, one seed."
    )
    report("glimpses", "Digits by glimpses: how their places are chosen", rows(results), note, made_on=made_on(KEPT, settings))


if __name__ == "__main__":
    main(sys.argv[1:])
