"""Answers of chapter 02, recurrent networks."""

import math

import numpy as np

# The cell that the chapter works by hand, in Keras' layout: rows are inputs.
KERNEL = np.array([[0.5, -0.5], [1.0, 0.0]])  # W_xh
RECURRENT_KERNEL = np.array([[0.0, 1.0], [1.0, 0.0]])  # W_hh


def parameters():
    """02.1: four letters, three hidden units: W_xh, W_hh and b_h, then W_hy and b_y."""
    return (4 * 3 + 3 * 3 + 3) + (3 * 4 + 4)


def third_step():
    """02.2: the two steps of the chapter, and the second input once more."""
    hidden = np.zeros(2)
    for x in np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]):
        hidden = np.tanh(x @ KERNEL + hidden @ RECURRENT_KERNEL)
    return hidden


def uniform_loss():
    """02.3: the cross-entropy of a probability of 1/4, whichever letter is right."""
    return -math.log(1 / 4)


def latch():
    """02.4: h = tanh(2 h) has three solutions, 0 and one on either side of it; whatever starts above 0 ends at the upper one."""
    hidden = 0.1
    for _ in range(100):
        hidden = math.tanh(2 * hidden)
    return hidden


def one_matrix():
    """02.5: in the layout of the lecture slides columns are inputs, and the state comes first."""
    return np.concatenate([RECURRENT_KERNEL.T, KERNEL.T], axis=1)


def gradient():
    """02.6: each of the 50 steps multiplies by w_hh."""
    return 0.9**50


ANSWERS = {
    "02.1": parameters,
    "02.2": third_step,
    "02.3": uniform_loss,
    "02.4": latch,
    "02.5": one_matrix,
    "02.6": gradient,
}
