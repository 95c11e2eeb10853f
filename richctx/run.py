"""`richctx translate run`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from richctx.console import note
from richctx.options import BeamsOption, DirArgument, LengthPenaltyOption
from richctx.quiet import import_quietly

PICTURES = (".png", ".svg", ".pdf")


def run(
    directory: DirArgument,
    sentences: Annotated[list[str] | None, typer.Argument(metavar="[SENTENCE]...", help="What to translate.", show_default=False)] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="UTF-8 text, a sentence a line; - for the standard input.", show_default=False)] = None,
    map: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw what each word attended to (.png, .svg, .pdf); of several sentences FILE-1, FILE-2, …", show_default=False),
    ] = None,
    beams: BeamsOption = 1,
    length_penalty: LengthPenaltyOption = 1.0,
    replace_unknown: Annotated[bool, typer.Option("--replace-unknown", help="Put the source word attended to in the place of an unknown one.")] = False,
):
    """Translate sentences with a trained model, one line each, and draw where it looked."""
    if (not sentences) == (file is None):
        raise typer.BadParameter("Give sentences, or a file of them with --file; one of the two.")
    if map is not None and not map.parent.is_dir():
        raise typer.BadParameter(f"There is no directory {map.parent} to draw into.", param_hint="--map")
    if map is not None and (map.suffix.lower() not in PICTURES or map.is_dir()):
        raise typer.BadParameter(f"A picture's name ends in {', '.join(PICTURES)}. Received: {map}", param_hint="--map")
    import_quietly()
    from richctx.model_directory import ModelDirectory

    if file is not None:
        sentences = _lines(file)
    model = ModelDirectory(directory).load()
    if map is not None and not model.has_attention:
        raise ValueError(f"The model in {directory} has no attention to draw. Train one with --attention bahdanau or luong.")
    _note_unknown(model.source_tokenizer, sentences)
    translations = model.translate(sentences, num_beams=beams, length_penalty=length_penalty, replace_unknown=replace_unknown)
    for translation in translations:
        typer.echo(translation.text)
    if map is not None:
        _draw(map, sentences, translations)


def _lines(file):
    """Reads sentences from a file, or from the standard input for `-`."""
    from keras_richctx.datasets.read_pairs import decode_lines

    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return decode_lines(data, "The standard input" if str(file) == "-" else file)


def _note_unknown(tokenizer, sentences):
    """Says which words the model has never seen, where it knows words."""
    if tokenizer.unk_id is None:
        return
    unknown = dict.fromkeys(word for text in sentences for word, i in zip(tokenizer.words(text), tokenizer(text)) if i == tokenizer.unk_id)
    if unknown:
        note(f"words that the model does not know: {', '.join(list(unknown)[:20])}{', …' if len(unknown) > 20 else ''}", "Note", "yellow")


def _draw(path, sentences, translations):
    """Draws the map of each sentence that has one."""
    from keras_richctx import viz
    from richctx.files import written_whole

    for number, (sentence, translation) in enumerate(zip(sentences, translations), start=1):
        if not translation.target_tokens:
            note(f"nothing to draw for {sentence!r}", "Note", "yellow")
            continue
        name = path if len(sentences) == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        axes = viz.alignment(translation.alignment, translation.source_tokens, translation.target_tokens)
        with written_whole(name) as part:
            axes.figure.savefig(part)
        note(f"map: {name}")
