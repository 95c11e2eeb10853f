"""Sentences split into words, with a tag for each word."""

import dataclasses


@dataclasses.dataclass(frozen=True, eq=False)
class TaggedSentences:
    """Sentences of tagged words: what the readers of column files give.

    `len`, and a slice gives `TaggedSentences`; an index gives `(words, tags)`, two lists.

    Args:
        words: list of N lists of strings.
        tags: list of N lists of strings, as many for each sentence.

    Raises:
        ValueError: if words and tags do not correspond.

    Example:
        >>> sentences = TaggedSentences([["Ada", "codes", "."], ["Hi"]], [["B-person", "O", "O"], ["O"]])
        >>> sentences[0], sentences.names
        ((['Ada', 'codes', '.'], ['B-person', 'O', 'O']), ['B-person', 'O'])
    """

    words: list
    tags: list

    def __post_init__(self):
        if len(self.words) != len(self.tags):
            raise ValueError(f"Each sentence has its tags. Received: {len(self.words)} sentences and the tags of {len(self.tags)}")
        for index, (words, tags) in enumerate(zip(self.words, self.tags)):
            if len(words) != len(tags):
                raise ValueError(f"Each word has one tag. Received: {len(words)} words and {len(tags)} tags of sentence {index}")

    @property
    def names(self):
        """The different tags, a sorted list of strings."""
        return sorted({tag for tags in self.tags for tag in tags})

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return TaggedSentences(self.words[index], self.tags[index])
        return self.words[index], self.tags[index]

    def __repr__(self):
        return f"<TaggedSentences: {len(self):,} sentences, {sum(map(len, self.words)):,} words, {len(self.names)} tags>"
