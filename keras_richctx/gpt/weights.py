"""The files of GPT and GPT-2: read and written whole."""

import json
import pathlib

import numpy as np

from keras_richctx.checkpoints import assign, fetch_preset, read_safetensors, read_tf_checkpoint, write_safetensors
from keras_richctx.checkpoints.matrices import as_matrix
from keras_richctx.checkpoints.read_json import read_json
from keras_richctx.gpt.config import read_config, write_config
from keras_richctx.gpt.names import WORDS, targets_of
from keras_richctx.text import ByteLevelBPETokenizer

IGNORED = ("*.attn.bias", "*.attn.masked_bias")  # causal masks, which older files hold as if they were weights


def load(cls, preset_dir, tokenizer, options):
    """Makes a model of a directory; see `GPT2.from_preset`."""
    path = fetch_preset(preset_dir)
    is_openai = not (path / "config.json").is_file() and (path / "hparams.json").is_file()
    if is_openai:
        config = read_json(path / "hparams.json")
        source, style = read_tf_checkpoint(path), "openai"
    else:
        config = read_json(path / "config.json")
        source, style = read_safetensors(path), cls.model_type
        if config.get("model_type") != cls.model_type:
            raise ValueError(f"{cls.__name__} reads models of the type {cls.model_type!r}. Received: model_type={config.get('model_type')!r} in {path}")
    arguments = read_config(config, cls.model_type, path, options)
    tokenizer = ByteLevelBPETokenizer.from_preset(path) if tokenizer is None else tokenizer
    model = cls(tokenizer, **arguments)
    targets = targets_of(model, style)
    ignored = []
    if style != "openai":
        prefix = next((p for p in ("transformer.", "") if f"{p}{WORDS[style]}" in source), "")
        targets = {prefix + name: target for name, target in targets.items()}
        ignored = [prefix + pattern for pattern in IGNORED]
        if "lm_head.weight" in source:
            words = source[prefix + WORDS[style]]
            if not np.array_equal(source["lm_head.weight"], words):
                raise ValueError(f"The output layer of these weights is not their embedding, as it is in {cls.__name__}. Received: lm_head.weight in {path}")
            ignored.append("lm_head.weight")
    assign(targets, source, ignored=ignored, variables=model.weights)
    return model


def save(model, preset_dir):
    """Writes a model in the layout of Hugging Face; see `GPT2.save_to_preset`."""
    path = pathlib.Path(preset_dir)
    path.mkdir(parents=True, exist_ok=True)
    style = model.model_type
    arrays = {}
    for name, target in targets_of(model, style).items():
        pairs = target if isinstance(target, list) else [target]
        parts = [as_matrix(variable) for variable, _ in pairs]
        arrays[f"transformer.{name}"] = np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]
    write_safetensors(path / "model.safetensors", arrays, {"format": "pt"})
    (path / "config.json").write_text(json.dumps(write_config(model), indent=1) + "\n", encoding="utf-8")
    model.tokenizer.save_to_preset(path)
    if isinstance(model.tokenizer, ByteLevelBPETokenizer):
        model.tokenizer.save_vocabulary(path)
