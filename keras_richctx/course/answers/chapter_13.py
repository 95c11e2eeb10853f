"""Answers of chapter 13, pre-training BERT."""

import numpy as np


def asked_for():
    """13.1: 15 % of the 400 ordinary tokens; 80 % and 10 % of these."""
    return [60, 48, 6]


def trusted():
    """13.2: of the 40 % that look like ordinary tokens, 10 are themselves."""
    return 0.1 / (0.3 + 0.1)


def masked_loss():
    """13.3: the mean over the three tokens, ln 2, 2 ln 2 and 3 ln 2, not over the two rows."""
    return (1 + 2 + 3) * np.log(2) / 3


def base_size():
    """13.4: three tables of embeddings and their normalisation, twelve blocks, and the pooler."""
    width, layers = 768, 12
    return (30522 + 512 + 2) * width + 2 * width + layers * (12 * width**2 + 13 * width) + width**2 + width


def saved():
    """13.5: the work goes with the number of positions."""
    return 512 / 77


def cheats():
    """13.6: a mask shows nothing, and GPT and ELMo's two directions look one way only."""
    return {"BERT, asked for the next token", "two LSTMs in one stack, each reading the other's states"}


ANSWERS = {
    "13.1": asked_for,
    "13.2": trusted,
    "13.3": masked_loss,
    "13.4": base_size,
    "13.5": saved,
    "13.6": cheats,
}
