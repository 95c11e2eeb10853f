"""Loads every model of a folder and writes down what it translates: run by `test_saving.py` in a process that has never seen the models.

python another_process.py FOLDER
"""

import json
import sys
from pathlib import Path

import keras
import numpy as np

import keras_richctx  # noqa: F401  registers the classes

TEXTS = ["the black cat sees the dog", "a cat eats", "zebra", ""]


def describe(model):
    """Everything about a model that has to survive: weights, translations, attention, config."""
    translations = [t for num_beams in (1, 3) for t in model.translate(TEXTS, num_beams=num_beams, max_new_tokens=12)]
    words = [[t.text, t.source_tokens, t.target_tokens] for t in translations]
    numbers = [t.score for t in translations]
    maps = [np.zeros(0) if t.alignment is None else t.alignment.ravel() for t in translations]
    return {
        "words": np.array(json.dumps(words)),
        "config": np.array(json.dumps(model.get_config(), sort_keys=True)),
        "scores": np.array(numbers),
        "attention": np.concatenate(maps),
        "weights": np.concatenate([w.ravel() for w in model.get_weights()]),
    }


if __name__ == "__main__":
    for path in sorted(Path(sys.argv[1]).glob("*.keras")):
        np.savez(path.with_suffix(".npz"), **describe(keras.saving.load_model(path)))
