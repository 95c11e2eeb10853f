"""Draws the pages of the gallery while the site is built, from the arrays in `docs/gallery/examples.npz`: with the views as they are, and no model at hand."""

import functools
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[1] / "gallery/examples.npz"


@functools.cache
def views():
    """Returns the views of the gallery by name."""
    from keras_richctx import viz

    with np.load(EXAMPLES) as file:
        arrays = dict(file)
    tokens, segments = arrays["pair/tokens"].tolist(), arrays["pair/segments"].tolist()
    layers = {f"layer {number}": weights for number, weights in enumerate(arrays["pair/weights"], 1)}
    last = list(layers)[-1]
    scores = dict(zip(("integrated gradients", "gradient times input", "leave one out"), arrays["scores/values"]))
    gold = set(map(tuple, arrays["alignment/gold"].tolist()))
    source, target = arrays["alignment/source"].tolist(), arrays["alignment/target"].tolist()
    encoder, queries, keys = "all-MiniLM-L6-v2, two sentences", {last: arrays["pair/queries"]}, {last: arrays["pair/keys"]}
    words, maps = arrays["caption/words"].tolist(), arrays["caption/weights"]
    return {
        "head_view": viz.head_view(layers, tokens, segments=segments, title=f"Lines: {encoder}"),
        "model_view": viz.model_view(layers, tokens, segments=segments, title=f"All heads: {encoder}"),
        "neuron_view": viz.neuron_view({last: layers[last]}, queries, keys, tokens, title=f"One head: {encoder}"),
        "alignment_view": viz.alignment_view(arrays["alignment/weights"], source, target, gold, title="Alignment: the same said twice, matched by vectors"),
        "caption_view": viz.caption_view(arrays["caption/image"], words, maps, title="Caption: a made-up scene and its gold regions"),
        "token_view": viz.token_view(arrays["scores/tokens"].tolist(), scores, title="Tokens: what made all-MiniLM-L6-v2 find this text like “music”"),
    }


def on_files(files, config):
    """Adds a page of its own for each view."""
    from mkdocs.structure.files import File

    for name, view in views().items():
        files.append(File.generated(config, f"gallery/{name}.html", content=view.html))
    return files
