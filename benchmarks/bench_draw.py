"""What windows are worth to DRAW: the bound on binary digits with attention, without it, and of a plain variational autoencoder.

    KERAS_BACKEND=jax python benchmarks/bench_draw.py                      # all runs, some minutes each; a second call goes on where it was stopped
    KERAS_BACKEND=jax python benchmarks/bench_draw.py "DRAW with windows"  # the runs of that name only, and no table
    python benchmarks/bench_draw.py --finished  # the table of the runs that are finished

The digits are the 10,000 of MNIST's test files, from the directory that KERAS_RICHCTX_DATA names. A finished run is kept in build/draw, with its weights.
"""

import sys
import time
from pathlib import Path

import keras
import numpy as np
from digits import digits
from harness import report
from kept_runs import kept_runs, made_on

import keras_richctx as krc
from keras_richctx.vision.draw import gaussian_divergence

SETTINGS = {"train": 8_500, "batch": 100, "epochs": 40, "rate": 2e-3, "seed": 0}
RUNS = {
    "DRAW with windows": {"steps": 8, "latent_dim": 10, "units": 128},
    "DRAW without, as many units": {"steps": 8, "latent_dim": 10, "units": 128, "attention": False},
    "DRAW without, as many weights": {"steps": 8, "latent_dim": 10, "units": 32, "attention": False},
    "plain VAE, as many weights": {"hidden": 136, "latent_dim": 40},
}
KEPT = Path(__file__).parents[1] / "build/draw"
IMAGES = Path(__file__).parents[1] / "docs/images"


@keras.saving.register_keras_serializable("benchmarks")
class PlainVAE(keras.Model):
    """A variational autoencoder of one hidden layer on either side, with the outputs and the loss of `DRAW`."""

    def __init__(self, hidden, latent_dim, image_shape=(28, 28, 1), seed=None):
        super().__init__()
        self.arguments = {"hidden": hidden, "latent_dim": latent_dim, "image_shape": image_shape, "seed": seed}
        self.image_shape = image_shape
        self.encoder = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(hidden, activation="relu"), keras.layers.Dense(2 * latent_dim)])
        self.decoder = keras.Sequential([keras.layers.Dense(hidden, activation="relu"), keras.layers.Dense(int(np.prod(image_shape)))])
        self.draws = keras.random.SeedGenerator(seed)

    def call(self, images):
        mean, log_deviation = keras.ops.split(self.encoder(images), 2, axis=-1)  # (B, Z) each
        latent = mean + keras.ops.exp(log_deviation) * keras.random.normal(keras.ops.shape(mean), seed=self.draws)
        logits = keras.ops.reshape(self.decoder(latent), (-1, *self.image_shape))
        return {"logits": logits, "divergences": gaussian_divergence(mean, log_deviation)[:, None]}

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return krc.models.DRAW.compute_loss(self, x, y, y_pred, sample_weight, training)

    def get_config(self):
        return dict(self.arguments)


def binary(digits, seed):
    """Digits of zeros and ones, each pixel drawn with its brightness for a probability."""
    pixels = digits.pixels
    return (np.random.default_rng(seed).random(pixels.shape) < pixels).astype("float32")


def build(options, seed):
    """Makes a model."""
    return PlainVAE(**options, seed=seed) if "hidden" in options else krc.models.DRAW(**options, seed=seed)


