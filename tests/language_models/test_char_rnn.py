"""The character model: its layers and its config."""

import keras
import numpy as np
import pytest

from keras_richctx.language_models import CharRNN
from keras_richctx.text import CodePointTokenizer

pytestmark = pytest.mark.backends


@pytest.fixture(scope="module")
def code_points():
    return CodePointTokenizer.train(["to be, or not to be"])


@pytest.mark.parametrize("cell, states", [("rnn", 1), ("gru", 1), ("lstm", 2)])
def test_each_layer_has_its_width_and_states(code_points, cell, states):
    model = CharRNN(code_points, units=6, num_layers=3, cell=cell, embedding_dim=4)
    assert [layer.units for layer in model.recurrent_layers] == [6, 6, 6]
    assert [s.shape for s in model.initial_state(2)] == [(2, 6)] * 3 * states
    assert model.embedding.embeddings.shape == (code_points.vocab_size, 4)


def test_the_embedding_is_no_wider_than_the_layers_or_the_vocabulary(code_points):
    assert CharRNN(code_points, units=6).embedding_dim == 6
    assert CharRNN(code_points, units=100).embedding_dim == code_points.vocab_size


def test_dropout_is_above_the_layers_in_training_only(code_points):
    model, plain = CharRNN(code_points, units=50, dropout=0.5), CharRNN(code_points, units=50)
    plain.set_weights([w for w, v in zip(model.get_weights(), model.weights) if "seed" not in v.path])
    ids = np.array([code_points("to be")])
    state = model.initial_state(1)
    dropped, kept = (keras.ops.convert_to_numpy(model.features(ids, state, training=training)[0]) for training in (True, False))
    np.testing.assert_array_equal(kept, keras.ops.convert_to_numpy(plain.features(ids, state, training=True)[0]))
    zero = dropped == 0
    assert 0.3 < zero.mean() < 0.7
    np.testing.assert_allclose(dropped[~zero], 2 * kept[~zero], rtol=1e-5)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"cell": "mlstm"}, r"Unknown recurrent cell\. Received: cell='mlstm'\. Choose one of gru, lstm, rnn"),
        ({"units": 0}, r"units is a positive integer\. Received: units=0"),
        ({"num_layers": 1.5}, r"num_layers is a positive integer\. Received: num_layers=1\.5"),
        ({"embedding_dim": -2}, r"embedding_dim is a positive integer\. Received: embedding_dim=-2"),
    ],
)
def test_wrong_arguments_are_refused_by_name(code_points, options, message):
    with pytest.raises(ValueError, match=message):
        CharRNN(code_points, **options)
