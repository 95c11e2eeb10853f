"""`richctx finetune`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from richctx.quiet import import_quietly

of_training = partial(typer.Option, rich_help_panel="The training")
of_features = partial(typer.Option, rich_help_panel="The encoder as it is, for features")


def finetune(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="cola, sst-2, mrpc, sts-b, qqp, mnli (or mnli-m, mnli-mm), qnli, rte, wnli, squad-1.1, squad-2.0, conll2003 or wnut17.",
            show_default=False,
        ),
    ],
    weights: Annotated[str, typer.Option(metavar="DIR|hf://NAME", help="A BERT, RoBERTa or DistilBERT, of Hugging Face or Google.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory of the results, or of a training to go on with.", show_default=False)],
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The directory of the official files.", show_default="what KERAS_RICHCTX_DATA names, or a download")
    ] = None,
    learning_rate: Annotated[
        list[float] | None, of_training(help="The highest; given several times, each is tried.", show_default="as published; 0.001 with --frozen")
    ] = None,
    batch_size: Annotated[int | None, of_training(min=1, help="Examples in a step.", show_default="as published")] = None,
    epochs: Annotated[int | None, of_training(min=1, help="Passes over the examples.", show_default="as published, 2 to 4; 10 with --frozen")] = None,
    max_length: Annotated[int | None, of_training(min=8, help="The most tokens of a row.", show_default="128, and 384 for SQuAD")] = None,
    warmup: Annotated[float, of_training(min=0, max=0.99, help="The part of the steps in which the rate rises.")] = 0.1,
    weight_decay: Annotated[float, of_training(min=0, max=0.99, help="Of AdamW; not of biases and layer normalisations.")] = 0.01,
    layer_decay: Annotated[
        float | None, of_training(min=0.01, max=1, help="How much of a layer's rate the one below it has.", show_default="one rate for all")
    ] = None,
    seeds: Annotated[int, of_training(min=1, help="How many restarts.")] = 1,
    seed: Annotated[int, of_training(help="The first seed: of the head's weights, of dropout and of the order.")] = 0,
    dtype: Annotated[str, of_training(help="float32, mixed_bfloat16 or mixed_float16.")] = "float32",
    frozen: Annotated[bool, of_features("--frozen", help="Train a head on the features of the encoder, which stays as it is.")] = False,
    layers: Annotated[str, of_features(help="last, second_to_last, sum_last_four, concat_last_four, sum_all, or mix, which is learnt.")] = "last",
    head: Annotated[str, of_features(help="linear or bilstm; for named entities, also of a trained encoder, crf and bilstm-crf too.")] = "linear",
    units: Annotated[int, of_features(min=2, help="The width of a BiLSTM; even.")] = 200,
):
    """Fine-tune a pre-trained encoder for a task, and measure it on the task's validation set.

    Restarts over seeds and learning rates, with their mean and deviation. DIR then holds the best model, predictions of each run in the layout in which the
    task is handed in (for GLUE's server, SQuAD's script, conlleval), and training.json. The same command goes on where it was stopped.
    """
    import_quietly()
    import dataclasses

    from keras_richctx.finetuning import Features
    from keras_richctx.finetuning import task as task_of
    from richctx.finetune_run import finetune_model

    wanted = task_of(task)
    features = Features(frozen=frozen, layers=layers, head=head, units=units)
    published = {"learning_rate": 0.001, "epochs": 10} if frozen else {}
    given = {"batch_size": batch_size, "epochs": epochs, "warmup": warmup, "weight_decay": weight_decay, "layer_decay": layer_decay}
    recipe = dataclasses.replace(wanted.recipe, **{**published, **{name: value for name, value in given.items() if value is not None}})
    if frozen and layer_decay is not None:
        raise typer.BadParameter("The layers of a frozen encoder have no rate. Leave out --layer-decay or --frozen.")
    rates = learning_rate or [recipe.learning_rate]
    recipes = [dataclasses.replace(recipe, learning_rate=rate, seed=each) for rate in rates for each in range(seed, seed + seeds)]
    length = max_length or (384 if wanted.name.startswith("squad") else 128)
    finetune_model(out, wanted, weights, data, recipes, features, length, dtype)
