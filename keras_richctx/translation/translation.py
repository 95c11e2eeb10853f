"""What a translation model returns."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Translation:
    """A translated text, and where the model looked for each of its words.

    Attributes:
        text: string, the translation.
        source_tokens: list of S strings, the pieces of the source as the model read them, its end symbol last.
        target_tokens: list of T strings, the pieces of the translation, its end symbol last (unless the length limit came first).
        alignment: float array of shape `(T, S)`, the attention weights: each row sums to one. `None` for a model without attention.
        score: float, the log-probability of the translation, natural logarithm; with beams divided by the length penalty.
    """

    text: str
    source_tokens: list
    target_tokens: list
    alignment: np.ndarray | None
    score: float

    def __str__(self):
        return self.text
