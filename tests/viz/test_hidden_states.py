"""What layers put out, by name: what they give when asked one by one."""

import keras
import numpy as np
import pytest

import keras_richctx as krc

pytestmark = pytest.mark.backends

IDS = np.array([[4, 9, 6, 12, 0], [7, 8, 4, 4, 18]])


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def test_the_blocks_of_a_bert_are_its_layer_outputs():
    model = krc.models.Bert(num_layers=3, width=6, num_heads=2, vocab_size=19)
    expected = array(model.layer_outputs(IDS))
    states = krc.hidden_states(model, IDS)
    assert list(states) == ["block_0", "block_1", "block_2"]
    np.testing.assert_allclose(np.stack(list(states.values()), axis=1), expected[:, 1:], atol=1e-6)
    lowest = krc.hidden_states(model, IDS, "embedding_norm", batch_size=1)
    np.testing.assert_allclose(lowest["embedding_norm"], expected[:, 0], atol=1e-6)
    assert not any("call" in vars(layer) for layer in model._flatten_layers())


def test_names_tell_two_stacks_apart_and_tokens_come_along():
    tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=40)
    model = krc.models.Transformer(tokenizer, tokenizer, num_layers=2, width=6, num_heads=2)
    states = krc.hidden_states(model, ("the cat", "le chat dort"))
    shapes = {"encoder/block_0": 3, "encoder/block_1": 3, "decoder/block_0": 4, "decoder/block_1": 4}
    assert {name: array.shape[1] for name, array in states.items()} == shapes
    assert states.tokens == [["the", "cat", "[EOS]"]]


def test_all_layers_of_a_model_that_has_no_blocks_and_their_second_calls():
    inputs, dense = keras.Input((5, 6)), keras.layers.Dense(6, name="dense")
    model = keras.Model(inputs, keras.layers.MultiHeadAttention(2, 3, name="look")(dense(dense(inputs)), inputs))
    x = np.random.default_rng(0).normal(size=(2, 5, 6)).astype("float32")
    states = krc.hidden_states(model, x)
    assert [name for name in states if "input" not in name] == ["dense", "dense 2", "look"]
    np.testing.assert_allclose(states["dense 2"], array(dense(dense(keras.ops.convert_to_tensor(x)))), atol=1e-6)


def test_the_weights_of_mixes_are_given():
    inputs = keras.Input((3, 5, 6))
    mix = krc.layers.ScalarMix(name="mix")
    model = keras.Model(inputs, mix(inputs))
    mix.scalars.assign(np.log([1.0, 2.0, 5.0]))
    states = krc.hidden_states(model, np.ones((2, 3, 5, 6), "float32"), "mix")
    np.testing.assert_allclose(states.mixes["mix"], [0.125, 0.25, 0.625], atol=1e-6)
    with pytest.raises(ValueError, match=r"No such layer was called\. Received: layers='block_\*'\. There are .*mix"):
        krc.hidden_states(model, np.ones((2, 3, 5, 6), "float32"), "block_*")
