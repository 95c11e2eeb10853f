"""Answers of chapter 17, seeing attention."""

import numpy as np

# The graph of 17.4 and 17.5: position 3 looks at 2, 2 at 1, 1 at itself, and half of each vector goes around the layer.
MIXED = 0.5 * np.eye(3) + 0.5 * np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]])


def entropy():
    """17.1: 1/2 of 1 bit, 1/4 of 2 bits, and twice 1/8 of 3 bits."""
    p = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    return -np.sum(p * np.log2(p))


def even_shares():
    """17.2: one key in eight is the one before; the distances of all pairs have the mean (n^2 - 1) / 3n."""
    return [1 / 8, np.abs(np.subtract.outer(np.arange(8), np.arange(8))).mean()]


def causal_share():
    """17.3: token t sees t tokens, for t from 2 to 8."""
    return np.mean(1 / np.arange(2, 9))


def rollout():
    """17.4: the row of position 3 in the product of both layers."""
    return (MIXED @ MIXED)[2]


def flow():
    """17.5: to 1 by way of 2 alone, two pipes of a half; to 2 by two ways that share no pipe, a half each; to 3 straight down."""
    return [0.5, 1.0, 0.5]


def product():
    """17.6: the gradient is (3, 2), each product 6; along the path it is a (3, 2), half of that in the mean; without a factor, nothing is left."""
    x, gradient = np.array([2.0, 3.0]), np.array([3.0, 2.0])
    return [x * gradient, x * gradient / 2, [6.0, 6.0]]


ANSWERS = {
    "17.1": entropy,
    "17.2": even_shares,
    "17.3": causal_share,
    "17.4": rollout,
    "17.5": flow,
    "17.6": product,
}
