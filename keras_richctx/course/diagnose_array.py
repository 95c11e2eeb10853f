"""Says what an array has in common with the one that it should be: all but a factor, the sign, the normalisation, the order of the axes."""

from itertools import permutations

import keras
import numpy as np

EXACT = {"rtol": 2e-7, "atol": 1e-6}  # of integers, which may have been computed in float32
CLOSE = {"rtol": 5e-3, "atol": 1e-6}  # three digits are enough: 1.00 stands for all that is below 1.005
NEAR = {"rtol": 3e-2, "atol": 1e-6}
COUNTS = ("none", "one", "two", "three", "four", "five", "six")


def as_array(value):
    """Returns `value`, a number, a nest of numbers, an array or a tensor of any backend, as a float64 array; or `None` where it is none of these."""
    try:
        array = keras.ops.convert_to_numpy(value) if keras.ops.is_tensor(value) else np.asarray(value)
    except ValueError:  # a ragged nest
        return None
    return array.astype("float64") if array.dtype.kind in "biuf" else None


def diagnose_array(answer, expected):
    """Says in a sentence what is off with `answer`, or returns `None` where nothing is.

    Args:
        answer: what the reader found: anything.
        expected: number, nest of numbers, array or tensor: what it should be.
    """
    mine, right = as_array(answer), as_array(expected)
    whole = _is_whole(expected)
    if mine is None:
        return f"the answer is made of numbers, and this is of type {type(answer).__name__}."
    if mine.shape != right.shape:
        return _diagnose_shape(mine, right)
    if not np.isfinite(mine).all() and np.isfinite(right).all():
        return "there are infinities or NaNs in it."
    if np.allclose(mine, right, **(EXACT if whole else CLOSE)):
        return None
    if np.allclose(mine, right, **NEAR):
        return _diagnose_near(mine, right, whole)
    return _diagnose_values(mine, right)


def _is_whole(expected):
    """Whether the answer is made of integers, so that nothing may be rounded."""
    dtype = keras.backend.standardize_dtype(expected.dtype) if keras.ops.is_tensor(expected) else np.asarray(expected).dtype.name
    return "int" in dtype


def _diagnose_near(mine, right, whole):
    """What is off where little is."""
    if not whole:
        return "it is near, but the last digits are off: was something rounded on the way?"
    if np.isclose(np.abs(mine - right).max(), 1):
        return "it is off by one." if right.size == 1 else f"{_right(mine, right, EXACT)}, and what is off is off by one."
    return "it is near, but integers have to be exact."


def _diagnose_shape(mine, right):
    """What is off where the shapes differ."""
    if any(_close(turned, right) for turned in _transposes(mine)):
        return f"the numbers are right, the order of the axes is not: transpose it. Received: shape={mine.shape}"
    if mine.size == right.size and _close(mine.ravel(), right.ravel()):
        return f"the numbers are right, the shape is not. Received: shape={mine.shape}"
    if right.ndim < 2 and mine.ndim < 2:
        return f"{_count(right.size)} number{' is' if right.size == 1 else 's are'} expected, not {_count(mine.size)}."
    if mine.ndim != right.ndim:
        return f"it should have {right.ndim} {'axis' if right.ndim == 1 else 'axes'}. Received: shape={mine.shape}"
    wrong = [axis for axis in range(mine.ndim) if mine.shape[axis] != right.shape[axis]]
    return f"the length of axis {' and '.join(map(str, wrong))} is off. Received: shape={mine.shape}"


def _diagnose_values(mine, right):
    """What is off where the shapes agree. Each line is one way to go wrong, tried by undoing it."""
    if _close(-mine, right):
        return "the sign is off."
    if any(_close(turned, right) for turned in _transposes(mine)):
        return "it is transposed."
    if right.ndim == 1 and _close(np.sort(mine), np.sort(right)):
        return "the numbers are right, their order is not: " + ("swap the two." if right.size == 2 else "put each in its place.")
    for axis in range(mine.ndim):
        if _close(np.flip(mine, axis), right):
            return f"the order along axis {axis} is reversed."
    for axis in (axis for axis in range(right.ndim) if right.shape[axis] > 1):
        if _close(_normalised(mine, axis), right):
            return f"the normalisation is missing: the numbers along axis {axis} should sum to 1."
        if _close(mine, _normalised(right, axis)):
            return f"it is normalised along axis {axis}, and should not be."
    if _close(np.exp(np.minimum(mine, 700)), right):
        return "it is the logarithm of the answer."
    if (mine > 0).all() and _close(np.log(np.where(mine > 0, mine, 1)), right):
        return "it is the exponential of the answer."
    return _diagnose_number(mine.item(), right.item()) if right.size == 1 else _diagnose_many(mine, right)


def _diagnose_number(mine, right):
    """What is off with one number, of which any other is a factor away: only the factors that people forget are named."""
    if right and _close(mine, 1 / right):
        return "it is upside down: take the reciprocal."
    if right and any(_close(mine * factor, right) for factor in (2, 0.5)):
        return "a factor of two is off."
    if right and any(_close(mine * 10.0**power, right) for power in (-3, -2, -1, 1, 2, 3)):
        return "a power of ten is off."
    if _close(mine**2, right) or _close(mine, right**2):
        return "a square or a square root is off."
    if float(right).is_integer() and abs(mine - right) == 1:
        return "it is off by one."
    return f"it is too {'large' if mine > right else 'small'}."


def _diagnose_many(mine, right):
    """What is off with several numbers."""
    factor = (mine * right).sum() / max((mine * mine).sum(), np.finfo("float64").tiny)
    if _close(factor * mine, right):
        return "a constant factor is off."
    if _close(mine + (right - mine).mean(), right):
        return "a constant is added to each number."
    return f"{_right(mine, right, CLOSE)}."


def _right(mine, right, tolerance):
    """How many of several numbers are right, in words."""
    count = np.isclose(mine, right, **tolerance).sum()
    return f"{count} of the {right.size} numbers {'is' if count == 1 else 'are'} right" if count else "none of the numbers is right"


def _count(size):
    """A number in words, while it is small."""
    return COUNTS[size] if size < len(COUNTS) else f"{size:,}"


def _transposes(x):
    """`x` with its axes in every order."""
    return (x.transpose(axes) for axes in permutations(range(x.ndim)))


def _normalised(x, axis):
    """`x` divided by its sums along `axis`; sums of zero are left alone."""
    total = x.sum(axis, keepdims=True)
    return x / np.where(total == 0, 1, total)


def _close(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, **CLOSE)
