"""Answers of chapter 09, translation with a Transformer."""

import numpy as np

WIDTH, INSIDE = 512, 2048  # of the paper's base model
WARMUP = 4000


def normalised():
    """09.1: the mean is 4, the variance (4 + 0 + 0 + 4) / 4 = 2."""
    h = np.array([2.0, 4.0, 4.0, 6.0])
    return (h - h.mean()) / h.std()


def block_size():
    """09.2: four projections of D by D, two matrices of the feed-forward layer, each with a bias; a scale and a shift for each normalisation."""
    attention = 4 * (WIDTH * WIDTH + WIDTH)
    feed_forward = WIDTH * INSIDE + INSIDE + INSIDE * WIDTH + WIDTH
    return attention + feed_forward + 2 * 2 * WIDTH


def peak_and_quarter():
    """09.3: the peak is where the two parts meet; behind it the rate falls as the root of the step, so a quarter takes sixteen times as many."""
    return [WARMUP, 16 * WARMUP]


def lowest_loss():
    """09.4: the cross-entropy is lowest where p = q, and is the entropy of q there."""
    q = np.array([0.8 + 0.05, 0.05, 0.05, 0.05])
    return -np.sum(q * np.log(q))


def weights_above_zero():
    """09.5: every pair in the encoder and across; a position and those before it in the decoder."""
    return [8 * 8, 6 * 7 // 2, 6 * 8]


def tie():
    """09.6: -2 / (8/6)^a = -2.4 / (11/6)^a, so (11/8)^a = 1.2."""
    return np.log(2.4 / 2.0) / np.log(11 / 8)


ANSWERS = {
    "09.1": normalised,
    "09.2": block_size,
    "09.3": peak_and_quarter,
    "09.4": lowest_loss,
    "09.5": weights_above_zero,
    "09.6": tie,
}
