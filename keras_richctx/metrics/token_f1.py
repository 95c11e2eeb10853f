"""Precision, recall and F1 of single tags."""

import collections

from keras_richctx.metrics.entity_f1 import check_sentences
from keras_richctx.metrics.f_measure import f_measures


def token_f1(predicted, gold, outside="O"):
    r"""Compares the tags of words, one by one, those of words that are in no span aside.

    It is not comparable to `entity_f1`, and mostly higher: half of an entity counts here, and nothing there.

    Args:
        predicted: list of lists of strings, the tags of each sentence.
        gold: list of lists of strings, as many for each sentence.
        outside: string, the tag that is not counted, or `None` to count all, as for parts of speech. Defaults to `"O"`.

    Returns:
        A dict of `"precision"`, `"recall"` and `"f1"`, micro, floats from 0 to 1; `"macro"`, a dict of the same three; and `"tags"`, a dict from each tag to a
        dict of the three and of the counts `"predicted"`, `"gold"` and `"right"`.

    Raises:
        TypeError: if one sentence stands where a list of them is due.
        ValueError: if the numbers of sentences or of tags differ.

    Example:
        >>> round(token_f1([["B-x", "O", "B-y"]], [["B-x", "I-x", "B-y"]])["f1"], 4)
        0.8
    """
    counts = collections.defaultdict(lambda: {"predicted": 0, "gold": 0, "right": 0})
    for ours, theirs in check_sentences(predicted, gold):
        for tag, wanted in zip(ours, theirs):
            counts[tag]["predicted"] += 1
            counts[wanted]["gold"] += 1
            counts[tag]["right"] += tag == wanted
    counts.pop(outside, None)
    return f_measures(counts, "tags")
