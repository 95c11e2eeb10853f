"""Hand-crafted features of the words of a text, for the detection of components of arguments."""

import collections

FULL_STOPS = {".", "!", "?"}
PUNCTUATION = FULL_STOPS | {",", ";", ":", "(", ")", '"', "'", "-"}


def sentence_spans(words):
    """Finds the sentences of a text: each ends with a full stop, an exclamation mark or a question mark.

    Args:
        words: list of strings.

    Returns:
        A list of pairs `(start, end)`: words `start` to `end - 1`.

    Example:
        >>> sentence_spans(["It", "is", "late", ".", "Go", "!", "Now"])
        [(0, 4), (4, 6), (6, 7)]
    """
    ends = [i + 1 for i, word in enumerate(words) if word in FULL_STOPS]
    ends += [len(words)] if not ends or ends[-1] < len(words) else []
    return list(zip([0, *ends], ends))


def structural_features(words):
    """Says where each word stands: in the text, in its sentence, next to which marks; and where its sentence stands. No word is looked at.

    Args:
        words: list of strings, a text.

    Returns:
        A list, for each word a dict from names to numbers.

    Example:
        >>> structural_features(["Well", ",", "no", "."])[0]["before_comma"]
        1.0

    References:
        [Stab and Gurevych, 2017](https://doi.org/10.1162/COLI_a_00295), table 6, the structural group.
    """
    spans, rows = sentence_spans(words), []
    kinds = {"punctuation": PUNCTUATION, "full_stop": FULL_STOPS, "comma": {","}, "semicolon": {";"}}
    for number, (start, end) in enumerate(spans):
        for i in range(start, end):
            row = {
                "first_in_sentence": float(i == start),
                "last_in_sentence": float(i == end - 1),
                "place_in_text": i,
                "share_of_text": i / len(words),
                "place_in_sentence": i - start,
                "share_of_sentence": (i - start) / (end - start),
                "sentence": number,
                "sentence_share": number / len(spans),
                "in_introduction": float(number == 0),
                "in_conclusion": float(number == len(spans) - 1),
            }
            for kind, marks in kinds.items():
                row[f"is_{kind}"] = float(words[i] in marks)
                row[f"behind_{kind}"] = float(i > 0 and words[i - 1] in marks)
                row[f"before_{kind}"] = float(i + 1 < len(words) and words[i + 1] in marks)
            rows.append(row)
    return rows


def lexical_features(words, window=2):
    """Names each word and those around it, in lower case.

    Args:
        words: list of strings, a text.
        window: integer, how many words on either side. Defaults to `2`.

    Returns:
        A list, for each word a dict from names to 1.

    Example:
        >>> lexical_features(["So", "it", "is"], window=1)[0]
        {'-1:<none>': 1.0, '+0:so': 1.0, '+1:it': 1.0}
    """
    lower = [word.lower() for word in words]
    rows = []
    for i in range(len(words)):
        near = {d: lower[i + d] if 0 <= i + d < len(words) else "<none>" for d in range(-window, window + 1)}
        rows.append({f"{d:+}:{word}": 1.0 for d, word in near.items()})
    return rows


class BeginProbability:
    r"""Estimates how probable it is that a component begins at a word, given the words before it.

    $$P(\text{begin at } t \mid w_{t-n}, \dots, w_{t-1}) = \frac{c(\text{begin behind } w_{t-n}, \dots, w_{t-1})}{c(w_{t-n}, \dots, w_{t-1})}$$

    where $c$ counts in the training texts, with the longest $n \le 3$ of which the words were seen in training, the share of beginnings for $n = 0$.

    Args:
        sentences: `TaggedSentences` to count in; a component begins at a tag with `B`.
        order: integer, the most words before. Defaults to `3`.

    Example:
        >>> texts = krc.datasets.TaggedSentences([["because", "it", "works"], ["because", "of", "it"]], [["O", "B-PRO", "I-PRO"], ["O"] * 3])
        >>> [round(row["begin_probability"], 2) for row in BeginProbability(texts).features(["because", "it"])]
        [0.0, 0.5]

    References:
        [Stab and Gurevych, 2017](https://doi.org/10.1162/COLI_a_00295), table 6, the group of the probability.
    """

    def __init__(self, sentences, order=3):
        self.order = order
        self.begins, self.seen = collections.Counter(), collections.Counter()
        for words, tags in zip(sentences.words, sentences.tags):
            for i, tag in enumerate(tags):
                for before in self._before(words, i):
                    self.seen[before] += 1
                    self.begins[before] += tag.startswith("B")

    def _before(self, words, i):
        """Returns the words before place `i`, as tuples, the longest first; the start of a text counts as a word."""
        behind = (
            ("<start>", *(word.lower() for word in words[max(0, i - self.order) : i]))
            if i < self.order
            else tuple(w.lower() for w in words[i - self.order : i])
        )
        return [behind[len(behind) - n :] for n in range(len(behind), -1, -1)]

    def features(self, words):
        """Gives each word of a text the probability that a component begins there: a list of dicts."""
        rows = []
        for i in range(len(words)):
            known = next((before for before in self._before(words, i) if self.seen[before]), ())
            rows.append({"begin_probability": self.begins[known] / max(self.seen[known], 1)})
        return rows
