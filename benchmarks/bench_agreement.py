"""How far GPT-2 small in bfloat16 is from itself in float32: the same random weights, a random text.

Usage: bench_agreement.py

Random weights tell the tokens apart less than trained ones do, so that more of them change places.
"""

import keras
import numpy as np
from bench_decode import NEW, PROMPT, VOCABULARY, NoEnd
from harness import report

import keras_richctx as krc

ROWS = 8


def main():
    keras.utils.set_random_seed(0)
    ids = np.random.default_rng(0).integers(VOCABULARY, size=(ROWS, PROMPT + NEW))
    models = {dtype: krc.models.GPT2(NoEnd(), dtype=dtype) for dtype in ("float32", "bfloat16")}
    exact = logits_of(models["float32"], ids)
    models["bfloat16"](ids[:1, :2])  # makes its weights
    models["bfloat16"].set_weights(models["float32"].get_weights())
    rounded = logits_of(models["bfloat16"], ids)
    distance = np.linalg.norm(rounded - exact) / np.linalg.norm(exact)
    same = np.mean(rounded.argmax(-1) == exact.argmax(-1))
    row = {"next tokens that are the same": f"{same:.1%}", "distance of the logits": f"{distance:.2%}"}
    report(
        "agreement",
        "GPT-2 small in bfloat16 beside float32",
        [row],
        f"Random weights, {ROWS} random texts of {PROMPT + NEW} tokens; the distance is |a - b| / |b|.",
    )


def logits_of(model, ids):
    return np.concatenate([keras.ops.convert_to_numpy(keras.ops.cast(model(row[None]), "float32")) for row in ids])


if __name__ == "__main__":
    main()
