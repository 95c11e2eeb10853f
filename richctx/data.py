"""Sentence pairs as the commands take them: from files or by name, selected and split."""

import hashlib
import math

import typer

from keras_richctx.datasets import Pairs, load, read_pairs
from keras_richctx.datasets.tatoeba import split_position


def read(pairs, target, data, split, skip_empty=False):
    """Reads pairs from files, or one split of a data set.

    Args:
        pairs: path of the file given with `--pairs`, or `None`.
        target: path of the file given with `--target`, or `None`.
        data: string, the name given with `--data`, or `None`.
        split: string, which split of a data set to load; files are read whole.
        skip_empty: bool, whether to leave out pairs with an empty sentence in place of an error.

    Returns:
        `Pairs`.

    Raises:
        typer.BadParameter: if not exactly one of `pairs` and `data` is given, `target` without `pairs`, or a data set that is no sentence pairs.
    """
    if (pairs is None) == (data is None):
        raise typer.BadParameter("Give sentence pairs with --pairs, or a data set by its name with --data; one of the two.")
    if target is not None and pairs is None:
        raise typer.BadParameter("--target goes with --pairs.")
    if data is not None:
        loaded = load(data, split)
        if not isinstance(loaded, Pairs):
            raise typer.BadParameter(f"{data} is a text, and translation takes sentence pairs.")
        return loaded
    return read_pairs(pairs, target, on_empty="skip" if skip_empty else "error")


def hold_out(pairs, sentences=None):
    """Splits pairs by source sentence, so that none is in both parts, by a hash: the same files give the same parts in whatever order their lines are.

    Args:
        pairs: `Pairs`.
        sentences: integer, how many different source sentences to hold out, or `None` for one in twenty, up to 1000. Defaults to `None`.

    Returns:
        Two `Pairs`: those to train on, and those held out.

    Raises:
        ValueError: if there are no source sentences left for one of the parts.
    """
    different = sorted(set(pairs.source), key=lambda sentence: (split_position(sentence), sentence))
    if sentences is None:
        sentences = min(math.ceil(len(different) / 20), 1000)
    if not 0 < sentences < len(different):
        advice = "Some are needed on each side: give more pairs, or another --validation"
        raise ValueError(f"Of {len(different)} different source sentences, {sentences} cannot be held out for validation. {advice}.")
    held_out = set(different[:sentences])
    return _only(pairs, lambda source: source not in held_out), _only(pairs, lambda source: source in held_out)


def select(pairs, max_words=None, sentences=None):
    """Keeps the first different source sentences that are short enough, each with all its translations.

    Args:
        pairs: `Pairs`.
        max_words: integer, the most words of a source sentence, counted between spaces, or `None`.
        sentences: integer, how many different source sentences to keep, or `None` for all.

    Returns:
        `Pairs`, with their alignments if they have any.

    Raises:
        ValueError: if no sentence is short enough.
    """
    short = [source for source in dict.fromkeys(pairs.source) if max_words is None or len(source.split()) <= max_words]
    if not short:
        raise ValueError(f"None of the {len(pairs):,} source sentences has at most {max_words} words. Allow more with --max-words.")
    kept = set(short[:sentences])
    return _only(pairs, lambda source: source in kept)


def fingerprint(pairs):
    """Returns a string of 16 hexadecimal digits that changes with any sentence of the pairs, or with their order."""
    digest = hashlib.sha256()
    for source, target in pairs:
        digest.update(f"{len(source)} {source}{len(target)} {target}".encode())
    return digest.hexdigest()[:16]


def _only(pairs, wanted):
    """Returns the pairs whose source sentence is wanted, in their order."""
    places = [i for i, source in enumerate(pairs.source) if wanted(source)]
    source, target, alignments = pairs.source, pairs.target, pairs.alignments
    return Pairs([source[i] for i in places], [target[i] for i in places], None if alignments is None else [alignments[i] for i in places])
