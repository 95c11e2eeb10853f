"""`richctx train bert`."""

import enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from richctx.options import StrategyOption
from richctx.quiet import import_quietly

of_model = partial(typer.Option, rich_help_panel="The model")
of_masks = partial(typer.Option, rich_help_panel="What is masked")
of_training = partial(typer.Option, rich_help_panel="The training")


class Unit(enum.StrEnum):
    """What is masked at once."""

    token = enum.auto()
    word = enum.auto()
    span = enum.auto()


class Masking(enum.StrEnum):
    """Whether masks are fresh in each pass."""

    dynamic = enum.auto()
    static = enum.auto()


def train_bert(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory of the model, or of a training to go on with.", show_default=False)],
    text: Annotated[
        list[Path], typer.Option(metavar="FILE", help="UTF-8 text, a sentence a line, an empty line between documents; may be given again.", show_default=False)
    ],
    validation: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Text to measure on after each pass, not trained on.", show_default="none")
    ] = None,
    start: Annotated[Path | None, of_model("--from", metavar="DIR", help="A BERT to go on from, on this text.", show_default="new weights")] = None,
    size: Annotated[str, of_model(help="A published size: bert_tiny, bert_mini, ..., bert_l6_h256, roberta_base, distilbert_base, ...")] = "bert_tiny",
    vocab_size: Annotated[int, of_model(min=300, help="The most tokens of the vocabulary, which is made of the text.")] = 30_000,
    cased: Annotated[bool, of_model("--cased", help="Keep case and accents.")] = False,
    length: Annotated[int, of_model(min=8, help="Tokens of a row.")] = 128,
    dropout: Annotated[float, of_model(min=0, max=0.99, help="The share of features dropped in training.")] = 0.1,
    next_sentence: Annotated[
        bool, of_masks("--next-sentence/--full-sentences", help="Pairs of texts, is the second one next; or rows filled with sentences, as RoBERTa's.")
    ] = True,
    unit: Annotated[Unit, of_masks(help="Single tokens, whole words, or spans of words.")] = Unit.token,
    masking: Annotated[Masking, of_masks(help="Fresh masks in each pass, or ten copies in turn.")] = Masking.dynamic,
    rate: Annotated[float, of_masks(min=0.01, max=0.9, help="The part of the tokens that is masked.")] = 0.15,
    epochs: Annotated[int, of_training(min=1, help="Passes over the text.")] = 40,
    batch_size: Annotated[int, of_training(min=1, help="Rows in a step.")] = 256,
    learning_rate: Annotated[float, of_training(min=0, help="The highest; it falls to zero by the end.")] = 1e-4,
    warmup: Annotated[float, of_training(min=0, max=0.99, help="The part of the steps in which the rate rises.")] = 0.01,
    weight_decay: Annotated[float, of_training(min=0, max=0.99, help="Of AdamW; not of biases and layer normalisations.")] = 0.01,
    seed: Annotated[int, of_training(help="Of the first weights, of dropout and of what is masked.")] = 0,
    strategy: StrategyOption = "one",
):
    """Pre-train BERT on text: fill gaps, and tell whether the second of two texts is next.

    The same command goes on where it was stopped, at its very step. DIR then holds the model in the layout of Hugging Face, which `Bert.from_preset` and
    `richctx finetune` read, and training.json (settings, history, accuracies, versions).
    """
    import_quietly()
    from keras_richctx.bert.pretraining import Pretraining
    from richctx.bert_run import train_model

    recipe = Pretraining(
        size=size,
        vocab_size=vocab_size,
        lowercase=not cased,
        length=length,
        next_sentence=next_sentence,
        unit=unit.value,
        masking=masking.value,
        rate=rate,
        batch_size=batch_size,
        epochs=epochs,
        learning_rate=learning_rate,
        warmup=warmup,
        weight_decay=weight_decay,
        dropout=dropout,
        seed=seed,
    )
    train_model(out, text, validation, start, recipe, strategy)
