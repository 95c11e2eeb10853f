"""The phrasebook: English-French sentence pairs from a grammar, with gold word alignments.

`phrasebook_lexicon` has the words, `phrasebook_words` their forms, `phrasebook_phrase` how two languages are written side by side, `phrasebook_verbs` and
`phrasebook_nouns` the phrases, `phrasebook_grammar` the sentences.
"""

import zlib

import numpy as np

from keras_richctx.datasets.pairs import Pairs
from keras_richctx.datasets.phrasebook_grammar import SUBJECTS, Grammar
from keras_richctx.datasets.phrasebook_phrase import join, links, spell_english, spell_french

# A hash of the English sentence says to which split it belongs, so that no sentence is in two splits, whatever the seeds and sizes.
BUCKETS = 20
SPLITS = {"train": range(0, 14), "validation": range(14, 17), "test": range(17, 20)}
SIZES = {"train": 20_000, "validation": 500, "test": 500}
LONGEST = 60
PATIENCE = 2_000  # sentences drawn in vain before giving up


def phrasebook(n, seed=0, min_words=3, max_words=30, subjects=None):
    r"""Generates English-French sentence pairs with gold word alignments.

    The sentences come from a grammar with a few hundred words. They are plain, and have what makes translation more than a dictionary: agreement of articles,
    adjectives and participles, elision and contraction, adjectives behind their noun, stacks whose order reverses ("the European economic area", *la zone
    économique européenne*), a negation in two parts, object pronouns before the verb, passives, relative clauses. An English sentence has one translation.

    A link `(source_word, target_word)` counts words as `re.findall(r"\w+['’]?|[^\w\s]", sentence)` splits them, so that *l'accord* is two words, *l'* and
    *accord*. All links are sure; a word may have several:

    - an article is linked to the article, a mark to the mark; *du* to both "of" and "the";
    - *ne* and *pas* both to "not"; "looks" and "for" both to *cherche*; "near" to both *près* and *de*; "some" to all of *de la* and *du*;
    - *a* and *été* to "was" in "was signed" (*a été signé*); *a* and *signé* to "signed", where English has no auxiliary; *signera* to both "will" and "sign";
    - what has no counterpart has no link: "does" in "does not sleep", "to" in "wants to sleep", *de* in *traité de paix* ("peace treaty").

    Args:
        n: integer, the number of pairs, all different.
        seed: integer. The same seed gives the same pairs, and fewer are the beginning of more. Defaults to `0`.
        min_words: integer, the fewest words of an English sentence, punctuation included. Defaults to `3`.
        max_words: integer, the most. Short sentences prevail: the density of lengths falls linearly from `min_words` to `max_words`, roughly. Set the two close
            together for sentences of one length. Defaults to `30`.
        subjects: list of strings, the classes of words that main clauses are about: `["accord"]` for treaties, laws and plans alone, with fewer words and
            many a stack that reverses. A class that occurs twice is drawn twice as often. Defaults to `None`, all classes, and questions too.

    Returns:
        `Pairs` with alignments.

    Raises:
        ValueError: if `n` is negative, if not `3 <= min_words <= max_words <= 60`, if a class is unknown, or if there are no `n` different sentences of such
            lengths.

    Example:
        >>> pairs = phrasebook(1000, max_words=8)
        >>> len(pairs), pairs[:10] == phrasebook(10, max_words=8)
        (1000, True)

    References:
        [Och and Ney, 2003](https://aclanthology.org/J03-1002/), on sure links.
    """
    return _collect(n, seed, min_words, max_words, subjects, range(BUCKETS))


def load_phrasebook(split="train", size=None, seed=0, min_words=3, max_words=30, subjects=None):
    """Loads one split of the phrasebook. No English sentence is in two splits, whatever the other arguments.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        size: integer, the number of pairs, or `None` for 20,000 in the training split and 500 in the others. Defaults to `None`.
        seed: integer, as in `phrasebook`. Defaults to `0`.
        min_words: integer, as in `phrasebook`. Defaults to `3`.
        max_words: integer, as in `phrasebook`. Defaults to `30`.
        subjects: list of strings, as in `phrasebook`. Defaults to `None`.

    Returns:
        `Pairs` with alignments.

    Raises:
        ValueError: if there is no such split, and where `phrasebook` raises it.

    Example:
        >>> len(load_phrasebook("test", size=10))
        10
    """
    if split not in SPLITS:
        raise ValueError(f"The phrasebook has the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    return _collect(SIZES[split] if size is None else size, seed, min_words, max_words, subjects, SPLITS[split])


def _collect(n, seed, min_words, max_words, subjects, buckets):
    """Draws `n` different pairs whose English sentence hashes into `buckets`."""
    if n < 0:
        raise ValueError(f"The number of pairs must be 0 or more. Received: {n}.")
    if not 3 <= min_words <= max_words <= LONGEST:
        raise ValueError(f"Lengths must satisfy 3 <= min_words <= max_words <= {LONGEST}. Received: min_words={min_words}, max_words={max_words}.")
    if subjects is not None and (not isinstance(subjects, list | tuple) or not subjects or any(subject not in SUBJECTS for subject in subjects)):
        raise ValueError(f"Main clauses are about classes of words. Received: subjects={subjects!r}. Give a list of {', '.join(sorted(set(SUBJECTS)))}.")
    grammar = Grammar(np.random.default_rng(seed), SUBJECTS if subjects is None else subjects)
    pairs, vain = {}, 0
    while len(pairs) < n:
        if vain == PATIENCE:
            raise ValueError(
                f"{PATIENCE:,} sentences in a row were of other lengths, or known already. Received: {n} pairs to find, min_words={min_words}, "
                f"max_words={max_words}; found {len(pairs)}. Ask for fewer pairs, or allow more lengths."
            )
        # 1 - sqrt(u) of a uniform u has a density that falls linearly from 0 to 1
        phrase = grammar.sentence(min_words + (max_words + 1 - min_words) * (1 - grammar.random() ** 0.5))
        source = join(spell_english(phrase.english), "English")
        if not min_words <= len(phrase.english) <= max_words or source in pairs or zlib.crc32(source.encode()) % BUCKETS not in buckets:
            vain += 1
            continue
        french = spell_french(phrase.french)
        pairs[source] = join(french, "French"), links(phrase.english, french)
        vain = 0
    targets, alignments = zip(*pairs.values()) if pairs else ((), ())
    return Pairs(list(pairs), targets, alignments)
