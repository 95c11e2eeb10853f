"""Sentence pairs: what every reader of parallel text gives and every translation pipeline takes."""

import operator
from collections.abc import Sequence


class Pairs(Sequence):
    """An immutable list of sentence pairs, with word alignments where these are known.

    Behaves as a list of `(source, target)` tuples: `len`, iteration, `in`, an index gives one tuple, a slice gives `Pairs` (with its alignments).

    An alignment is a set of links `(source_word, target_word)`: indices, from zero, of words as `re.findall(r"\\w+['’]?|[^\\w\\s]", sentence)` splits them,
    which is how `WordTokenizer` splits. A word may have several links, or none.

    Args:
        source: sequence of strings, the sentences to translate.
        target: sequence of strings, their translations, one for each.
        alignments: sequence of sets of links `(source_word, target_word)`, one set for each pair, or `None` where they are unknown. Defaults to `None`.

    Raises:
        TypeError: if `source` or `target` is one string, or holds something that is not a string; the message says where.
        ValueError: if the lengths differ, or if a link is not a pair of indices `>= 0`.

    Example:
        >>> pairs = Pairs(["A cat sleeps.", "I sleep."], ["Un chat dort.", "Je dors."], [{(0, 0), (1, 1), (2, 2), (3, 3)}, {(0, 0), (1, 1), (2, 2)}])
        >>> pairs
        <Pairs: 2 pairs with alignments, 'A cat sleeps.' -> 'Un chat dort.', …>
        >>> pairs[1]
        ('I sleep.', 'Je dors.')
        >>> sorted(pairs[1:].alignments[0])
        [(0, 0), (1, 1), (2, 2)]
    """

    def __init__(self, source, target, alignments=None):
        self._source = _sentences("source", source)
        self._target = _sentences("target", target)
        if len(self._source) != len(self._target):
            raise ValueError(
                f"Each source sentence needs one target sentence. Received: {len(self._source)} source and {len(self._target)} target sentences. "
                "Repeat a source sentence that has several translations."
            )
        self._alignments = None if alignments is None else tuple(_links(index, links) for index, links in enumerate(alignments))
        if self._alignments is not None and len(self._alignments) != len(self._source):
            raise ValueError(f"Each pair needs one alignment. Received: {len(self._alignments)} alignments for {len(self._source)} pairs.")

    @property
    def source(self):
        """The source sentences, a list of strings."""
        return list(self._source)

    @property
    def target(self):
        """The target sentences, a list of strings."""
        return list(self._target)

    @property
    def alignments(self):
        """The alignments, a list of frozen sets of links `(source_word, target_word)`, or `None`."""
        return None if self._alignments is None else list(self._alignments)

    def references(self):
        """Collects all translations of each distinct source sentence, as BLEU with several references wants them.

        Returns:
            A dict from each distinct source sentence to the list of its distinct target sentences, both in the order of their first appearance.

        Example:
            >>> Pairs(["Hi.", "Go.", "Hi."], ["Salut.", "Va.", "Bonjour."]).references()
            {'Hi.': ['Salut.', 'Bonjour.'], 'Go.': ['Va.']}
        """
        references = {}
        for source, target in self:
            references.setdefault(source, {})[target] = None  # a dict keeps the order, a set would not
        return {source: list(targets) for source, targets in references.items()}

    def __len__(self):
        return len(self._source)

    def __getitem__(self, index):
        if isinstance(index, slice):
            alignments = None if self._alignments is None else self._alignments[index]
            return Pairs(self._source[index], self._target[index], alignments)
        return self._source[index], self._target[index]

    def __eq__(self, other):
        if not isinstance(other, Pairs):
            return NotImplemented
        return (self._source, self._target, self._alignments) == (other._source, other._target, other._alignments)

    def __hash__(self):
        return hash((self._source, self._target, self._alignments))

    def __repr__(self):
        count = f"{len(self):,} pair{'' if len(self) == 1 else 's'}{'' if self._alignments is None else ' with alignments'}"
        if not self:
            return f"<Pairs: {count}>"
        return f"<Pairs: {count}, {self._source[0]!r} -> {self._target[0]!r}{', …' if len(self) > 1 else ''}>"


def _sentences(name, sentences):
    """Checks that `sentences` is a collection of strings and returns it as a tuple."""
    if isinstance(sentences, str | bytes):
        raise TypeError(f"{name} must be a sequence of sentences, not one. Received: {name}={sentences!r}. Put it in a list.")
    sentences = tuple(sentences)
    for index, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise TypeError(f"Every sentence must be a string. Received: {name}[{index}]={sentence!r}, a {type(sentence).__name__}.")
    return sentences


def _links(index, links):
    """Checks one alignment and returns it as a frozen set of pairs of ints."""
    try:
        links = frozenset([(operator.index(source), operator.index(target)) for source, target in links])
    except (TypeError, ValueError):
        raise ValueError(f"An alignment is a set of links (source_word, target_word). Received: alignments[{index}]={links!r}.") from None
    if min(map(min, links), default=0) < 0:
        raise ValueError(f"Links count words from zero. Received: alignments[{index}]={sorted(links)}.")
    return links
