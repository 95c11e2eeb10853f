"""What is taken for what."""

import numpy as np

from keras_richctx.metrics.entity_f1 import check_sentences


def confusion(predicted, gold, labels=None):
    """Counts how often each label was predicted where each was due.

    Args:
        predicted: list of labels, or list of lists of them, such as the tags of sentences.
        gold: list of the same form.
        labels: list of the labels that get a row and a column, in this order, or `None` for all that occur, sorted. Defaults to `None`.

    Returns:
        A pair: the list of labels, and an integer NumPy array with a row for each gold label and a column for each predicted one.

    Raises:
        ValueError: if the numbers differ, or a label occurs that is not in `labels`.

    Example:
        >>> confusion([["NOUN", "VERB", "NOUN"]], [["NOUN", "NOUN", "NOUN"]])
        (['NOUN', 'VERB'], array([[2, 1],
               [0, 0]]))
    """
    nested = any(isinstance(row, list | tuple) for row in [*predicted, *gold])
    pairs = [pair for ours, theirs in check_sentences(predicted, gold) for pair in zip(ours, theirs)] if nested else list(zip(predicted, gold))
    if not nested and len(predicted) != len(gold):
        raise ValueError(f"Each label has its prediction. Received: {len(predicted)} predicted and {len(gold)} gold ones")
    occurring = {label for pair in pairs for label in pair}
    labels = sorted(occurring) if labels is None else list(labels)
    if not occurring <= set(labels):
        raise ValueError(f"All labels that occur are in labels. Received: labels={labels}, without {sorted(occurring - set(labels))}")
    index = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype="int64")
    for ours, theirs in pairs:
        counts[index[theirs], index[ours]] += 1
    return labels, counts
