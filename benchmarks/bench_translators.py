"""English to French on Tatoeba by a Transformer and by Bahdanau's model: the same vocabulary, data and clock.

    python benchmarks/bench_translators.py                            # all runs in minutes; a second call goes on with those that are missing
    python benchmarks/bench_translators.py "Transformer, 15 minutes"  # the run of that name only, and no table
    python benchmarks/bench_translators.py "Transformer, 40 passes on a GPU"
    python benchmarks/bench_translators.py --finished                 # the table of the runs that are finished

Needs the data, or the network to fetch it. The minutes are those of training, reading and compiling included. On a GPU the passes are given, not the time:
where twice as many are no better, the model has converged. A finished run is kept in build/translators.
"""

import sys
import time
from pathlib import Path

import keras
from harness import machine, report
from kept_runs import kept_runs, made_on

import keras_richctx as krc
from keras_richctx.translation.evaluate import evaluate
from keras_richctx.translation.recipe import Recipe

SENTENCES, MAX_WORDS = 1000, 10
PASSES = (10, 20, 40)
MODELS = {"Bahdanau": "seq2seq", "Transformer": "transformer"}
CLOCKED = {f"{name}, {minutes} minutes": {"model": model, "minutes": minutes} for minutes in (15, 30) for name, model in MODELS.items()}
ON_A_GPU = {f"{name}, {passes} passes on a GPU": {"model": model, "epochs": passes} for passes in PASSES for name, model in MODELS.items()}
KEPT = Path(__file__).parents[1] / "build/translators"


def run(settings):
    """Trains and measures one model; returns its measures."""
    on = device()
    if "epochs" in settings and not on.startswith("one "):
        raise SystemExit("This run is one of a GPU, and there is none.")
    recipe = Recipe(**settings)
    train = krc.datasets.load("tatoeba-fra", "train")
    start = time.perf_counter()
    model = recipe.build(*recipe.train_tokenizers(train))
    history = recipe.fit(model, train)
    measures = {
        "steps of a pass": history.params["steps"],
        "minutes": (time.perf_counter() - start) / 60,
        "steps": int(model.optimizer.iterations),
        "weights": model.count_params(),
    }
    test = krc.datasets.load("tatoeba-fra", "test", max_words=MAX_WORDS, max_sentences=SENTENCES)
    for beams in (1, 4):
        measures[f"BLEU of {beams}"] = evaluate(model, test, num_beams=beams)["bleu"]
    return {**measures, "history": history.history, "on": on}


def device():
    """Names what a run is computed on: the GPU, or the processor and its cores."""
    if keras.backend.backend() == "jax":
        import jax

        gpus = [device.device_kind for device in jax.devices() if device.platform == "gpu"]
    else:
        import tensorflow as tf

        gpus = [tf.config.experimental.get_device_details(gpu)["device_name"] for gpu in tf.config.list_physical_devices("GPU")]
    here = machine()
    return f"one {gpus[0]}" if gpus else f"{here['cores']} cores of {here['processor']}"


def rows(results):
    """The rows of the table, of a dict from each run to its measures."""
    return [
        {
            "run": name,
            "BLEU, greedy": f"{result['BLEU of 1']:.1f}",
            "BLEU, 4 beams": f"{result['BLEU of 4']:.1f}",
            "steps": f"{result['steps']:,}",
            "minutes": f"{result['minutes']:.1f}",
            "weights": f"{result['weights']:,}",
            "passes": f"{result['steps'] / result['steps of a pass']:.1f}",
            "on": result["on"],
        }
        for name, result in results.items()
    ]


def main(chosen):
    wanted = CLOCKED if not chosen else {**CLOCKED, **ON_A_GPU}
    results = {name: measures for name, measures, _ in kept_runs(KEPT, wanted, lambda name, path: run(wanted[name]), chosen)}
    if chosen and chosen != ["--finished"]:
        return
    note = (
        f"Byte-level BPE of 4,000 pieces for each language, batches of 128 pairs of like length, one seed; {SENTENCES:,} held-out English sentences of up to "
        f"{MAX_WORDS} words against all their French translations. The Transformer has three layers of 256, its loss is of smoothed labels."
    )
    report("translators", "Tatoeba, English to French: the Transformer beside Bahdanau's model", rows(results), note, made_on=made_on(KEPT, wanted))


if __name__ == "__main__":
    main(sys.argv[1:])
