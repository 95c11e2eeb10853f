"""`richctx demo`: from nothing to translations and a picture of where the model looked."""

import time
from pathlib import Path
from typing import Annotated

import typer

from richctx.console import command, results, say
from richctx.quiet import import_quietly

# What the demo learns from, what it is measured on, and how it learns (see `keras_richctx.translation.recipe.Recipe`): all that its time and figures hang on.
PAIRS = 24_000
HELD_OUT = 300
MAX_WORDS = 12
RECIPE = {
    "tokenizer": "word",
    "vocab_size": 3000,
    "units": 128,
    "embedding_dim": 128,
    "dropout": 0.0,
    "coverage": 0.3,
    "batch_size": 32,
    "learning_rate": 0.004,
    "epochs": 3,
}
SHOWN = 10


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where alignment.png and model.keras go; older ones are replaced.")] = Path("runs/demo"),
    seed: Annotated[int, typer.Option(help="Of the first weights and the order of the sentences.")] = 0,
):
    """Learn to translate in two minutes: train an attention model, translate sentences that it has not seen, and draw where it looked.

    The sentences come from a grammar that is part of the library, with gold word alignments: nothing is downloaded.
    """
    begun = time.monotonic()
    import_quietly()
    from keras_richctx.datasets import load
    from keras_richctx.translation.evaluate import evaluate
    from keras_richctx.translation.recipe import Recipe
    from richctx.files import make_directory
    from richctx.model_directory import ModelDirectory

    directory = ModelDirectory(make_directory(out))
    if directory.record() is not None:
        raise ValueError(f"{out} holds a model of `richctx translate train`. Choose another --out; nothing was changed.")
    recipe = Recipe(**RECIPE, seed=seed)
    with results.status(f"Writing {PAIRS:,} English-French sentence pairs …"):
        pairs = load("phrasebook", size=PAIRS, max_words=MAX_WORDS)
        held_out = load("phrasebook", "test", size=HELD_OUT, max_words=MAX_WORDS)
    model = recipe.build(*recipe.train_tokenizers(pairs))
    say(f"Training a translator with Bahdanau attention, {model.count_params():,} weights, on {len(pairs):,} English-French sentence pairs.")
    recipe.fit(model, pairs)
    with results.status(f"Translating {len(held_out)} sentences that it has not seen …"):
        measures = evaluate(model, held_out)
        translations = [translation.text for translation in measures["translations"]]  # one for each pair: no source occurs twice
        drawn = instructive(held_out, translations)
        _draw(model, held_out[drawn : drawn + 1], out / "alignment.png")
        directory.save(model)
    _show(held_out[:SHOWN], translations)
    say(f"BLEU {measures['bleu']:.1f}  (0 to 100) on {len(held_out)} held-out sentences, of which {measures['exact']:.0%} are exactly the reference")
    say(f"AER  {measures['aer']:.3f}  (alignment error rate: 0 is without error) of its attention against the gold word alignments")
    say(f"{out / 'alignment.png'}: where it looked, word by word, for {held_out.source[drawn]!r}")
    say(f"{time.monotonic() - begun:.0f} seconds in all. Try sentences of your own, of the same words:")
    say(f'{command()} translate run {out} "{held_out.source[SHOWN]}" --map map.png')


def _show(pairs, translations):
    """Prints sentences, their translations and their references in a table."""
    from rich.table import Table
    from rich.text import Text

    table = Table(show_lines=True, title="Sentences that it has not seen", title_justify="left")
    for name in ("source", "translation", "reference", "verdict"):
        table.add_column(name)
    for (source, target), translation in zip(pairs, translations):
        verdict = "[green]right[/]" if translation == target else "[red]wrong[/]"
        table.add_row(Text(source), Text(translation), Text(target), verdict)
    results.print(table)


def _draw(model, pair, path):
    """Draws where the model looks for each word of the reference, with the gold links."""
    from keras_richctx import viz
    from keras_richctx.translation.evaluate import forced_alignments
    from richctx.files import written_whole

    (source,), (target,), (links,), (weights,) = pair.source, pair.target, pair.alignments, forced_alignments(model, pair)
    words = model.source_tokenizer.words(source), model.target_tokenizer.words(target)
    axes = viz.alignment(weights[:-1, :-1], *words, gold=links, title="Where the model looked, word by word")  # without the end symbols
    with written_whole(path) as part:
        axes.figure.savefig(part)


def instructive(pairs, translations):
    """Finds a sentence whose picture shows most: translated right, of a good length, with the longest stack of words whose order is reversed.

    Args:
        pairs: `Pairs` with alignments.
        translations: list of strings, one for each pair.

    Returns:
        An integer, the place of the pair.
    """

    def worth(place):
        words = len(pairs.source[place].split())
        return translations[place] == pairs.target[place], min(longest_reversal(pairs.alignments[place]), 3), -abs(words - 9)

    return max(range(len(pairs)), key=worth)


def longest_reversal(links):
    """Counts the words of the longest stack whose order is reversed: neighbours in the source whose translations are neighbours the other way round.

    Args:
        links: set of links `(source_word, target_word)`.

    Returns:
        An integer, zero without links, one where nothing is reversed.

    Example:
        >>> longest_reversal({(0, 0), (1, 3), (2, 2), (3, 1)})  # the European economic area / la zone économique européenne
        3
    """

    def length(source, target):
        return 1 + length(source + 1, target - 1) if (source, target) in links else 0

    return max((length(*link) for link in links), default=0)
