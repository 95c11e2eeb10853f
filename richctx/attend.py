"""`richctx attend`."""

import enum
from pathlib import Path
from typing import Annotated

import typer

from richctx.quiet import import_quietly


class Show(enum.StrEnum):
    """What an HTML file shows."""

    lines = enum.auto()
    grid = enum.auto()
    neurons = enum.auto()


def attend(
    model: Annotated[Path, typer.Option(metavar="DIR", help="The directory of a model with its tokenizer, or a .keras file.", show_default=False)],
    text: Annotated[str, typer.Option(metavar="TEXT", help="What the model reads.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .html, .png, .svg or .pdf.", show_default=False)],
    pair: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A second text; of a translation model the translation, which it else writes itself.", show_default=False)
    ] = None,
    layers: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Layers to show, with * for anything. May be repeated.", show_default="all")] = None,
    show: Annotated[Show, typer.Option(help="In an .html: lines between tokens, a grid of all heads, or the numbers behind one head.")] = Show.lines,
):
    """Write where a model looks in a text into a file that any browser opens, without a network.

    The model is a BERT, RoBERTa or DistilBERT, with any head, or a GPT-2, in the files of Hugging Face, Google or OpenAI; or what `richctx translate train` or
    `richctx finetune` left.
    """
    import_quietly()
    from richctx.attention_file import write_attention

    write_attention(model, text, pair, out, layers, show.value)
