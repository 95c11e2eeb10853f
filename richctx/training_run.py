"""One training, from pairs to a model in its directory."""

import dataclasses
import platform
import time
from importlib.metadata import version

import keras

import keras_richctx.training
from keras_richctx.training.workers import Workers
from keras_richctx.translation.evaluate import evaluate
from richctx.console import command, say
from richctx.data import fingerprint, select
from richctx.model_directory import ModelDirectory

JUDGED = 1000  # validation sentences that are translated at the end, for their BLEU


def train_model(out, pairs, validation, recipe, strategy="one"):
    """Trains a translation model in a directory, or goes on with it there, and says how good it is.

    Args:
        out: path of the directory.
        pairs: `Pairs` to train on.
        validation: `Pairs` that share no source sentence with them.
        recipe: `Recipe`.
        strategy: string, the name of a strategy of `keras_richctx.training`. Of several machines the chief writes to the directory, which all of them see.

    Raises:
        ValueError: if the directory holds a model of other settings, pairs or vocabularies, or there is no such strategy here.
        OSError: if the directory cannot be written to, or its disk is full.
        KeyboardInterrupt: on Ctrl-C, with the state saved.
    """
    devices = keras_richctx.training.strategy(strategy)  # before anything is computed
    tokenizers = recipe.train_tokenizers(pairs)
    with devices.scope():
        model = recipe.build(*tokenizers)
    is_chief = Workers(model).is_chief
    directory = ModelDirectory(out, writes=is_chief)
    result = directory.claim(_plan(pairs, validation, recipe, tokenizers))
    if result:
        say(f"{out} holds this model, trained already: validation BLEU {result['validation_bleu']:.1f}. Nothing was done.")
        return
    directory.check_space(model)
    sizes = " and ".join(f"{tokenizer.vocab_size:,}" for tokenizer in tokenizers)
    say(f"{len(pairs):,} pairs to train on, {len(validation):,} to validate on; vocabularies of {sizes}; {model.count_params():,} weights.")
    begun = time.monotonic()
    try:
        with devices.scope():
            history = recipe.fit(model, pairs, validation, directory.checkpoint)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Run the same command again to go on.") from None
    if not is_chief:
        return
    seconds = time.monotonic() - begun
    directory.save(model)
    measures = evaluate(model, select(validation, sentences=JUDGED))
    judged = len(measures["translations"])
    directory.finish(
        {
            "validation_bleu": measures["bleu"],
            "validation_sentences": judged,
            "seconds_of_last_session": round(seconds, 1),
            "history": {name: [float(value) for value in values] for name, values in history.history.items()},
            "versions": versions(),
        }
    )
    say(f"Validation BLEU {measures['bleu']:.1f} on {judged:,} sentences. The model is in {out}; translate with it:")
    say(f'{command()} translate run {out} "{validation.source[0]}"')


def _plan(pairs, validation, recipe, tokenizers):
    """What the trained model hangs on."""
    source, target = tokenizers
    return {
        **dataclasses.asdict(recipe),
        "pairs to train on": fingerprint(pairs),
        "pairs to validate on": fingerprint(validation),
        "source vocabulary": source.fingerprint,
        "target vocabulary": target.fingerprint,
    }


def versions():
    """Returns the versions that a trained model hangs on, as a dict of strings."""
    backend = keras.backend.backend()
    return {"python": platform.python_version(), "keras-richctx": version("keras-richctx"), "keras": keras.version(), backend: version(backend)}
