"""Answers of chapter 14, fine-tuning BERT."""

import numpy as np


def new_weights():
    """14.1: a matrix of 3 by 768, and three biases."""
    return 3 * 768 + 3


def feature_widths():
    """14.2: the last layer, the sum of the last four, their concatenation."""
    return [768, 768, 4 * 768]


def layer_rates():
    """14.3: each layer a factor of 0.9 below the next: the head, the uppermost block, the lowest block, the embeddings."""
    return 3e-5 * 0.9 ** np.array([0, 1, 12, 13])


def steps():
    """14.4: 2,490 examples in batches of 32, the last one not full, three times."""
    return 3 * -(-2490 // 32)


def warm_up():
    """14.5: half of the way up; the top; half of the way down from step 10 to step 100."""
    return [2e-5 * 5 / 10, 2e-5, 2e-5 * (100 - 55) / 90]


def needed():
    """14.6: sqrt(p (1 - p) / n) = 0.01 at p = 0.9."""
    return 900


ANSWERS = {
    "14.1": new_weights,
    "14.2": feature_widths,
    "14.3": layer_rates,
    "14.4": steps,
    "14.5": warm_up,
    "14.6": needed,
}
