"""Seeds, and numbers of things."""

import numpy as np


def check_naturals(**named):
    """Raises where one of some arguments is not a natural number.

    Args:
        **named: what was passed, by the name of the argument, such as `seed`.

    Raises:
        ValueError: if one is not an integer of at least zero; the message names it.

    Example:
        >>> check_naturals(seed=3, n=0)
    """
    for name, number in named.items():
        if not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"{name} is an integer of at least zero. Received: {name}={number!r}")
