"""Auxiliary objectives from the same data: tags that nobody has to write, for a task beside the one that matters."""

import collections
import math

from keras_richctx.datasets.tagged_sentences import TaggedSentences

OTHER = "<other>"  # a word outside the vocabulary
START, END = "<start>", "<end>"


def frequent_words(sentences, size):
    """Lists the words that a language model foretells.

    Args:
        sentences: list of lists of strings.
        size: integer, the most words.

    Returns:
        A list of strings in lower case, the most frequent first, those of one frequency by the alphabet.

    Example:
        >>> frequent_words([["It", "is", "what", "it", "is"]], size=2)
        ['is', 'it']
    """
    counts = collections.Counter(word.lower() for sentence in sentences for word in sentence)
    return sorted(counts, key=lambda word: (-counts[word], word))[:size]


def next_words(sentences, vocabulary):
    """Tags each word with the one behind it, in lower case: a language model as a task. To be read by the forward half.

    Args:
        sentences: list of lists of strings.
        vocabulary: list of strings, the words that have a tag of their own; all others are `"<other>"`. The last word of a sentence has `"<end>"`.

    Returns:
        `TaggedSentences`.

    Example:
        >>> next_words([["It", "is", "late"]], ["it", "is"]).tags
        [['is', '<other>', '<end>']]
    """
    return TaggedSentences(sentences, [[*named, END] for named in (_named(sentence[1:], vocabulary) for sentence in sentences)])


def previous_words(sentences, vocabulary):
    """Tags each word with the one before it, in lower case; the first of a sentence has `"<start>"`. To be read by the backward half; see `next_words`.

    Args:
        sentences: list of lists of strings.
        vocabulary: list of strings.

    Returns:
        `TaggedSentences`.

    Example:
        >>> previous_words([["It", "is", "late"]], ["it", "is"]).tags
        [['<start>', 'it', 'is']]
    """
    return TaggedSentences(sentences, [[START, *named] for named in (_named(sentence[:-1], vocabulary) for sentence in sentences)])


def log_frequencies(sentences, counted=None):
    r"""Tags each word with how frequent it is: $\lfloor \ln c(w) \rfloor$, a statistic of the data. It tells frequent from rare words.

    Args:
        sentences: list of lists of strings.
        counted: list of lists of strings, those in which words are counted, in lower case; a word that is not there counts as one that is there once. `None`
            for the same sentences. Defaults to `None`.

    Returns:
        `TaggedSentences`, with tags `"0"`, `"1"`, …

    Example:
        >>> log_frequencies([["It", "is", "what", "it", "is", "is"]]).tags
        [['0', '1', '0', '0', '1', '1']]

    References:
        [Plank et al., 2016](https://aclanthology.org/P16-2067/), section 2.1.
    """
    counts = collections.Counter(word.lower() for sentence in (sentences if counted is None else counted) for word in sentence)
    return TaggedSentences(sentences, [[str(int(math.log(max(counts[word.lower()], 1)))) for word in sentence] for sentence in sentences])


def inverse(tagged, vocabulary):
    """Turns a task around: the tags are read as if they were words, and the words are what is foretold of them.

    Args:
        tagged: `TaggedSentences`.
        vocabulary: list of strings, the words that are told apart; all others are `"<other>"`.

    Returns:
        `TaggedSentences`, of which the words are tags and the tags words, in lower case.

    Example:
        >>> inverse(TaggedSentences([["Python", "is", "good"]], [["B-THE", "I-THE", "I-THE"]]), ["is", "good"])[0]
        (['B-THE', 'I-THE', 'I-THE'], ['<other>', 'is', 'good'])
    """
    return TaggedSentences(tagged.tags, [_named(sentence, vocabulary) for sentence in tagged.words])


def _named(words, vocabulary):
    """Returns words in lower case, those outside the vocabulary under one name."""
    known = set(vocabulary)
    return [word.lower() if word.lower() in known else OTHER for word in words]
