"""`richctx embed`."""

import enum
from pathlib import Path
from typing import Annotated

import typer

from richctx.quiet import import_quietly


class Layers(enum.StrEnum):
    """What is written of the layers of a biLM."""

    all = enum.auto()
    average = enum.auto()
    top = enum.auto()


def embed(
    texts: Annotated[Path, typer.Argument(metavar="FILE", help="UTF-8 text, a sentence a line, its words between spaces.", show_default=False)],
    model: Annotated[Path, typer.Option(metavar="DIR", help="A directory with an ELMo's options.json and weights.hdf5.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The HDF5 file to write.", show_default=False)],
    layers: Annotated[Layers, typer.Option(help="All of each word's layers, their average, or the top one.")] = Layers.all,
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences to read at once.")] = 32,
):
    """Write the vectors of the words of sentences, from an ELMo, into an HDF5 file.

    The file holds an array for each line, named by its number from 0 on: (layers, words, width) with --layers all, else (words, width). A sentence has the same
    vectors wherever it stands. The same command goes on where it was stopped.
    """
    import_quietly()
    from richctx.embedding import embed_file

    embed_file(texts, model, out, layers.value, batch_size)
