"""Precision, recall and F1 of whole entities."""

import collections

from keras_richctx.metrics.chunks import chunks
from keras_richctx.metrics.f_measure import f_measures


def entity_f1(predicted, gold):
    r"""Compares the entities of sentences: an entity is right if its first word, its last word and its type are.

    $$P = \frac{|\text{predicted} \cap \text{gold}|}{|\text{predicted}|}, \qquad R = \frac{|\text{predicted} \cap \text{gold}|}{|\text{gold}|}, \qquad
    F_1 = \frac{2 P R}{P + R}$$

    Entities are read from tags of IOB1, BIO or BIOES as `chunks` reads them, which is how conlleval does, from ill-formed sequences too. The micro figures,
    those that are published, are over the entities of all types together; the macro figures are means over the types. A quotient over nothing is 0.

    Args:
        predicted: list of lists of strings, the tags of each sentence.
        gold: list of lists of strings, as many for each sentence.

    Returns:
        A dict of `"precision"`, `"recall"` and `"f1"`, micro, floats from 0 to 1; `"macro"`, a dict of the same three; and `"types"`, a dict from each type, in
        the order of the alphabet, to a dict of the three and of the counts `"predicted"`, `"gold"` and `"right"`.

    Raises:
        TypeError: if one sentence stands where a list of them is due.
        ValueError: if the numbers of sentences or of tags differ, or a tag is none.

    Example:
        >>> scores = entity_f1([["B-person", "I-person", "O", "B-place"]], [["B-person", "O", "O", "B-place"]])
        >>> scores["f1"], scores["types"]["place"]["f1"], scores["macro"]["f1"]
        (0.5, 1.0, 0.5)
    """
    counts = collections.defaultdict(lambda: {"predicted": 0, "gold": 0, "right": 0})
    for ours, theirs in check_sentences(predicted, gold):
        ours, theirs = set(chunks(ours)), set(chunks(theirs))
        for name, spans in (("predicted", ours), ("gold", theirs), ("right", ours & theirs)):
            for kind, _, _ in spans:
                counts[kind][name] += 1
    return f_measures(counts, "types")


def check_sentences(predicted, gold):
    """Returns pairs of the two tag lists of each sentence, or raises where they do not correspond."""
    for name, sentences in (("predicted", predicted), ("gold", gold)):
        if isinstance(sentences, str) or any(isinstance(tags, str) for tags in sentences):
            raise TypeError(f"There is a list of tags for each sentence. Received: {name}={sentences!r}. Put the tags of one sentence in a list.")
    if len(predicted) != len(gold):
        raise ValueError(f"The sentences must correspond. Received: {len(predicted)} predicted and {len(gold)} gold ones")
    for index, (ours, theirs) in enumerate(zip(predicted, gold)):
        if len(ours) != len(theirs):
            raise ValueError(f"Each word has one tag. Received: {len(ours)} predicted and {len(theirs)} gold tags of sentence {index}")
    return zip(predicted, gold)
