"""Pairs of a layer of ours and its Keras twin with the same random weights, shared by the tests of this folder."""

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

KINDS = {
    "rnn": (SimpleRNN, keras.layers.SimpleRNN, {}),
    "lstm": (LSTM, keras.layers.LSTM, {}),
    "gru": (GRU, keras.layers.GRU, {}),
    "gru_reset_before": (GRU, keras.layers.GRU, {"reset_after": False}),
}


@pytest.fixture(scope="session", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def twins():
    """`twins(kind, width, units, **options)` makes both layers, built for inputs of that width, with the same random weights, biases included."""

    def make(kind, width, units, batch=None, **options):
        ours, theirs, own = KINDS[kind]
        ours, theirs = ours(units, **own, **options), theirs(units, **own, **options)
        ours.build((batch, None, width))
        theirs.build((batch, None, width))
        random = np.random.default_rng(0)
        theirs.set_weights([random.normal(scale=0.5, size=w.shape) for w in theirs.get_weights()])
        ours.set_weights(theirs.get_weights())
        return ours, theirs

    return make
