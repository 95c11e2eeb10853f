import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

layers = pytest.mark.parametrize("cls", [SimpleRNN, LSTM, GRU])
X = np.random.default_rng(0).normal(size=(3, 5, 2)).astype("float32")


@layers
def test_a_learnt_state_starts_at_zero_and_receives_its_gradient(cls, gradients):
    learnt, plain = cls(4, learn_initial_state=True), cls(4)
    learnt.build(X.shape)
    plain.build(X.shape)
    plain.set_weights(learnt.cell.get_weights())
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(learnt(X)), keras.ops.convert_to_numpy(plain(X)))

    given = [keras.Variable(np.zeros((3, 4), "float32")) for _ in learnt.first_state]
    expected = gradients(lambda: keras.ops.sum(plain(X, initial_state=[s.value for s in given]) ** 2), given)
    for first, gradient in zip(gradients(lambda: keras.ops.sum(learnt(X) ** 2), learnt.first_state), expected):
        np.testing.assert_allclose(first, gradient.sum(axis=0), atol=1e-5)


@layers
def test_a_learnt_state_is_where_each_row_starts_and_is_saved(cls, tmp_path):
    layer = cls(4, learn_initial_state=True)
    model = keras.Sequential([keras.Input((None, 2)), layer])
    for first in layer.first_state:
        first.assign(np.array([0.1, -0.2, 0.3, 0.4]))
    started = layer(X, initial_state=[np.tile(np.float32([0.1, -0.2, 0.3, 0.4]), (3, 1)) for _ in layer.first_state])
    np.testing.assert_allclose(keras.ops.convert_to_numpy(model(X)), keras.ops.convert_to_numpy(started), atol=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(loaded(X)), keras.ops.convert_to_numpy(model(X)))


def test_a_stateful_layer_has_no_learnt_state():
    with pytest.raises(ValueError, match=r"starts from the batch before.*stateful=True, learn_initial_state=True"):
        LSTM(4, stateful=True, learn_initial_state=True)


def test_use_cudnn_is_auto_or_false():
    with pytest.raises(ValueError, match=r"use_cudnn is 'auto' or False\. Received: use_cudnn='yes'"):
        LSTM(4, use_cudnn="yes")
