"""Which array of a file goes where: each weight has a place, written as Google's checkpoints have it, and a spelling in each kind of file."""

import re

from keras_richctx.checkpoints.matrices import as_matrix, from_matrix

# Google's names of places in Hugging Face's files of each type, from the longest on
ENCODERS = {
    "bert": {},
    "roberta": {},
    "distilbert": {
        "encoder/": "transformer/",
        "attention/self/query/": "attention/q_lin/",
        "attention/self/key/": "attention/k_lin/",
        "attention/self/value/": "attention/v_lin/",
        "attention/output/dense/": "attention/out_lin/",
        "attention/output/LayerNorm/": "sa_layer_norm/",
        "intermediate/dense/": "ffn/lin1/",
        "output/dense/": "ffn/lin2/",
        "output/LayerNorm/": "output_layer_norm/",
    },
}
HEADS = {
    "bert": {"classifier/output/": "classifier/", "token_classifier/": "classifier/"},
    "roberta": {
        "cls/predictions/transform/dense/": "lm_head/dense/",
        "cls/predictions/transform/LayerNorm/": "lm_head/layer_norm/",
        "cls/predictions/": "lm_head/",
        "classifier/hidden/": "classifier/dense/",
        "classifier/output/": "classifier/out_proj/",
        "token_classifier/": "classifier/",
    },
    "distilbert": {
        "cls/predictions/transform/dense/": "vocab_transform/",
        "cls/predictions/transform/LayerNorm/": "vocab_layer_norm/",
        "cls/predictions/": "vocab_projector/",
        "classifier/hidden/": "pre_classifier/",
        "classifier/output/": "classifier/",
        "token_classifier/": "classifier/",
    },
    "google": {
        "cls/predictions/bias": "cls/predictions/output_bias",
        "cls/seq_relationship/kernel": "cls/seq_relationship/output_weights",
        "cls/seq_relationship/bias": "cls/seq_relationship/output_bias",
        "classifier/output/kernel": "output_weights",
        "classifier/output/bias": "output_bias",
        "token_classifier/kernel": "output_weights",
        "token_classifier/bias": "output_bias",
        "qa_outputs/kernel": "cls/squad/output_weights",
        "qa_outputs/bias": "cls/squad/output_bias",
    },
}
LEAVES = {"kernel": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
OLD_LEAVES = {**LEAVES, "gamma": "gamma", "beta": "beta"}  # of files that were made of Google's
# the layers of the encoder in TensorFlow 2, in their two generations
TF2_EMBEDDINGS = {"word_embeddings": 0, "position_embeddings": 1, "token_type_embeddings": 2, "LayerNorm": 3}
TF2_LAYER = {
    "attention/self/query/": "_attention_layer/_query_dense/",
    "attention/self/key/": "_attention_layer/_key_dense/",
    "attention/self/value/": "_attention_layer/_value_dense/",
    "attention/output/dense/": "_attention_output_dense/",
    "attention/output/LayerNorm/": "_attention_layer_norm/",
    "intermediate/dense/": "_intermediate_dense/",
    "output/dense/": "_output_dense/",
    "output/LayerNorm/": "_output_layer_norm/",
}
TF2_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


def encoder_places(bert):
    """Lists the weights of a `Bert`, without its pooler, with their places: pairs of a string and a variable."""
    yield "embeddings/word_embeddings", bert.embedding.embeddings
    yield "embeddings/position_embeddings", bert.positions.embeddings
    if bert.segment_embedding is not None:
        yield "embeddings/token_type_embeddings", bert.segment_embedding.embeddings
    yield from norm_places("embeddings/LayerNorm", bert.embedding_norm)
    for i, block in enumerate(bert.encoder.blocks):
        layer = f"encoder/layer_{i}"
        for part, name in (("query", "self/query"), ("key", "self/key"), ("value", "self/value"), ("output", "output/dense")):
            for kind in ("kernel", "bias"):
                yield f"{layer}/attention/{name}/{kind}", getattr(block.attention, f"{part}_{kind}")
        yield from norm_places(f"{layer}/attention/output/LayerNorm", block.attention_norm)
        yield from dense_places(f"{layer}/intermediate/dense", block.intermediate)
        yield from dense_places(f"{layer}/output/dense", block.output_dense)
        yield from norm_places(f"{layer}/output/LayerNorm", block.feed_forward_norm)


def pooler_places(bert):
    """Lists the weights of the pooler with their places."""
    yield from dense_places("pooler/dense", bert.pooler)


def dense_places(place, dense):
    """Lists the two weights of a `Dense` with their places."""
    yield from ((f"{place}/kernel", dense.kernel), (f"{place}/bias", dense.bias))


def norm_places(place, norm):
    """Lists the two weights of a `LayerNormalization` with their places."""
    yield from ((f"{place}/gamma", norm.gamma), (f"{place}/beta", norm.beta))


def spell(place, style, names=None, leaves=LEAVES):
    """Writes a place as a kind of file has it.

    Args:
        place: string.
        style: string, `"google"` for TensorFlow 1, `"bert"`, `"roberta"` or `"distilbert"` for Hugging Face.
        names: dict of what stands for what in places; `ENCODERS[style]` or `HEADS[style]`.
        leaves: dict of what kernels and so on are called.
    """
    for ours, theirs in (names or {}).items():
        if ours in place:
            place = place.replace(ours, theirs)
            if ours != "encoder/":  # the one that stands beside another
                break
    if style == "google":
        return place
    *path, leaf = re.sub(r"/layer_(\d)", r"/layer/\1", place).split("/")
    return ".".join([*path, leaves[leaf]] if leaf in leaves else [*path, leaf, "weight"])


def spell_tf2(place, source, num_layers):
    """Writes a place of the encoder as checkpoints of TensorFlow 2 have it: the one of its spellings that `source` has."""
    part, *rest = place.split("/")
    if part == "embeddings":
        spellings = [f"layer_with_weights-{TF2_EMBEDDINGS[rest[0]]}/{rest[1] if rest[1:] else 'embeddings'}"]
    elif part == "pooler":
        spellings = [f"{name}/{rest[-1]}" for name in (f"layer_with_weights-{num_layers + 4}", "pooler_layer", "next_sentence..pooler_dense")]
    else:
        layer, path = f"layer_with_weights-{int(rest[0].removeprefix('layer_')) + 4}", "/".join(rest[1:])
        ours = next(name for name in TF2_LAYER if path.startswith(name))
        theirs = [TF2_LAYER[ours], "_attention_layer/_output_dense/"] if ours == "attention/output/dense/" else [TF2_LAYER[ours]]
        spellings = [f"{layer}/{name}{path.removeprefix(ours)}" for name in theirs]
    spellings = [f"{prefix}{name}{TF2_SUFFIX}" for name in spellings for prefix in ("model/", "encoder/", "")]
    return next((name for name in spellings if name in source), spellings[0])


def target(place, variable, style):
    """Returns what `assign` takes for a weight."""
    kernel = place.endswith("/kernel")
    transposed = kernel and (style != "google" or HEADS["google"].get(place, "").endswith("output_weights"))
    return variable, from_matrix(variable, transposed)


def as_stored(place, variable):
    """Returns a variable's value as Hugging Face stores it: kernels as `(out, in)`."""
    array = as_matrix(variable)
    return array.T if place.endswith("/kernel") else array
