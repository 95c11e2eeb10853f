"""A corpus in which it is known who stands beside whom."""

import numpy as np
import pytest

from keras_richctx.embeddings import count_words
from keras_richctx.text import WordTokenizer

GROUPS = [["cat", "dog", "cow"], ["red", "blue", "green"], ["one", "two", "three"]]


@pytest.fixture(scope="session")
def corpus():
    """Sentences of seven words of one group each, with a word that is everywhere."""
    rng = np.random.default_rng(0)
    return [[*rng.choice(GROUPS[rng.integers(3)], 6), "the"] for _ in range(400)]


@pytest.fixture(scope="session")
def tokenizer(corpus):
    return WordTokenizer.train([" ".join(sentence) for sentence in corpus], vocab_size=14)


@pytest.fixture(scope="session")
def counts(corpus, tokenizer):
    return count_words(corpus, tokenizer)
