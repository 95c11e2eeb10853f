"""A corpus as ids, block by block, so that it need not fit into memory."""

import itertools
import os

import numpy as np

from keras_richctx.datasets.download import cache_dir
from keras_richctx.datasets.token_store import token_store

SENTENCES = 4096  # of lists of words, made into ids at once
TOKENS = 2**17  # of files, read at once


def id_blocks(corpus, tokenizer):
    """Reads a corpus once, as blocks of ids; words that have none, and special tokens, are left out, as word2vec leaves out rare words.

    Args:
        corpus: a path or a list of paths of UTF-8 files, a text a line, which are tokenized once and kept as numbers in `cache_dir()`; or an iterable that can
            be gone through again of lists of words, or of strings, which are tokenized anew in each pass.
        tokenizer: tokenizer of `keras_richctx.text`, such as `WordTokenizer`.

    Yields:
        Pairs of integer arrays: the ids of some sentences, one behind the other, int32 `(N,)`; and for each the number of its sentence in the block, int32
        `(N,)`.

    Raises:
        TypeError: if the corpus can be gone through only once, or holds something else.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=8)
        >>> [(ids.tolist(), sentences.tolist()) for ids, sentences in id_blocks([["to", "be"], ["or", "else", "be"]], tokenizer)]
        [([5, 4, 7, 4], [0, 0, 1, 1])]
    """
    special = np.zeros(tokenizer.vocab_size, bool)
    special[tokenizer.special_ids] = True
    for ids, sentences in _from_files(corpus, tokenizer) if _are_files(corpus) else _from_sentences(corpus, tokenizer):
        kept = ~special[ids]
        yield ids[kept], sentences[kept]


def count_words(corpus, tokenizer):
    """Counts how often each word of a vocabulary is in a corpus: what `Word2Vec` draws negative examples by.

    Args:
        corpus: as in `id_blocks`.
        tokenizer: tokenizer of `keras_richctx.text`.

    Returns:
        An int64 array of shape `(V,)`; 0 for special tokens.

    Raises:
        TypeError: as in `id_blocks`.
        ValueError: if no word of the corpus is in the vocabulary.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=8)
        >>> count_words(["to be or not to be"], tokenizer)
        array([0, 0, 0, 0, 2, 2, 1, 1])
    """
    counts = np.zeros(tokenizer.vocab_size, "int64")
    for ids, _ in id_blocks(corpus, tokenizer):
        counts += np.bincount(ids, minlength=len(counts))
    if not counts.any():
        raise ValueError(f"No word of the corpus is in the vocabulary. Received: a tokenizer of {tokenizer.vocab_size:,} entries. Train it on this corpus.")
    return counts


def are_counts(counts):
    """Whether an array holds how often each word of a vocabulary occurs: integers of at least zero, `(V,)`, and not all zero."""
    return counts.ndim == 1 and counts.dtype.kind in "iu" and (counts >= 0).all() and counts.any()


def check_counts(counts):
    """Returns counts of words as an array, or raises where they are none."""
    counts = np.asarray(counts)
    if not are_counts(counts):
        raise ValueError(f"Counts are integers of at least zero, one for each word, and not all zero. Received: counts={counts!r}")
    return counts


def _are_files(corpus):
    """Whether a corpus is a path or a list of paths."""
    return isinstance(corpus, os.PathLike) or (isinstance(corpus, list | tuple) and bool(corpus) and isinstance(corpus[0], os.PathLike))


def _from_files(files, tokenizer):
    """Yields blocks of whole sentences from the numbers on the disk."""
    store = token_store(files, tokenizer, cache_dir() / "word2vec")
    first = 0
    while first < len(store.starts):
        last = max(first + 1, int(np.searchsorted(store.ends, store.starts[first] + TOKENS, side="right")))
        start, end = store.starts[first], store.ends[last - 1]
        lengths = store.ends[first:last] - store.starts[first:last]
        inside = np.repeat(store.starts[first:last] - start - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())  # no separators
        yield store.ids[start:end].astype("int32")[inside], np.repeat(np.arange(last - first, dtype="int32"), lengths)
        first = last


def _from_sentences(corpus, tokenizer):
    """Yields blocks from sentences in Python."""
    if isinstance(corpus, str | bytes) or not hasattr(corpus, "__iter__") or iter(corpus) is corpus:
        raise TypeError(
            "A corpus is gone through several times: give a list, an object whose __iter__ begins anew, or a pathlib.Path for a file. "
            f"Received: a {type(corpus).__name__}"
        )
    known = {tokenizer.id_to_token(i): i for i in range(tokenizer.vocab_size)}
    unknown = tokenizer.special_ids[0]  # left out with the other special tokens
    for block in _batched(corpus, SENTENCES):
        if all(isinstance(sentence, str) for sentence in block):
            rows = tokenizer(list(block))
        elif any(isinstance(sentence, str | bytes) or not hasattr(sentence, "__iter__") for sentence in block):
            raise TypeError(f"A corpus holds lists of words, or strings, and not both. Received: {[type(sentence).__name__ for sentence in block[:5]]}")
        else:
            rows = [[known.get(word, unknown) if isinstance(word, str) else _no_word(word) for word in sentence] for sentence in block]
        lengths = [len(row) for row in rows]
        ids = np.fromiter(itertools.chain.from_iterable(rows), "int32", sum(lengths))
        yield ids, np.repeat(np.arange(len(rows), dtype="int32"), lengths)


def _no_word(word):
    raise TypeError(f"The words of a corpus are strings. Received: {word!r}, a {type(word).__name__}")


def _batched(iterable, size):
    """`itertools.batched` of Python 3.12."""
    iterator = iter(iterable)
    while block := tuple(itertools.islice(iterator, size)):
        yield block
