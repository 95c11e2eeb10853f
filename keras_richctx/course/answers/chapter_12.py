"""Answers of chapter 12, GPT and generation."""

import numpy as np


def parameters():
    """12.1: the embedding, the positions, two blocks of 12 D^2 + 13 D, and the last normalisation."""
    layers, width, vocab_size, length = 2, 64, 500, 32
    return vocab_size * width + length * width + layers * (12 * width**2 + 13 * width) + 2 * width


def nucleus():
    """12.2: what stands before the third token, 0.7, does not reach 0.75 yet; the fourth is cut, and the rest shared out anew."""
    kept = np.array([0.4, 0.3, 0.2, 0.0])
    return kept / kept.sum()


def warmer():
    """12.3: temperature 2 takes the root of each probability, and shares out anew."""
    roots = np.sqrt([0.64, 0.16, 0.16, 0.04])
    return roots / roots.sum()


def cache_bytes():
    """12.4: a key and a value of 768 numbers, of 4 bytes each, in each layer and at each position."""
    return 2 * 12 * 1024 * 768 * 4


def products():
    """12.5: token t meets t keys; without a cache all tokens up to t do it again each time."""
    return [sum(range(1, 101)), sum(sum(range(1, t + 1)) for t in range(1, 101))]


def token_counts():
    """12.6: hug s, p un, m ug, b ug s."""
    return [2, 2, 2, 3]


ANSWERS = {
    "12.1": parameters,
    "12.2": nucleus,
    "12.3": warmer,
    "12.4": cache_bytes,
    "12.5": products,
    "12.6": token_counts,
}
