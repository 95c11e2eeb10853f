"""Answers of chapter 11, ELMo."""

import math


def pads():
    """11.1: three bytes and two marks in a row of 50."""
    return 50 - len("né".encode()) - 2


def windows():
    """11.2: the last one ends where the row ends."""
    return 50 - 3 + 1


def highway():
    """11.3: a quarter of what is new, three quarters of what was there."""
    return 0.25 * 2 + 0.75 * -2


def mix():
    """11.4: the softmax of (0, ln 2, ln 5) is (1, 2, 5) / 8."""
    return 2 * (1 * 8 + 2 * 4 + 5 * 2) / 8


def weights_of_an_lstm():
    """11.5: four maps of input and state to the cell, with their biases, and the projection."""
    return 4 * ((512 + 512) * 4096 + 4096) + 4096 * 512


def perplexity():
    """11.6: the mean of logarithms is the logarithm of the geometric mean."""
    return math.sqrt(40 * 90)


ANSWERS = {
    "11.1": pads,
    "11.2": windows,
    "11.3": highway,
    "11.4": mix,
    "11.5": weights_of_an_lstm,
    "11.6": perplexity,
}
