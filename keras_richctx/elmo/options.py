"""What the words of an `options.json` say, in AllenNLP's layout."""

import json
import pathlib

# what the training writes there beside the shapes, and reading the weights has no need of
OF_TRAINING = {"all_clip_norm_val", "batch_size", "dropout", "n_epochs", "n_negative_samples_batch", "n_tokens_vocab", "n_train_tokens", "unroll_steps"}
CHAR_CNN = {"activation", "embedding", "filters", "max_characters_per_token", "n_characters", "n_highway"}
LSTM = {"cell_clip", "dim", "n_layers", "proj_clip", "projection_dim", "use_skip_connections"}


def read_options(path):
    """Turns an `options.json` into arguments of `ELMo`; a word that would compute something else is an error."""
    path = pathlib.Path(path)
    try:
        options = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no such options file. Received: {str(path)!r}") from None
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}. Fetch it again.") from error
    if not isinstance(options, dict) or not {"lstm", "char_cnn"} <= options.keys():
        received = sorted(options) if isinstance(options, dict) else type(options).__name__
        raise ValueError(f"The options of an ELMo with characters have the parts 'lstm' and 'char_cnn'. Received: {received} in {path}")
    _check_words(options, {"lstm", "char_cnn", "bidirectional", *OF_TRAINING}, "the options", path)
    _check_words(options["lstm"], LSTM, "'lstm'", path)
    _check_words(options["char_cnn"], CHAR_CNN, "'char_cnn'", path)
    if options.get("bidirectional", True) is not True:
        raise ValueError(f"ELMo reads both ways. Received: bidirectional={options['bidirectional']!r} in {path}")
    try:
        return _arguments(options["lstm"], options["char_cnn"], path)
    except KeyError as error:
        raise ValueError(f"The options lack {error}. Received: {path}") from error


def write_options(model):
    """Makes the `options.json` of a model, as a dict."""
    cnn, bilm = model.character_cnn, model.bilm
    return {
        "lstm": {
            "use_skip_connections": bilm.skip_connections,
            "projection_dim": bilm.projection_units,
            "cell_clip": bilm.cell_clip,
            "proj_clip": bilm.projection_clip,
            "dim": bilm.units,
            "n_layers": bilm.num_layers,
        },
        "char_cnn": {
            "activation": cnn.activation,
            "filters": [list(pair) for pair in cnn.filters],
            "n_highway": cnn.num_highways,
            "embedding": {"dim": cnn.embedding_dim},
            "n_characters": cnn.num_characters,
            "max_characters_per_token": model.max_characters,
        },
    }


def _arguments(lstm, cnn, path):
    if cnn["n_characters"] not in (261, 262):  # the training counts no id for "no word", and reading does
        raise ValueError(f"There are 262 ids of characters, or 261 without that of no word. Received: n_characters={cnn['n_characters']!r} in {path}")
    return {
        "filters": cnn["filters"],
        "embedding_dim": cnn["embedding"]["dim"],
        "num_highways": cnn.get("n_highway") or 0,
        "activation": cnn["activation"],
        "max_characters": cnn["max_characters_per_token"],
        "num_layers": lstm["n_layers"],
        "units": lstm["dim"],
        "projection_dim": lstm["projection_dim"],
        "cell_clip": lstm.get("cell_clip"),
        "projection_clip": lstm.get("proj_clip"),
        "skip_connections": bool(lstm.get("use_skip_connections")),
    }


def _check_words(part, known, where, path):
    if not isinstance(part, dict):
        raise ValueError(f"{where} of an ELMo's options is a table. Received: {part!r} in {path}")
    unknown = sorted(part.keys() - known)
    if unknown:
        raise ValueError(f"There are words in {where} that are not computed here: these are not the options of an ELMo. Received: {unknown} in {path}")
