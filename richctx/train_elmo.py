"""`richctx train elmo`."""

import enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from richctx.quiet import import_quietly

of_model = partial(typer.Option, rich_help_panel="The model")
of_training = partial(typer.Option, rich_help_panel="The training")


class Size(enum.StrEnum):
    """The published shapes, and a small one."""

    mini = enum.auto()
    small = enum.auto()
    medium = enum.auto()
    original = enum.auto()


class Optimizer(enum.StrEnum):
    """The published one, and the other."""

    adagrad = enum.auto()
    adam = enum.auto()


def train_elmo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory of the model, or of a training to go on with.", show_default=False)],
    text: Annotated[list[Path], typer.Option(metavar="FILE", help="UTF-8 text, a sentence a line, its words between spaces; may be given again.")],
    start: Annotated[Path | None, of_model("--from", metavar="DIR", help="An ELMo to go on from, on this text.", show_default="new weights")] = None,
    size: Annotated[Size, of_model(help="The shape of new weights: a published one, or mini, of 512 units and 64 numbers a direction.")] = Size.mini,
    vocab_size: Annotated[int, of_model(min=4, help="The most words to foretell; others are read, and foretold as unknown.")] = 50_000,
    dropout: Annotated[float, of_model(min=0, max=0.99, help="The share of features dropped in training.")] = 0.1,
    samples: Annotated[int, of_training(min=1, help="Words in a sample of the softmax.")] = 8192,
    optimizer: Annotated[Optimizer, of_training(help="adagrad, as published, or adam.")] = Optimizer.adagrad,
    learning_rate: Annotated[float | None, of_training(min=0, help="Of the optimizer.", show_default="0.2 of adagrad, 0.001 of adam")] = None,
    epochs: Annotated[int, of_training(min=1, help="Passes over the text.")] = 10,
    batch_size: Annotated[int, of_training(min=1, help="Rows that are read side by side.")] = 128,
    unroll: Annotated[int, of_training(min=1, help="Words of a window, over which gradients go back.")] = 20,
    validation: Annotated[float, of_training(min=0.001, max=0.5, help="The share of sentences that is held out, from the end.")] = 0.02,
    seed: Annotated[int, of_training(help="Of the first weights, the samples and the dropout.")] = 0,
):
    """Train ELMo on text: a language model that reads both ways.

    The same command goes on where it was stopped. DIR then holds options.json and weights.hdf5 in the published layout, what training can go on with
    (vocabulary.txt, softmax.hdf5), and training.json (settings, history, perplexities, versions).
    """
    import_quietly()
    from richctx.elmo_run import train_model

    rate = learning_rate or {"adagrad": 0.2, "adam": 0.001}[optimizer]
    settings = {"size": size.value, "vocab_size": vocab_size, "dropout": dropout, "samples": samples, "optimizer": optimizer.value, "learning_rate": rate}
    settings |= {"epochs": epochs, "batch_size": batch_size, "unroll": unroll, "validation": validation, "seed": seed}
    train_model(out, text, start, settings)
