"""Where the spaces go when words are put together again: learnt from the corpus that the words come from.

French writes "Quoi ?" where English writes "What?". A tokenizer that splits at spaces loses the difference; this module counts it while the corpus is
read.
"""

import re
from collections import Counter

from tokenizers import Regex, decoders

# What a mark does where the corpus says nothing about it.
NO_SPACE_BEFORE = frozenset(".,;:!?…%)]}»”-")
NO_SPACE_AFTER = frozenset("([{«“-")
APOSTROPHES = "'’"

_MARK = re.compile(rf"[^\w\s{APOSTROPHES}]")


class Spacing:
    """Counts on which side of a punctuation mark a corpus puts a space.

    A mark keeps to a side when the corpus, in more than three quarters of the cases, has no space there. So a mark that opens and closes alike, such
    as the straight double quote, gets a space on both sides: the words around it stay apart.

    Example:
        >>> spacing = Spacing()
        >>> texts = list(spacing.watch(["Quoi ? Oui."]))
        >>> spacing.decoder().decode(["Oui", ".", "Quoi", "?"])
        'Oui. Quoi ?'
    """

    def __init__(self):
        self.seen = {"before": Counter(), "after": Counter()}
        self.joined = {"before": Counter(), "after": Counter()}

    def watch(self, texts):
        """Passes texts on, and counts the spaces around their marks.

        Args:
            texts: iterable of strings.

        Yields:
            The same strings.
        """
        for text in texts:
            for match in _MARK.finditer(text):
                start, end = match.span()
                if start > 0:
                    self._count("before", match[0], text[start - 1])
                if end < len(text):
                    self._count("after", match[0], text[end])
            yield text

    def decoder(self):
        """Makes a decoder of the Rust library that joins words by these counts.

        Returns:
            A `tokenizers.decoders.Decoder`.
        """
        before = _one_of(self._joining("before", NO_SPACE_BEFORE))
        after = _one_of(self._joining("after", NO_SPACE_AFTER) | set(APOSTROPHES))
        # A space before each word, and out again: at the start of the text, after a mark that joins what follows, before one that joins what precedes.
        surplus = Regex(rf"\A |(?<={after}) | (?={before})")
        return decoders.Sequence([decoders.Replace(Regex(r"\A"), " "), decoders.Fuse(), decoders.Replace(surplus, "")])

    def _count(self, side, mark, neighbour):
        self.seen[side][mark] += 1
        self.joined[side][mark] += not neighbour.isspace()

    def _joining(self, side, default):
        """Returns the marks without a space on `side`: those that the corpus shows so, and those of `default` that it does not show."""
        seen, joined = self.seen[side], self.joined[side]
        return {mark for mark in seen if 4 * joined[mark] > 3 * seen[mark]} | (default - set(seen))


def _one_of(marks):
    """Returns a character class of `marks`, in a fixed order."""
    return f"[{''.join(re.escape(mark) for mark in sorted(marks))}]"
