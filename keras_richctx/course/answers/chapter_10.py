"""Answers of chapter 10, transfer learning."""

import math


def first_convolution():
    """10.1: each filter has a weight for each of 11 by 11 places and 3 channels, and a bias."""
    return (11 * 11 * 3 + 1) * 96


def new_last_layer():
    """10.2: from the 4,096 features of `fc7` to 20 classes, with biases."""
    return 4096 * 20 + 20


def lowest_rate():
    """10.3: three groups stand above the lowest of four."""
    return 0.01 / 2.6**3


def normalized():
    """10.4: a / (1 + the squares of it and its neighbours) ** 0.5."""
    return [2 / math.sqrt(1 + 4 + 4), 2 / math.sqrt(1 + 4 + 4 + 0), 0 / math.sqrt(1 + 4 + 0)]


def halfway_down():
    """10.5: the peak is at step 8; at step 44 half of the fall from it to its 32nd is left."""
    share = 1 - (44 - 8) / (80 - 8)
    return 0.01 * (1 + share * (32 - 1)) / 32


ANSWERS = {"10.1": first_convolution, "10.2": new_last_layer, "10.3": lowest_rate, "10.4": normalized, "10.5": halfway_down}
