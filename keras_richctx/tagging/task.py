"""One of the tasks that share an encoder."""

import dataclasses

DIRECTIONS = ("both", "forward", "backward")


@dataclasses.dataclass(frozen=True)
class Task:
    r"""What a task of a `MultiTask` foretells of each word, and what it reads.

    Args:
        tags: list of K different strings, in the order of their ids.
        weight: float, $\lambda$, the weight of its loss in the sum. Defaults to `1.0`.
        layer: integer, the layer of the shared stack that it reads: 0 for the encoder's vectors, `None` for the highest. Defaults to `None`.
        direction: string, `"both"`, or `"forward"` or `"backward"` for one half of the first layer, which has seen nothing of the other side of the word: that
            is for language models. Defaults to `"both"`.
        crf: boolean, whether its tags are chosen together. Defaults to `False`.
        scheme: string, that of the CRF, or `None`. Defaults to `None`.

    Raises:
        ValueError: if the weight is negative or the direction unknown, or one half is asked of another layer than the first.

    Example:
        >>> Task(["NOUN", "VERB"], weight=0.3, layer=1)
        Task(tags=['NOUN', 'VERB'], weight=0.3, layer=1, direction='both', crf=False, scheme=None)
    """

    tags: list
    weight: float = 1.0
    layer: int | None = None
    direction: str = "both"
    crf: bool = False
    scheme: str | None = None

    def __post_init__(self):
        if not self.weight >= 0:
            raise ValueError(f"The weight of a loss is at least 0. Received: weight={self.weight!r}")
        if self.direction not in DIRECTIONS:
            raise ValueError(f"The directions are {', '.join(DIRECTIONS)}. Received: direction={self.direction!r}")
        if self.direction != "both" and self.layer != 1:
            raise ValueError(
                f"Above the first layer each half has seen the whole sentence. Received: direction={self.direction!r}, layer={self.layer}. Pass layer=1."
            )

    def get_config(self):
        return dataclasses.asdict(self)
