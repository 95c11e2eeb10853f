"""The LSTM here and Keras' own, on the same weights: one forward pass and one training step, compiled as `fit` compiles them."""

import keras
import numpy as np
from harness import matmul_rate, measure, report, timing_rows

import keras_richctx as krc

BATCH, LENGTH, WIDTH, UNITS = 32, 128, 512, 512
FLOPS = 2 * BATCH * LENGTH * 4 * UNITS * (WIDTH + UNITS)  # a multiplication and an addition for each weight, at each step


def main():
    keras.utils.set_random_seed(0)
    x = np.random.normal(size=(BATCH, LENGTH, WIDTH)).astype("float32")
    y = np.zeros((BATCH, LENGTH, UNITS), "float32")
    models = {name: model(layer) for name, layer in {"keras_richctx": krc.layers.LSTM, "Keras": keras.layers.LSTM}.items()}
    models["keras_richctx"].set_weights(models["Keras"].get_weights())
    ours, theirs = (m.predict_on_batch(x) for m in models.values())
    np.testing.assert_allclose(ours, theirs, atol=1e-5)

    rate = matmul_rate()
    forward = measure({name: lambda m=m: m.predict_on_batch(x) for name, m in models.items()})
    step = measure({name: lambda m=m: m.train_on_batch(x, y) for name, m in models.items()})
    size = f"Batch {BATCH}, length {LENGTH}, {WIDTH} features, {UNITS} units; a float32 matrix product of 2,048 cubed runs at {rate:.0f} GF/s here."
    report("lstm_forward", "LSTM, forward", timing_rows(forward, "Keras", FLOPS, rate), size)
    report("lstm_step", "LSTM, training step", timing_rows(step, "Keras", 3 * FLOPS, rate), size)


def model(layer):
    """The layer alone, compiled for training."""
    built = keras.Sequential([keras.Input((LENGTH, WIDTH)), layer(UNITS, return_sequences=True)])
    built.compile(optimizer="sgd", loss="mse")
    return built


if __name__ == "__main__":
    main()
