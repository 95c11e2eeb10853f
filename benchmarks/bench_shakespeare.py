"""A character model on tiny Shakespeare: bits a character on held-out text after minutes of training on this machine, from reading the file on.

Usage: bench_shakespeare.py [MINUTES]     (needs the data, or the network to fetch it)
"""

import math
import sys
import time

import keras
import numpy as np
from harness import report

import keras_richctx as krc
from keras_richctx.language_models import evaluate

BATCH_SIZE, CHUNK = 32, 64
LEARNING_RATE = 0.004
WITHOUT_END = 1_000_000  # epochs: the clock ends the training


def main(minutes=9.0):
    start = time.perf_counter()
    keras.utils.set_random_seed(0)
    texts = {split: krc.datasets.load("tinyshakespeare", split) for split in ("train", "validation", "test")}
    tokenizer = krc.text.CodePointTokenizer.train([texts["train"]])
    ids = {split: np.array(tokenizer(text)) for split, text in texts.items()}
    model = krc.models.CharRNN(tokenizer, units=512)
    # all chunks have one shape, so XLA compiles one program: on a long run that pays
    model.compile(keras.optimizers.Adam(LEARNING_RATE, global_clipnorm=1.0), jit_compile=True)
    krc.training.truncated_bptt(
        model,
        ids["train"],
        CHUNK,
        BATCH_SIZE,
        epochs=WITHOUT_END,
        callbacks=[krc.training.TimeLimit(60 * minutes, LEARNING_RATE)],
        validation_stream=ids["validation"],
    )
    bits = {split: evaluate(model, ids[split], batch_size=4) / math.log(2) for split in ("validation", "test")}
    whole = (time.perf_counter() - start) / 60
    steps = int(model.optimizer.iterations)
    characters = steps * BATCH_SIZE * CHUNK
    row = {
        "model": f"LSTM, {model.units} units",
        "weights": f"{model.count_params():,}",
        "minutes, all included": f"{whole:.1f}",
        "steps": f"{steps:,}",
        "passes over the text": f"{characters / len(ids['train']):.1f}",
        "bits a character, validation": f"{bits['validation']:.3f}",
        "test": f"{bits['test']:.3f}",
    }
    note = (
        f"Truncated backpropagation through {CHUNK} characters, {BATCH_SIZE} rows, {minutes:g} minutes of training. The first 90 % of the text train, the next "
        "5 % validate, the last 5 % test; measured in four rows with the state carried on."
    )
    report("shakespeare", "Tiny Shakespeare, characters", [row], note)
    print(model.generate("\nROMEO:", max_new_tokens=400, temperature=0.8, seed=0))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
