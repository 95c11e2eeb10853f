"""`richctx translate train`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from richctx.options import DataOption, PairsOption, SkipEmptyOption, StrategyOption, TargetOption
from richctx.quiet import import_quietly

of_model = partial(typer.Option, rich_help_panel="The model")
of_seq2seq = partial(typer.Option, rich_help_panel="The model, if it is seq2seq")
of_transformer = partial(typer.Option, rich_help_panel="The model, if it is a Transformer")
of_training = partial(typer.Option, rich_help_panel="The training")


def train(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory of the model, or of a training to go on with.", show_default=False)],
    pairs: PairsOption = None,
    target: TargetOption = None,
    data: DataOption = None,
    skip_empty: SkipEmptyOption = False,
    validation: Annotated[int | None, typer.Option(min=1, help="Sentences of --pairs to hold out.", show_default="one in twenty, up to 1000")] = None,
    model: Annotated[str, of_model(help="seq2seq (recurrent, with Bahdanau's attention) or transformer.")] = "seq2seq",
    tokenizer: Annotated[str | None, of_model(help="word, or bpe for sub-words.", show_default="word for phrasebook, else bpe")] = None,
    vocab_size: Annotated[int, of_model(help="The most tokens of each language.")] = 4000,
    max_length: Annotated[int, of_model(min=2, help="The longest sentence to train on, in tokens; longer ones are left out.")] = 100,
    units: Annotated[int, of_model(min=2, help="The width of the states, or of a Transformer; even.")] = 256,
    embedding_dim: Annotated[int, of_seq2seq(min=1, help="The width of the word embeddings.")] = 128,
    cell: Annotated[str, of_seq2seq(help="gru, lstm or rnn.")] = "gru",
    attention: Annotated[str, of_seq2seq(help="bahdanau, luong or fixed (none).")] = "bahdanau",
    score: Annotated[
        str | None,
        of_seq2seq(help="additive, dot, scaled_dot, general, cosine or location.", show_default="additive for bahdanau, general for luong"),
    ] = None,
    num_layers: Annotated[int, of_transformer(min=1, help="Layers of the encoder and of the decoder.")] = 3,
    num_heads: Annotated[int, of_transformer(min=1, help="Heads of each attention; they divide --units.")] = 4,
    norm: Annotated[str, of_transformer(help="Layer normalisation before each sub-layer, pre, or after it, post.")] = "pre",
    warmup_steps: Annotated[int, of_transformer(min=0, help="The first steps, over which the learning rate rises.")] = 200,
    label_smoothing: Annotated[float, of_transformer(min=0, max=0.99, help="The part of each label that is shared out over all words.")] = 0.1,
    dropout: Annotated[float, of_model(min=0, max=0.99, help="The share of features dropped in training.")] = 0.1,
    coverage: Annotated[float, of_seq2seq(min=0, help="How much attention is asked to look at each source word once.")] = 0.0,
    epochs: Annotated[int | None, of_training(min=1, help="Passes over the pairs.", show_default="10, without --minutes")] = None,
    minutes: Annotated[float | None, of_training(min=0.01, help="How long to train, on the clock, in place of --epochs.", show_default=False)] = None,
    batch_size: Annotated[int, of_training(min=1, help="Pairs in a step.")] = 128,
    learning_rate: Annotated[float | None, of_training(help="The highest; it falls to zero by the end.", show_default="0.004, of a Transformer 0.001")] = None,
    patience: Annotated[
        int | None,
        of_training(min=0, help="Epochs without a better validation loss after which to stop, with the best weights.", show_default="never"),
    ] = None,
    seed: Annotated[int, of_training(help="Of the first weights and the order of the pairs.")] = 0,
    strategy: StrategyOption = "one",
):
    """Train a translation model on sentence pairs: your own (--pairs) or a data set (--data).

    The same command goes on where it was stopped, by Ctrl-C, a kill or a crash. DIR then holds model.keras, training.json (settings, history, validation
    BLEU, versions) and the last checkpoint.
    """
    if epochs is not None and minutes is not None:
        raise typer.BadParameter("Training ends after --epochs or after --minutes: give one of the two.")
    import_quietly()
    from keras_richctx.translation.recipe import Recipe
    from richctx.data import hold_out, read
    from richctx.training_run import train_model

    recipe = Recipe(
        model=model,
        tokenizer=tokenizer or ("word" if data == "phrasebook" else "bpe"),
        vocab_size=vocab_size,
        max_length=max_length,
        units=units,
        embedding_dim=embedding_dim,
        cell=cell,
        attention=attention,
        score=score,
        num_layers=num_layers,
        num_heads=num_heads,
        norm=norm,
        label_smoothing=label_smoothing,
        warmup_steps=warmup_steps,
        dropout=dropout,
        coverage=coverage,
        batch_size=batch_size,
        learning_rate=learning_rate,
        epochs=epochs or (10 if minutes is None else None),
        minutes=minutes,
        patience=patience,
        seed=seed,
    )
    training = read(pairs, target, data, "train", skip_empty)
    if data is None:
        training, held_out = hold_out(training, validation)
    else:
        held_out = read(pairs, target, data, "validation")
    train_model(out, training, held_out, recipe, strategy)
