"""The digits of the benchmarks that train on MNIST's test files."""

import numpy as np

import keras_richctx as krc


def digits(count):
    """Parts the 10,000 digits: so many that train, and the others, that test."""
    all_digits = krc.datasets.load("mnist", "test")
    order = np.random.default_rng(0).permutation(len(all_digits))
    return all_digits[order[:count]], all_digits[order[count:]]
