"""One training of a biLM, from text to a model in its directory."""

import hashlib
import math

import keras

from keras_richctx.elmo import BidirectionalLanguageModel, ELMo, build_vocabulary
from keras_richctx.text.corpus import read_texts
from richctx.console import command, say
from richctx.model_directory import ModelDirectory
from richctx.training_run import versions

MINI = {"filters": [(1, 32), (2, 32), (3, 64), (4, 128)], "num_highways": 1, "units": 512, "projection_dim": 64}


class ELMoDirectory(ModelDirectory):
    """A `ModelDirectory` whose model is in the published layout."""

    def __init__(self, path):
        super().__init__(path)
        self.model = self.path / "weights.hdf5"


def train_model(out, texts, start, settings):
    """Trains a biLM in a directory, or goes on with it there, and says how good it is.

    Args:
        out: path of the directory.
        texts: list of paths of files of sentences.
        start: path of the directory of an ELMo to go on from, or `None`.
        settings: dict of the options of `richctx train elmo`.

    Raises:
        ValueError: if the directory holds a model of other settings or text, or a text is not UTF-8 or too short.
        OSError: if the directory cannot be written to, or its disk is full.
        KeyboardInterrupt: on Ctrl-C, with the state saved.
    """
    sentences = [words for line in read_texts(texts) if (words := line.split())]
    held_out = sentences[len(sentences) - math.ceil(settings["validation"] * len(sentences)) :]
    training = sentences[: len(sentences) - len(held_out)]
    if not training:
        raise ValueError(f"Of {len(sentences)} sentences, {len(held_out)} are held out, and none is left. Give more text.")
    keras.utils.set_random_seed(settings["seed"])
    model = _model(training, start, settings)
    digest = hashlib.sha256("\n".join(" ".join(sentence) for sentence in sentences).encode()).hexdigest()[:16]
    directory = ELMoDirectory(out)
    result = directory.claim({**settings, "from": None if start is None else str(start), "text": digest, "weights": model.count_params()})
    if result:
        say(f"{out} holds this model, trained already: validation perplexity {result['perplexity']}. Nothing was done.")
        return
    directory.check_space(model)
    words = sum(map(len, training))
    say(f"{len(training):,} sentences of {words:,} words, {len(held_out):,} held out; {len(model.vocabulary):,} words to foretell; "
        f"{model.elmo.count_params():,} weights, and {model.softmax_kernel.shape[0] * (model.softmax_kernel.shape[1] + 1):,} of the softmax.")  # fmt: skip
    optimizer = {"adagrad": keras.optimizers.Adagrad, "adam": keras.optimizers.Adam}[settings["optimizer"]]
    options = {"initial_accumulator_value": 1.0} if settings["optimizer"] == "adagrad" else {}
    model.compile(optimizer(settings["learning_rate"], global_clipnorm=10.0, **options))
    windows = {"batch_size": settings["batch_size"], "unroll": settings["unroll"]}
    try:
        history = model.fit_sentences(training, **windows, epochs=settings["epochs"], checkpoint_dir=directory.checkpoint)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Run the same command again to go on.") from None
    rows = min(16, settings["batch_size"], len(held_out))
    perplexity = {name: round(value, 2) for name, value in model.perplexities(held_out, rows, settings["unroll"]).items()}
    model.save_to_preset(out)
    record = {name: [float(value) for value in values] for name, values in history.history.items()}
    directory.finish({"perplexity": perplexity, "validation_sentences": len(held_out), "history": record, "versions": versions()})
    say(f"Perplexity of {len(held_out):,} held-out sentences: {perplexity['forward']} forwards, {perplexity['backward']} backwards.")
    say(f"The model is in {out}. Vectors of a text:  {command()} embed {texts[0]} --model {out} --out vectors.h5")


def _model(training, start, settings):
    """Makes the model: new, or with weights to go on from, and with their softmax where there is one."""
    vocabulary = build_vocabulary(training, settings["vocab_size"])
    if start is None:
        shape = {**MINI, "dropout": settings["dropout"]} if settings["size"] == "mini" else {"dropout": settings["dropout"]}
        elmo = ELMo(**shape) if settings["size"] == "mini" else ELMo.from_preset(settings["size"], **shape)
        return BidirectionalLanguageModel(elmo, vocabulary, settings["samples"], seed=settings["seed"])
    known = (start / "vocabulary.txt").is_file()
    return BidirectionalLanguageModel.from_preset(start, None if known else vocabulary, settings["samples"], dropout=settings["dropout"])
