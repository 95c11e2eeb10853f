"""Answers of chapter 15, several tasks at once and arguments found in texts."""

import math


def weighted_sum():
    """15.1: F + lambda G."""
    return 0.8 + 0.4 * 0.5


def share_of_the_small_task():
    """15.2: the square roots are 30 and 10."""
    return math.sqrt(100) / (math.sqrt(900) + math.sqrt(100))


def layers_that_move():
    """15.3: the layer that is read, and what is below it."""
    return 1


def f1_of_components():
    """15.4: one of two predicted is right, and one of two gold ones is found."""
    precision, recall = 1 / 2, 1 / 2
    return 2 * precision * recall / (precision + recall)


def share_of_tags():
    """15.5: all but the third."""
    return 3 / 4


def frequency_tag():
    """15.6: the logarithm, rounded down."""
    return math.floor(math.log(20))


ANSWERS = {
    "15.1": weighted_sum,
    "15.2": share_of_the_small_task,
    "15.3": layers_that_move,
    "15.4": f1_of_components,
    "15.5": share_of_tags,
    "15.6": frequency_tag,
}
