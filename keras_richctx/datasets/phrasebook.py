"""The phrasebook: English-French sentence pairs from a grammar, with gold word alignments."""

import zlib

import numpy as np

from keras_richctx.datasets.pairs import Pairs
from keras_richctx.datasets.phrasebook_grammar import Grammar
from keras_richctx.datasets.phrasebook_spelling import join, links, spell_english, spell_french

# A sentence belongs to the split that a hash of its English words falls into, so that no sentence is in two splits, whatever the seed and the sizes.
SPLITS = {"train": range(0, 14), "validation": range(14, 17), "test": range(17, 20)}
SIZES = {"train": 20_000, "validation": 500, "test": 500}


def phrasebook(n, seed=0, min_words=3, max_words=30):
    r"""Generates English-French sentence pairs with gold word alignments.

    The sentences come from a grammar with a few hundred words: plain, grammatical and with what makes translation more than a dictionary: agreement of articles,
    adjectives and participles, elision and contraction, adjectives behind the noun, compounds whose order reverses ("the European economic area", *la zone économique
    européenne*), two-part negation, object pronouns before the verb, passives and relative clauses. An English sentence has one translation.

    Links count words as `re.findall(r"\w+['’]?|[^\w\s]", sentence)` splits them, so *l'accord* is two words, *l'* and *accord*. All links are sure. Articles are linked to
    articles, punctuation to punctuation; *ne* and *pas* both to "not"; *a* and *été* to "was" in "was signed" (*a été signé*), *a* and *signé* to "signed" where English has
    no auxiliary; a contracted *du* to both "of" and "the"; *signera* to both "will" and "sign". Words without a counterpart, as "do" in a negation, "to" in "wants to
    sleep" or *de* in *traité de paix*, have no link.

    Args:
        n: integer, the number of pairs, all different.
        seed: integer. The same seed gives the same pairs, and fewer are the beginning of more. Defaults to `0`.
        min_words: integer, the fewest words of an English sentence, punctuation included. Defaults to `3`.
        max_words: integer, the most. The length that is aimed at falls linearly from `min_words` to `max_words`, so short sentences prevail; narrow the two for
            sentences of one length. Defaults to `30`.

    Returns:
        `Pairs` with alignments.

    Raises:
        ValueError: if `n` is negative, if not `3 <= min_words <= max_words <= 60`, or if so few words do not make `n` different sentences.

    Example:
        >>> pairs = phrasebook(3, seed=1)
        >>> len(pairs), pairs == phrasebook(3, seed=1)
        (3, True)
    """
    return _collect(n, seed, min_words, max_words, range(20))


def load_phrasebook(split="train", size=None, seed=0, min_words=3, max_words=30):
    """Loads one split of the phrasebook; no English sentence is in two splits, whatever the other arguments.

    Args:
        split: `"train"`, `"validation"` or `"test"`.
        size: integer, the number of pairs, or `None` for 20,000 in the training split and 500 in the others. Defaults to `None`.
        seed: integer, as in `phrasebook`. Defaults to `0`.
        min_words: integer, as in `phrasebook`. Defaults to `3`.
        max_words: integer, as in `phrasebook`. Defaults to `30`.

    Returns:
        `Pairs` with alignments.

    Raises:
        ValueError: if there is no such split, or as `phrasebook` raises it.

    Example:
        >>> len(load_phrasebook("test", size=10))
        10
    """
    if split not in SPLITS:
        raise ValueError(f"The phrasebook has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    return _collect(SIZES[split] if size is None else size, seed, min_words, max_words, SPLITS[split])


def _collect(n, seed, min_words, max_words, buckets):
    """Draws `n` different pairs whose English sentence hashes into `buckets` out of 20."""
    if n < 0:
        raise ValueError(f"The number of pairs must be 0 or more. Received: n={n}.")
    if not 3 <= min_words <= max_words <= 60:
        raise ValueError(f"Lengths must satisfy 3 <= min_words <= max_words <= 60. Received: min_words={min_words}, max_words={max_words}.")
    grammar = Grammar(np.random.default_rng(seed))
    pairs, misses = {}, 0
    while len(pairs) < n:
        length = min_words + (max_words + 1 - min_words) * (1 - grammar.random() ** 0.5)
        english, french = grammar.sentence(length)
        source = join(spell_english(english)) if min_words <= len(english) <= max_words else None
        if source is None or source in pairs or zlib.crc32(source.encode()) % 20 not in buckets:
            misses += 1
            if misses > 10_000:
                raise ValueError(
                    f"No {n} different sentences of {min_words} to {max_words} words were found, only {len(pairs)}. Allow more words, or ask for fewer pairs."
                )
            continue
        french = spell_french(french)
        pairs[source] = join(french, close=".,"), links(english, french)
        misses = 0
    return Pairs(list(pairs), [target for target, _ in pairs.values()], [alignment for _, alignment in pairs.values()])
