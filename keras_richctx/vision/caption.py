"""What a captioner returns."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Caption:
    """What was said of a picture, and where the model looked for each word.

    Attributes:
        text: string, the caption.
        tokens: list of T strings, the pieces of the caption, its end symbol last (unless the length limit came first).
        maps: float array of shape `(T, h, w)`, the attention to each cell of the grid: each map sums to one. `None` for a model without attention.
        score: float, the log-probability of the caption, natural logarithm; with beams divided by the length penalty.
    """

    text: str
    tokens: list
    maps: np.ndarray | None
    score: float

    def __str__(self):
        return self.text
