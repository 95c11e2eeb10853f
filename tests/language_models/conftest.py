"""A text, its tokenizer, and the smallest recurrent language model of each cell, shared by the tests of this folder."""

import keras
import numpy as np
import pytest

from keras_richctx.language_models import RecurrentLanguageModel
from keras_richctx.recurrent import GRU, LSTM, SimpleRNN
from keras_richctx.text import WordTokenizer

LAYERS = {"rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}
WIDTHS = (7, 5)  # of the two recurrent layers
EMBEDDING = 3


@keras.saving.register_keras_serializable("tests")
class SmallModel(RecurrentLanguageModel):
    """Two recurrent layers and nothing else."""

    def __init__(self, tokenizer, cell="lstm", **kwargs):
        super().__init__(tokenizer, **kwargs)
        self.cell = cell
        policy = {"dtype": self.dtype_policy}
        self.embedding = keras.layers.Embedding(tokenizer.vocab_size, EMBEDDING, **policy)
        self.recurrent_layers = [LAYERS[cell](units, return_sequences=True, return_state=True, **policy) for units in WIDTHS]
        self.output_projection = keras.layers.Dense(tokenizer.vocab_size, **policy)
        self.build()

    def get_config(self):
        return {**super().get_config(), "cell": self.cell}


@pytest.fixture(scope="session")
def tokenizer():
    return WordTokenizer.train(["one two three four five six seven"], vocab_size=11)


@pytest.fixture(scope="session")
def make(tokenizer):
    """`make(cell)` gives a small model with weights large enough to have opinions; the same arguments, the same weights."""

    def make(cell="lstm", seed=0, **options):
        model = SmallModel(tokenizer, cell, **options)
        random = np.random.default_rng(seed)
        model.set_weights([random.normal(scale=0.8, size=w.shape) for w in model.get_weights()])
        return model

    return make


@pytest.fixture(scope="session")
def draw(tokenizer):
    """`draw(B, T)` gives token ids, none of them a pad."""
    return lambda *shape, seed=0: np.random.default_rng(seed).integers(1, tokenizer.vocab_size, shape).astype("int32")


@pytest.fixture(scope="session")
def to_numpy():
    return lambda nest: keras.tree.map_structure(keras.ops.convert_to_numpy, nest)