def train(options, settings, weights):
    """Trains one model, keeps its weights, and returns its measures."""
    keras.utils.set_random_seed(settings["seed"])
    learnt, held_out = digits(settings["train"])
    model, partial = build(options, settings["seed"]), weights.with_suffix(".keras")
    steps = -(-settings["train"] // settings["batch"])
    rate = keras.optimizers.schedules.CosineDecay(settings["rate"], settings["epochs"] * steps)
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=10.0))
    if partial.exists():  # of a run that was cut short
        model = keras.saving.load_model(partial)
    seconds = []
    for epoch in range(int(model.optimizer.iterations) // steps, settings["epochs"]):
        start = time.perf_counter()
        history = model.fit(binary(learnt, epoch), batch_size=settings["batch"], verbose=0)
        seconds.append(time.perf_counter() - start)
        if epoch % 5 == 4:
            model.save(partial)
            print(f"epoch {epoch + 1}: {history.history['loss'][-1]:.2f}, {seconds[-1]:.1f} s each", flush=True)
    minutes = np.median(seconds) * settings["epochs"] / 60
    test = binary(held_out, 10**6)
    bounds = [model.evaluate(test, batch_size=500, verbose=0, return_dict=True)["loss"] for _ in range(5)]  # draws of the latent numbers
    divergence = float(np.mean(keras.ops.convert_to_numpy(model.predict(test, batch_size=500, verbose=0)["divergences"]).sum(axis=-1)))
    model.save_weights(weights)
    return {
        "bound": float(np.mean(bounds)),
        "deviation": float(np.std(bounds, ddof=1)),
        "latent": divergence,
        "in training": history.history["loss"][-1],
        "weights": model.count_params(),
        "minutes": minutes,
    }


def rows(results):
    """The rows of the table, of a dict from each run to its measures."""
    return [
        {
            "model": name,
            "test bound, nats": f"{result['bound']:.1f}",
            "of it latent": f"{result['latent']:.1f}",
            "in the last epoch of training": f"{result['in training']:.1f}",
            "weights": f"{result['weights']:,}",
            "minutes": f"{result['minutes']:.1f}",
        }
        for name, result in results.items()
    ]


def picture(options, settings, weights):
    """Draws how a trained model told two digits and made two of its own, for a light and for a dark page."""
    _, held_out = digits(settings["train"])
    model = build(options, settings["seed"])
    model.load_weights(weights)
    told, made = model.trace(binary(held_out[:2], 10**6)), model.draw(count=2)
    canvases = np.concatenate([told["canvases"], keras.ops.convert_to_numpy(keras.ops.sigmoid(made["canvases"]))])
    windows = np.concatenate([told["write_windows"], keras.ops.convert_to_numpy(made["write_windows"])])
    for dark in (False, True):
        figure = krc.viz.canvases(canvases, windows, dark=dark, title="Two digits told, and two that nobody wrote, step by step")
        figure.savefig(IMAGES / f"canvases_{'dark' if dark else 'light'}.png", dpi=100)


def main(chosen):
    settings, results = {name: {**SETTINGS, **options} for name, options in RUNS.items()}, {}
    for name, measures, path in kept_runs(KEPT, settings, lambda name, path: train(RUNS[name], SETTINGS, path.with_suffix(".weights.h5")), chosen):
        results[name] = measures
        if name == "DRAW with windows":
            picture(RUNS[name], SETTINGS, path.with_suffix(".weights.h5"))
    if chosen and chosen != ["--finished"]:
        return
    held_out = len(krc.datasets.load("mnist", "test")) - SETTINGS["train"]
    note = (
        f"An upper bound of -log p(x), the mean of {held_out:,} digits that were not trained on and five draws of the latent numbers; {SETTINGS['train']:,} "
        "digits of MNIST's test files train, drawn to zeros and ones anew in each epoch. DRAW: 8 steps of 10 latent numbers, windows of 5 x 5. The VAE: one "
        f"hidden layer of 136 on either side, 40 latent numbers. {SETTINGS['epochs']} epochs of batches of {SETTINGS['batch']}, Adam at {SETTINGS['rate']:g} "
        "that falls to zero, one seed. Gregor et al. trained on six times as many digits, with 64 steps and 256 units: 80.97 with windows, 87.40 without."
    )
    report("draw", "DRAW with windows, without, and a plain autoencoder", rows(results), note, made_on=made_on(KEPT, settings))


if __name__ == "__main__":
    main(sys.argv[1:])
