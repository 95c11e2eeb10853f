"""Options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

DirArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a trained model.", show_default=False)]
PairsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Text of a source sentence, a tab and its translation on each line; with --target, of the source alone.", show_default=False
    ),
]
TargetOption = Annotated[Path | None, typer.Option(metavar="FILE", help="The translations of --pairs, line by line.", show_default=False)]
DataOption = Annotated[str | None, typer.Option(metavar="NAME", help="A data set by its name: phrasebook or tatoeba-fra.", show_default=False)]
SkipEmptyOption = Annotated[bool, typer.Option("--skip-empty", help="Leave out pairs with an empty sentence, instead of an error.")]
BeamsOption = Annotated[int, typer.Option(min=1, help="How many translations to follow at once; 1 takes the most probable word at each step.")]
LengthPenaltyOption = Annotated[float, typer.Option(min=0, help="The exponent of the length that beams are compared by; 0 prefers short ones.")]
StrategyOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The devices: one, mirrored (all GPUs of this machine), multi_worker (the machines that TF_CONFIG names; the same command on each), tpu, "
        "data_parallel or model_parallel (those of JAX), or auto.",
    ),
]
