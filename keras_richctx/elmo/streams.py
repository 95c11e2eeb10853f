"""Sentences as two streams of words: the one that is read forwards, and the one of the same sentences turned round."""

from collections import Counter

import numpy as np

from keras_richctx.datasets import stream_chunks

BEGIN, END, UNKNOWN = "<S>", "</S>", "<UNK>"


def build_vocabulary(sentences, size=None, min_count=1):
    """Lists the words that a biLM is to foretell: the two marks of a sentence, the unknown word, then the words by their frequency, the most frequent first.

    Args:
        sentences: iterable of lists of strings.
        size: integer, the largest number of entries, the three included, or `None` for all. Defaults to `None`.
        min_count: integer, how often a word must occur. Defaults to `1`.

    Returns:
        A list of strings, without repetition. Words of equal frequency stand in their order.

    Raises:
        ValueError: if no word is left.

    Example:
        >>> build_vocabulary([["to", "be"], ["be", "not"]])
        ['<S>', '</S>', '<UNK>', 'be', 'not', 'to']
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    marks = [BEGIN, END, UNKNOWN]
    words = sorted((word for word, count in counts.items() if count >= min_count and word not in marks), key=lambda word: (-counts[word], word))
    words = words[: None if size is None else max(size - len(marks), 0)]
    if not words:
        raise ValueError(f"No word is left for the vocabulary. Received: {len(counts)} different words, size={size}, min_count={min_count}")
    return [*marks, *words]


def bilm_batches(sentences, words, vocab_size, batch_size, unroll=20):
    """Lays sentences out as batches for a biLM, with a state that is carried on.

    The forward stream is all sentences one behind the other, each between its marks; in the backward stream each sentence is turned round, so that both pass
    the same sentence at the same time. Each is laid out by `stream_chunks`.

    Args:
        sentences: list of lists of strings.
        words: dict from each word to its number, in which those to be foretold come first.
        vocab_size: integer, how many of them are to be foretold; the others have the target of the unknown word.
        batch_size: integer, B, the parallel rows.
        unroll: integer, the words of a window. Defaults to `20`.

    Returns:
        A triple of inputs, targets and weights as `krc.training.fit` takes them, with `batch_size=B` and `shuffle=False`.

    Raises:
        ValueError: if there are too few words for so many rows.
    """
    unknown = words[UNKNOWN]
    streams = {"forward": [], "backward": []}
    for sentence in sentences:
        ids = [words[BEGIN], *(words[word] for word in sentence), words[END]]
        streams["forward"].extend(ids)
        streams["backward"].extend(reversed(ids))
    inputs, targets, weights = {}, {}, {}
    for name, stream in streams.items():
        chunks, wanted, weights[name] = stream_chunks(np.array(stream), batch_size, unroll)
        targets[name] = np.where(wanted < vocab_size, wanted, unknown).astype("int32")
        inputs[name] = chunks["token_ids"]
    text = {**inputs, **{f"{name}_targets": target for name, target in targets.items()}}
    return {"token_ids": text, "begins": chunks["begins"]}, targets, weights
