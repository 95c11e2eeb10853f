"""Writes `examples.npz`, the arrays from which the pages of the gallery are drawn: where a real model looked, and what its tokens contributed.

    python docs/gallery/make_examples.py ENCODER

ENCODER is the directory of sentence-transformers' all-MiniLM-L6-v2: a BERT of 6 layers with 12 heads each (Apache-2.0).
"""

import argparse
from pathlib import Path

import keras
import numpy as np
from keras import ops

import keras_richctx as krc

EXAMPLES = Path(__file__).with_name("examples.npz")
PAIR = ("The axolotl didn't cross the street because it was too tired.", "It was exhausted and stayed on the pavement.")
TEXT, TOPIC = "My neighbour practises the violin every evening, but I prefer watching football.", "music"
SAME = ("My brother bought a cheap car last week.", "Seven days ago, an inexpensive automobile was purchased by my brother.")
GOLD = [(7, 0), (7, 1), (6, 2), (3, 4), (4, 5), (5, 6), (2, 7), (2, 8), (0, 10), (1, 11), (8, 12)]  # by hand: (source, target)
TEMPERATURE = 0.07
SCENE = 18  # the seed of the scene
METHODS = ("integrated_gradients", "gradient_x_input", "leave_one_out")


def encoder(bert):
    """Attention of all heads to a pair of sentences, and the vectors of the heads of the last layer."""
    maps = krc.attention_maps(bert, PAIR)
    shown, last = maps.example(), list(maps)[-1]
    return {
        "pair/tokens": shown["tokens"],
        "pair/segments": shown["segments"],
        "pair/weights": np.stack(list(shown["weights"].values())).astype("float16"),  # (L, H, T, T)
        "pair/queries": shown["queries"][last].astype("float16"),
        "pair/keys": shown["keys"][last].astype("float16"),
    }


def contributions(bert):
    """What each token of a text contributed to its likeness to a topic: the cosine of the mean vectors."""

    def mean(output):
        return keras.utils.normalize(ops.convert_to_numpy(output["sequence_output"]).mean(axis=1))

    tokenizer = bert.tokenizer
    row = {text: np.array([[tokenizer.cls_id, *tokenizer(text), tokenizer.sep_id]]) for text in (TEXT, TOPIC)}
    topic = ops.convert_to_tensor(mean(bert({"token_ids": row[TOPIC]}))[0])

    def likeness(output):
        text = ops.mean(output["sequence_output"], axis=1)  # (B, D)
        return ops.sum(ops.normalize(text, axis=-1) * topic, axis=-1)

    found = [krc.viz.attribution(bert, {"token_ids": row[TEXT]}, method, likeness, tokens=tokenizer.pieces(row[TEXT][0].tolist())) for method in METHODS]
    return {"scores/tokens": found[0].tokens[0], "scores/values": np.stack([one.scores[0] for one in found]), "scores/output": found[0].output[0]}


def alignment(bert):
    """The words of a sentence matched with those of another that says the same, by their vectors: the softmax of the cosines, over a temperature."""

    def vectors(text):
        ids = [bert.tokenizer.cls_id, *bert.tokenizer(text), bert.tokenizer.sep_id]
        output = ops.convert_to_numpy(bert({"token_ids": np.array([ids])})["sequence_output"])[0]  # (T, D)
        return bert.tokenizer.pieces(ids)[1:-1], keras.utils.normalize(output[1:-1])

    (source, of_source), (target, of_target) = vectors(SAME[0]), vectors(SAME[1])
    weights = ops.softmax(of_target @ of_source.T / TEMPERATURE)  # (T, S)
    return {"alignment/source": source, "alignment/target": target, "alignment/weights": weights, "alignment/gold": GOLD}


def caption():
    """A made-up scene with its caption, and the region of each word's thing, evenly weighted: what a perfect captioner would look at."""
    scene = krc.datasets.scenes(1, seed=SCENE)
    regions, words = scene.regions(0), scene.captions[0][0].split()
    named = regions.any(axis=(1, 2), keepdims=True)
    regions = np.where(named, regions, True)  # "a" and "of" are at home nowhere, and look everywhere
    return {"caption/image": scene.images[0], "caption/words": words, "caption/weights": regions / regions.sum(axis=(1, 2), keepdims=True)}


def main():
    """Reads the model that is named, and writes the arrays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", help="the directory of all-MiniLM-L6-v2")
    bert = krc.models.Bert.from_preset(parser.parse_args().encoder)
    arrays = encoder(bert) | contributions(bert) | alignment(bert) | caption()
    np.savez_compressed(EXAMPLES, **arrays)
    print(f"{EXAMPLES}: {EXAMPLES.stat().st_size / 1e3:.0f} kB, {', '.join(f'{name} {np.shape(array)}' for name, array in arrays.items())}")


if __name__ == "__main__":
    main()
