"""The sizes that were published, by name."""

TINY, MINI, SMALL, MEDIUM = (2, 128), (4, 256), (4, 512), (8, 512)
BASE, LARGE = (12, 768), (24, 1024)


def _bert(num_layers, width):
    return {"num_layers": num_layers, "width": width, "num_heads": width // 64}


def _roberta(num_layers, width):
    return {**_bert(num_layers, width), "model_type": "roberta", "num_segments": 1, "pad_id": 1, "layer_norm_epsilon": 1e-5}


PRESETS = {
    # the 24 of Turc et al., 2019, by their layers and width; five of them have names
    **{f"bert_l{num_layers}_h{width}": _bert(num_layers, width) for num_layers in (2, 4, 6, 8, 10, 12) for width in (128, 256, 512, 768)},
    "bert_tiny": _bert(*TINY),
    "bert_mini": _bert(*MINI),
    "bert_small": _bert(*SMALL),
    "bert_medium": _bert(*MEDIUM),
    "bert_base": _bert(*BASE),
    "bert_large": _bert(*LARGE),
    "roberta_base": _roberta(*BASE),
    "roberta_large": _roberta(*LARGE),
    "distilbert_base": {**_bert(6, 768), "model_type": "distilbert", "num_segments": 0, "pooler": False},
}
