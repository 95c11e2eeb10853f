"""Seeds of NumPy's and Keras' generators."""

import numpy as np


def check_seed(seed):
    """Raises where a seed is none.

    Args:
        seed: what was passed as `seed`.

    Raises:
        ValueError: if it is not an integer of at least zero.

    Example:
        >>> check_seed(3)
    """
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed is an integer of at least zero. Received: seed={seed!r}")
