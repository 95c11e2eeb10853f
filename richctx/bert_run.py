"""One pre-training of a BERT, from text to a model in its directory."""

import dataclasses
import hashlib

import keras_richctx.training
from keras_richctx.training.workers import Workers
from richctx.console import command, say
from richctx.model_directory import ModelDirectory
from richctx.training_run import versions


class BertDirectory(ModelDirectory):
    """A `ModelDirectory` whose model is in the layout of Hugging Face."""

    def __init__(self, path, writes=True):
        super().__init__(path, writes)
        self.model = self.path / "model.safetensors"


def train_model(out, texts, validation, start, recipe, strategy="one"):
    """Pre-trains a BERT in a directory, or goes on with it there, and says how good it is.

    Args:
        out: path of the directory.
        texts: list of paths of files of sentences.
        validation: list of such paths, or `None`.
        start: path of the directory of a BERT to go on from, or `None`.
        recipe: `Pretraining`.
        strategy: string, the name of a strategy of `keras_richctx.training`. Of several machines the chief writes to the directory, which all of them see.

    Raises:
        ValueError: if the directory holds a model of other settings or text, a text is not UTF-8 or too short, or there is no such strategy here.
        OSError: if the directory cannot be written to, or its disk is full.
        KeyboardInterrupt: on Ctrl-C, with the state saved.
    """
    files = [*texts, *(validation or ())]
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise FileNotFoundError(f"There is no such file of sentences: {', '.join(missing)}")
    devices = keras_richctx.training.strategy(strategy)  # before anything is computed
    tokenizer = None if start is not None else recipe.train_tokenizer(texts)
    with devices.scope():
        model = recipe.build(tokenizer, start)
    is_chief = Workers(model).is_chief
    directory = BertDirectory(out, writes=is_chief)
    plan = {"from": None if start is None else str(start), "text": _digest(texts), "validation": _digest(validation or ()), "weights": model.count_params()}
    result = directory.claim({**dataclasses.asdict(recipe), **plan})
    if result:
        say(f"{out} holds this model, trained already: {_shown(result['measures'])}. Nothing was done.")
        return
    directory.check_space(model)
    say(f"{model.tokenizer.vocab_size:,} tokens; {model.count_params():,} weights.")
    try:
        with devices.scope():
            history = recipe.fit(model, texts, validation, checkpoint_dir=directory.checkpoint)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Run the same command again to go on.") from None
    if not is_chief:
        return
    record = {name: [float(value) for value in values] for name, values in history.history.items()}
    measures = {name: values[-1] for name, values in record.items() if name.startswith("val_") == (validation is not None)}
    model.save_to_preset(out)
    directory.finish({"measures": measures, "history": record, "versions": versions()})
    say(f"{'Held-out text' if validation else 'The text itself, in its last pass'}: {_shown(measures)}.")
    say(f"The model is in {out}. Fine-tune it:  {command()} finetune TASK --weights {out} --out DIR")


def _shown(measures):
    return ", ".join(f"{name.removeprefix('val_').replace('_', ' ')} {value:.4f}" for name, value in measures.items())


def _digest(paths):
    """Returns a string that changes with the content of the files."""
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    return digest.hexdigest()[:16]
