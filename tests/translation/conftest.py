"""Two small vocabularies and models over them, shared by the tests of this folder."""

import functools

import keras
import numpy as np
import pytest

from keras_richctx.text import WordTokenizer
from keras_richctx.translation import Seq2Seq

# "black" and "noir" are left out of the vocabularies
PAIRS = [
    ("the cat sleeps", "le chat dort"),
    ("the dog sleeps", "le chien dort"),
    ("the black cat sees the dog", "le chat noir voit le chien"),
    ("the dog sees the black cat", "le chien voit le chat noir"),
    ("a cat eats", "un chat mange"),
    ("a black dog eats a cat", "un chien noir mange un chat"),
]


@pytest.fixture(scope="session")
def english():
    return WordTokenizer.train([source.replace("black ", "") for source, _ in PAIRS], vocab_size=50)


@pytest.fixture(scope="session")
def french():
    return WordTokenizer.train([target.replace(" noir", "") for _, target in PAIRS], vocab_size=50)


@pytest.fixture(scope="session")
def make(english, french):
    """`make(**options)` gives a tiny model with weights large enough to have opinions; the same options, the same weights."""

    def make(seed=0, **options):
        model = Seq2Seq(english, french, **{"units": 6, "embedding_dim": 5, **options})
        model.build()
        random = np.random.default_rng(seed)
        model.set_weights([random.normal(scale=0.7, size=w.shape) for w in model.get_weights()])
        return model

    return make


@pytest.fixture(scope="session")
def shared(make):
    """As `make`, each model once: for tests that leave it as it is."""
    return functools.cache(make)


@pytest.fixture(scope="session")
def batch(english, french):
    """What `call` takes, for three pairs of unequal length, and what `fit` wants beside it: inputs, labels, weights."""
    sources = [english(source, eos=True) for source, _ in PAIRS[1:4]]
    targets = [french(target, bos=True, eos=True) for _, target in PAIRS[1:4]]
    sources[1] = sources[1][:2] + sources[1][-1:]
    targets[2] = targets[2][:3]
    inputs = {"encoder_token_ids": fill(sources), "decoder_token_ids": fill([row[:-1] for row in targets])}
    inputs["encoder_padding_mask"] = inputs["encoder_token_ids"] != 0
    labels = fill([row[1:] for row in targets])
    return inputs, labels, (labels != 0).astype("float32")


@pytest.fixture(scope="session")
def widen():
    """`widen(inputs, source=5, target=5)` puts as many more pads on each side."""

    def widen(inputs, source=0, target=0):
        more = {"encoder_token_ids": source, "encoder_padding_mask": source, "decoder_token_ids": target}
        return {name: np.pad(array, [(0, 0), (0, more[name])]) for name, array in inputs.items()}

    return widen


@pytest.fixture(scope="session")
def trained(english, french):
    """A model that has learnt its six pairs, and no more."""
    keras.utils.set_random_seed(0)
    model = Seq2Seq(english, french, units=24, embedding_dim=16)
    model.compile(keras.optimizers.Adam(0.03))
    sources = fill([english(source, eos=True) for source, _ in PAIRS])
    targets = [french(target, bos=True, eos=True) for _, target in PAIRS]
    inputs = {"encoder_token_ids": sources, "encoder_padding_mask": sources != 0, "decoder_token_ids": fill([row[:-1] for row in targets])}
    labels = fill([row[1:] for row in targets])
    model.fit(inputs, labels, sample_weight=(labels != 0).astype("float32"), batch_size=len(PAIRS), epochs=70, verbose=0)
    return model


@pytest.fixture(scope="session")
def pairs():
    return PAIRS


def fill(rows):
    """Pads lists of ids with 0 to one array."""
    length = max(len(row) for row in rows)
    return np.array([[*row, *[0] * (length - len(row))] for row in rows], "int32")
