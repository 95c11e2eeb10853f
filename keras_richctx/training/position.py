"""Where a run stands."""

import dataclasses


@dataclasses.dataclass(frozen=True, order=True)
class Position:
    """A point between two steps of a run: whole epochs that are done, and steps done in the epoch after them.

    Args:
        epoch: integer, number of whole epochs done, which is also the zero-based index of the epoch that the position is in.
        step: integer, number of steps done in that epoch.

    Example:
        >>> print(Position(epoch=2, step=120))
        epoch 3, step 120
    """

    epoch: int = 0
    step: int = 0

    def __str__(self):
        return f"epoch {self.epoch + 1}, step {self.step}"


BEGINNING = Position()
