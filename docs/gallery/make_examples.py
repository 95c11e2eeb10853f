"""Writes `examples.npz`, the arrays from which the pages of the gallery are drawn: where real models looked, and what their tokens contributed.

    richctx demo --out runs/demo
    python docs/gallery/make_examples.py ENCODER runs/demo/model.keras [--captioner FILE]

ENCODER is the directory of sentence-transformers' all-MiniLM-L6-v2: a BERT of 6 layers with 12 heads each (Apache-2.0). The translator is the one that the demo
trains. The captioner is trained here on scenes that the library makes up, in a few minutes, and saved under the name that is given.
"""

import argparse
from pathlib import Path

import keras
import numpy as np
from keras import ops

import keras_richctx as krc
from keras_richctx.translation.evaluate import forced_alignments
from keras_richctx.vision import ConvGrid
from richctx.demo import instructive

EXAMPLES = Path(__file__).with_name("examples.npz")
PAIR = ("The axolotl didn't cross the street because it was too tired.", "It was exhausted and stayed on the pavement.")
TEXT, TOPIC = "My neighbour practises the violin every evening, but I prefer watching football.", "music"
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


def translation(model):
    """The alignment of a sentence that the translator has not seen, with its gold links."""
    held_out = krc.datasets.load("phrasebook", "test", size=300, max_words=12)
    place = instructive(held_out, [str(said.text) for said in model.translate(held_out.source)])
    pair = held_out[place : place + 1]
    weights = forced_alignments(model, pair)[0][:-1, :-1]  # without the end symbols
    source, target = model.source_tokenizer.words(pair.source[0]), model.target_tokenizer.words(pair.target[0])
    return {"alignment/source": source, "alignment/target": target, "alignment/weights": weights, "alignment/gold": sorted(pair.alignments[0])}


def train_captioner(size=3000, epochs=12):
    """Trains a captioner on made-up scenes."""
    keras.utils.set_random_seed(0)
    scenes = krc.datasets.load("scenes", size=size)
    tokenizer = krc.text.WordTokenizer.train([caption for captions in scenes.captions for caption in captions], vocab_size=50)
    model = krc.models.ImageCaptioner(tokenizer, encoder=ConvGrid((16, 32, 64)), units=128, embedding_dim=64)
    batches = model.batches(scenes, seed=0)
    rate = keras.optimizers.schedules.CosineDecay(0.004, epochs * len(batches))
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=1.0))
    krc.training.fit(model, batches, epochs=epochs)
    return model


def caption(model):
    """The first held-out scene of two things that the captioner names rightly, with where it looked."""
    held_out = krc.datasets.load("scenes", "test", size=100)
    said = model.caption(held_out.images)
    place = next(i for i, one in enumerate(said) if one.text in held_out.captions[i] and len(one.tokens) > 5)
    return {"caption/image": held_out.images[place], "caption/words": said[place].tokens[:-1], "caption/weights": said[place].maps[:-1]}


def main():
    """Reads the models that are named, and writes the arrays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder")
    parser.add_argument("translator")
    parser.add_argument("--captioner", type=Path, help="where a trained one is, or is to be saved")
    options = parser.parse_args()
    bert = krc.models.Bert.from_preset(options.encoder)
    if options.captioner and options.captioner.exists():
        captioner = keras.saving.load_model(options.captioner)
    else:
        captioner = train_captioner()
        if options.captioner:
            captioner.save(options.captioner)
    arrays = encoder(bert) | contributions(bert) | translation(keras.saving.load_model(options.translator)) | caption(captioner)
    np.savez_compressed(EXAMPLES, **arrays)
    print(f"{EXAMPLES}: {EXAMPLES.stat().st_size / 1e3:.0f} kB, {', '.join(f'{name} {np.shape(array)}' for name, array in arrays.items())}")


if __name__ == "__main__":
    main()
