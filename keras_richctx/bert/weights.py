"""The files of BERT, RoBERTa and DistilBERT: read and written whole."""

import dataclasses
import json
import pathlib
import warnings
from collections.abc import Mapping

import numpy as np

from keras_richctx.bert.config import read_config, write_config
from keras_richctx.bert.names import ENCODERS, HEADS, OLD_LEAVES, TF2_SUFFIX, as_stored, encoder_places, pooler_places, spell, spell_tf2, target
from keras_richctx.checkpoints import assign, fetch_preset, read_pytorch_weights, read_safetensors, read_tf_checkpoint, write_safetensors
from keras_richctx.checkpoints.read_json import read_json
from keras_richctx.text import ByteLevelBPETokenizer, WordPieceTokenizer

# What a file may hold beside the encoder. A model leaves out the heads that are not its own.
HEAD_PATTERNS = {
    "pretraining": ["cls.*", "lm_head.*", "vocab_transform.*", "vocab_layer_norm.*", "vocab_projector.*", "cls/predictions/*", "cls/seq_relationship/*"],
    "classifier": ["classifier.*", "pre_classifier.*", "output_weights", "output_bias"],
    "span": ["qa_outputs.*", "cls/squad/*"],
}
BUFFERS = ["embeddings.position_ids", "embeddings.token_type_ids"]  # numbers of positions, which older files hold as if they were weights
OPTIMIZER = ["*/adam_m", "*/adam_v", "global_step", "*.OPTIMIZER_SLOT*", "*optimizer/*", "save_counter*", "_CHECKPOINTABLE_OBJECT_GRAPH"]
TF2_HEADS = ["*masked_lm/*", "*next_sentence/*", "*next_sentence../*", "*classification/*"]
# the output layer that is the embedding, and its bias: copies, which some files hold too, or instead
COPIES = {
    "bert": {"embeddings.word_embeddings.weight": "cls.predictions.decoder.weight", "cls.predictions.bias": "cls.predictions.decoder.bias"},
    "roberta": {"embeddings.word_embeddings.weight": "lm_head.decoder.weight", "lm_head.bias": "lm_head.decoder.bias"},
    "distilbert": {"embeddings.word_embeddings.weight": "vocab_projector.weight"},
}


@dataclasses.dataclass
class Preset:
    """What a directory holds: its path, its config, its arrays by name, and in which style these are named."""

    path: pathlib.Path
    config: dict
    source: Mapping
    style: str  # "bert", "roberta", "distilbert", or "google"

    @property
    def prefix(self):
        """What stands before the names of the encoder: the type and a dot, or nothing."""
        if self.style == "google":
            return "bert/"
        return f"{self.style}." if any(name.startswith(f"{self.style}.embeddings.") for name in self.source) else ""

    @property
    def is_tf2(self):
        """Whether the names are paths through objects."""
        return self.style == "google" and any(name.endswith(TF2_SUFFIX) for name in self.source)

    def find(self, place, names):
        """Returns the name under which the weight of a place stands, or would stand. `names` is `ENCODERS` or `HEADS`."""
        prefix = self.prefix if names is ENCODERS else ""
        if self.is_tf2 and names is ENCODERS:
            return spell_tf2(place, self.source, self.config["num_hidden_layers"])
        spelled = spell(place, self.style, names.get(self.style))
        if self.style == "google":
            return prefix + spelled
        old = spell(place, self.style, names.get(self.style), OLD_LEAVES)
        spellings = [prefix + spelled, prefix + old, COPIES[self.style].get(spelled, "")]
        return next((name for name in spellings if name in self.source), spellings[0])


def open_preset(preset):
    """Reads the words and opens the weights of a directory; see `Bert.from_preset`."""
    path = fetch_preset(preset)
    if not (path / "config.json").is_file() and (path / "bert_config.json").is_file():
        return Preset(path, read_json(path / "bert_config.json"), read_tf_checkpoint(path), "google")
    config = read_json(path / "config.json")
    read_config(config, path)  # what is not read here is refused before the weights are looked at
    has_safetensors = any(path.glob("*.safetensors")) or (path / "model.safetensors.index.json").is_file()
    has_pickle = (path / "pytorch_model.bin").is_file() or (path / "pytorch_model.bin.index.json").is_file()
    source = read_pytorch_weights(path) if has_pickle and not has_safetensors else read_safetensors(path)
    return Preset(path, config, source, config["model_type"])


def read_tokenizer(opened, tokenizer):
    """Returns the tokenizer of a directory where `tokenizer` is `"auto"`."""
    if tokenizer != "auto":
        return tokenizer
    return (ByteLevelBPETokenizer if opened.style == "roberta" else WordPieceTokenizer).from_preset(opened.path)


