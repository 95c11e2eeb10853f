"""The attention of a model in a text, as a file."""

import json

import keras

import keras_richctx as krc
from richctx.console import say
from richctx.files import written_whole

SUFFIXES = (".html", ".png", ".svg", ".pdf")


def write_attention(path, text, pair, out, layers, show):
    """Writes the attention maps of a text, or of a pair of texts.

    Args:
        path: path of the directory of the model, or of its `.keras` file.
        text: string.
        pair: string, the second text, or `None`.
        out: path of the file, which is not there yet.
        layers: list of names of layers, with `*` for anything, or `None` for all.
        show: string, `"lines"`, `"grid"` or `"neurons"`, what an `.html` shows.

    Raises:
        FileNotFoundError: if there is no model.
        FileExistsError: if `out` is there already.
        ValueError: if `out` is of another kind, the model is damaged, has no attention or does not read texts, or a picture is asked for what only an `.html`
            shows.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"A map is written as {', '.join(SUFFIXES)}. Received: --out {out}")
    if show != "lines" and out.suffix.lower() != ".html":
        raise ValueError(f"A picture shows all heads, without lines and numbers. Received: --show {show} for {out}. Choose an .html, or leave out --show.")
    if out.exists():
        raise FileExistsError(f"{out} is there already. Choose another --out, or delete it; nothing was changed.")
    maps = krc.attention_maps(open_model(path), text if pair is None else (text, pair), layers=layers or None)
    with written_whole(out) as part:
        if show == "lines":
            maps.save(part)
        else:
            getattr(maps, show)().save(part)
    say(f"{out}: {', '.join(f'{name} ({weights.shape[1]})' for name, weights in maps.items())}, with the number of heads of each.")
    for note in dict.fromkeys(maps.notes.values()):
        say(note)


def open_model(path):
    """Opens a model of any kind by what is in its directory.

    Args:
        path: path of a directory, or of a `.keras` file.

    Returns:
        A `keras.Model`.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if its files are damaged.
    """
    file = path if path.is_file() else path / "model.keras"
    if file.is_file():
        try:
            return keras.saving.load_model(file)
        except Exception as error:  # a damaged archive can fail in any way
            raise ValueError(f"{file} cannot be read as a model: {type(error).__name__}: {error}") from error
    config = path / "config.json"
    if config.is_file():
        try:
            model_type = json.loads(config.read_text(encoding="utf-8")).get("model_type")
        except (ValueError, AttributeError) as error:
            raise ValueError(f"{config} is damaged ({error}). Put a copy back.") from error
        model_class = {"gpt2": krc.models.GPT2, "openai-gpt": krc.models.GPT}.get(model_type, krc.models.Bert)
        return model_class.from_preset(path)
    for name, model_class in (("bert_config.json", krc.models.Bert), ("hparams.json", krc.models.GPT2)):
        if (path / name).is_file():
            return model_class.from_preset(path)
    raise FileNotFoundError(f"{path} holds no model that attends: neither model.keras nor config.json, bert_config.json or hparams.json.")
