"""The files of ELMo, in the layout in which it was published: read and written whole."""

import json
import pathlib

from keras_richctx.checkpoints import assign, read_hdf5, write_hdf5
from keras_richctx.elmo.names import as_in_file, targets_of
from keras_richctx.elmo.options import read_options, write_options


def load(cls, preset, weights, options):
    """Makes a model of an options file and a file of weights; see `ELMo.from_preset`."""
    options_file, weights_file = find_files(preset, weights)
    arguments, source = read_options(options_file), read_hdf5(weights_file)
    # the training makes no projection where there are as many filters as the LSTM takes, and AllenNLP's own files have one always
    arguments["project_characters"] = "CNN_proj/W_proj" in source
    model = cls(**{**arguments, **options})
    assign(targets_of(model), source, variables=model.trainable_variables)
    return model


def save(model, preset_dir):
    """Writes a model as it was published; see `ELMo.save_to_preset`."""
    path = pathlib.Path(preset_dir)
    path.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for name, target in targets_of(model).items():
        pairs = target if isinstance(target, list) else [target]
        arrays[name] = as_in_file(name, [variable for variable, _ in pairs])
    write_hdf5(path / "weights.hdf5", arrays)
    (path / "options.json").write_text(json.dumps(write_options(model), indent=1) + "\n", encoding="utf-8")


def find_files(preset, weights=None):
    """Returns the paths of the options and of the weights of a preset; see `ELMo.from_preset`."""
    path = pathlib.Path(preset)
    if weights is not None:
        return path, pathlib.Path(weights)
    if path.is_file():
        raise ValueError(f"An options file needs a file of weights beside it. Received: preset={str(path)!r}, weights=None. Pass weights=, or the directory.")
    if not path.is_dir():
        raise FileNotFoundError(
            f"A preset is a directory with options and weights, an options file with weights=, or the name of a published size. "
            f"Received: preset={str(preset)!r}. Download the two files of the model into a directory first."
        )
    return _only(path, "*options.json"), _only(path, "*weights.hdf5")


def _only(path, pattern):
    found = sorted(path.glob(pattern))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "none"
        kind = FileNotFoundError if not found else ValueError
        raise kind(f"A directory holds one file of the name {pattern}. Received: {str(path)!r}, with {names}. Pass the files by preset= and weights=.")
    return found[0]
