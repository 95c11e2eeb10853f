"""Answers of chapter 03, gradient flow."""

import math

import numpy as np


def bound():
    """03.1: thirty steps back, each with a factor of the largest singular value at most."""
    return 0.9**30


def by_recurrent_kernel():
    """03.2: each step adds h_{t-1} times what arrives before the tanh; at step 1 that is h_0 = 0, so step 2 alone counts."""
    kernel, recurrent_kernel = np.array([[0.5, -0.5], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    first = np.tanh(np.array([1.0, 0.0]) @ kernel)
    second = np.tanh(np.array([0.0, 1.0]) @ kernel + first @ recurrent_kernel)
    return np.outer(first, np.array([1.0, 0.0]) * (1 - second**2))


def clipped():
    """03.3: the norm is 10, so every number is halved."""
    gradient = np.array([6.0, 0.0, -8.0])
    return gradient * min(1, 5 / np.linalg.norm(gradient))


def half_life():
    """03.4: the first k with 0.9^k < 1/2."""
    return math.ceil(math.log(0.5) / math.log(0.9))


def together():
    """03.5: the first of the two may stand at any of the 25 places of a chunk, and the second is in it for the first 15 of these."""
    return (25 - 10) / 25


def two_numbers():
    """03.6: the matrix makes 3 of a unit vector at most; a matrix whose square is zero has no eigenvalue but zero."""
    return [3, 0]


ANSWERS = {
    "03.1": bound,
    "03.2": by_recurrent_kernel,
    "03.3": clipped,
    "03.4": half_life,
    "03.5": together,
    "03.6": two_numbers,
}