def make_bert(cls, opened, tokenizer, options):
    """Makes the `Bert` of a directory, its weights still new."""
    arguments = {**read_config(opened.config, opened.path, opened.style == "google"), **options}
    if "pooler" not in options:
        arguments["pooler"] = opened.find("pooler/dense/kernel", ENCODERS) in opened.source
    return cls(read_tokenizer(opened, tokenizer), **arguments)


def load(cls, preset, tokenizer, options):
    """Makes a model of a directory; see `Bert.from_preset`."""
    opened = open_preset(preset)
    bert = make_bert(cls, opened, tokenizer, options)
    fill(opened, bert)
    return bert


def fill(opened, bert, groups=(), own=None):
    """Puts the weights of a directory into a model: those of the encoder, which must all be there, and of groups that are there whole or are left as they are.

    Args:
        opened: a `Preset`.
        bert: a `Bert`.
        groups: list of lists of pairs of a place and a variable: the parts of the head.
        own: string, which of `HEAD_PATTERNS` is the model's own, whose arrays may not be left over; or `None`.
    """
    targets = {opened.find(place, ENCODERS): target(place, variable, opened.style) for place, variable in encoder_places(bert)}
    named = [(list(group), HEADS) for group in groups]
    if bert.pooler is not None:
        named.append((list(pooler_places(bert)), ENCODERS))
    new = []
    for group, names in named:
        found = {opened.find(place, names): target(place, variable, opened.style) for place, variable in group}
        if not any(name in opened.source for name in found):
            new += [(name, variable) for name, (variable, _) in found.items()]
        else:
            targets |= found
    ignored = [pattern for head, patterns in HEAD_PATTERNS.items() if head != own for pattern in patterns]
    ignored += OPTIMIZER + TF2_HEADS if opened.style == "google" else [opened.prefix + name for name in BUFFERS]
    if bert.pooler is None:
        ignored += [f"{opened.prefix}pooler*", "*pooler_layer/*", "*pooler_dense/*", f"*layer_with_weights-{bert.num_layers + 4}/*"]
    ignored += _check_copies(opened, targets)
    assign(targets, opened.source, ignored=ignored, variables=[variable for variable, _ in targets.values()])
    if new:
        warnings.warn(
            f"{opened.path} has no weights for {', '.join(variable.path for _, variable in new)} (looked for {', '.join(name for name, _ in new)}). "
            "They are new, and have to be trained.",
            stacklevel=4,
        )


def _check_copies(opened, targets):
    """Returns the names of the copies of weights, and raises where one is not what it is a copy of."""
    copies = []
    for name, copy in COPIES.get(opened.style, {}).items():
        original = (opened.prefix if name.startswith("embeddings") else "") + name
        if copy in opened.source and copy not in targets:
            if original in opened.source and not np.array_equal(opened.source[original], opened.source[copy]):
                raise ValueError(f"The output layer of these weights is not their embedding and its bias. Received: {copy} in {opened.path}")
            copies.append(copy)
    return copies


def save(model, preset_dir, bert=None, places=(), words=None):
    """Writes a model in the layout of Hugging Face; see `Bert.save_to_preset`.

    Args:
        model: a `Bert`, or a model with a head on one.
        preset_dir: path of the directory.
        bert: the `Bert` under a head, or `None` where it is the model.
        places: list of pairs of a place and a variable: the head.
        words: dict, what the config says of the head.
    """
    path, prefix = pathlib.Path(preset_dir), "" if bert is None else f"{bert.model_type}."
    bert = model if bert is None else bert
    style = bert.model_type
    architecture = {"bert": "Bert", "roberta": "Roberta", "distilbert": "DistilBert"}[style]
    words = {"architectures": [f"{architecture}Model"]} if words is None else {**words, "architectures": [architecture + words["architecture"]]}
    words.pop("architecture", None)
    own = [*encoder_places(bert), *(pooler_places(bert) if bert.pooler is not None else ())]
    arrays = {prefix + spell(place, style, ENCODERS[style]): as_stored(place, variable) for place, variable in own}
    arrays |= {spell(place, style, HEADS[style]): as_stored(place, variable) for place, variable in places}
    config = {**write_config(bert), **words}
    path.mkdir(parents=True, exist_ok=True)
    write_safetensors(path / "model.safetensors", arrays, {"format": "pt"})
    (path / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    if bert.tokenizer is not None:
        bert.tokenizer.save_to_preset(path)
        if isinstance(bert.tokenizer, ByteLevelBPETokenizer):
            bert.tokenizer.save_vocabulary(path)
