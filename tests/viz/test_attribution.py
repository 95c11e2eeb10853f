"""Contributions of tokens: exact where the model is linear, complete where they claim to be, on every backend."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.viz import attribution

B, T, D, V = 2, 7, 5, 19
IDS = np.array([[4, 9, 6, 12, 5, 0, 0], [7, 8, 4, 4, 18, 3, 1]])


def text_model(*layers, mask_zero=False):
    tokens = keras.Input((T,), dtype="int32")
    x = keras.layers.Embedding(V, D, mask_zero=mask_zero, embeddings_initializer="normal", name="embedding")(tokens)
    for layer in layers:
        x = layer(x)
    return keras.Model(tokens, x)


def curved():
    return text_model(krc.layers.GRU(6), keras.layers.Dense(3))


def classifier(vocab_size=V, tokenizer=None):
    model = krc.models.TextClassifier(krc.models.Bert(tokenizer, num_layers=2, width=6, num_heads=2, vocab_size=vocab_size), num_classes=3)
    rng = np.random.default_rng(0)
    model.set_weights([w + rng.normal(scale=0.3, size=w.shape).astype(w.dtype) if w.dtype.kind == "f" else w for w in model.get_weights()])
    return model


def array(tensor):
    return keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32"))


@pytest.mark.backends
@pytest.mark.parametrize("method", ["integrated_gradients", "gradient_x_input", "leave_one_out"])
def test_a_linear_model_is_shared_out_exactly(method):
    model = text_model(keras.layers.Flatten(), keras.layers.Dense(3, use_bias=False, name="linear"))
    found = attribution(model, IDS, method, target=[2, 0], steps=3)
    vectors, kernel = array(model.get_layer("embedding")(IDS)), array(model.get_layer("linear").kernel).reshape(T, D, 3)
    expected = np.einsum("btd,tdb->bt", vectors, kernel[..., [2, 0]])
    np.testing.assert_allclose(found.scores, expected, atol=1e-6)


@pytest.mark.backends
def test_integrated_gradients_sum_to_the_difference_of_outputs():
    for model in (curved(), classifier()):
        logits = array(model(IDS))
        found = attribution(model, IDS)
        np.testing.assert_allclose(found.output, logits.max(axis=-1), atol=1e-5)
        np.testing.assert_allclose(found.scores.sum(axis=1), found.output - found.baseline_output, rtol=0.01)
        assert found.completeness.shape == (B,)
        assert found.completeness.max() < 0.01


def test_too_few_steps_are_an_error_that_says_so():
    model = text_model(keras.layers.Flatten(), keras.layers.Lambda(lambda x: keras.ops.sum(20 * x, axis=-1) ** 4))
    with pytest.raises(ValueError, match=r"sum to .* where the outputs differ by .*Received: steps=1\. Raise it to 4"):
        attribution(model, IDS, steps=1)
    assert attribution(model, IDS, steps=64).completeness.max() < 0.01


@pytest.mark.backends
def test_gradient_times_input_equals_differences():
    model, step = curved(), 1e-3
    found = attribution(model, IDS, "gradient_x_input", target=1)
    vectors = array(model.get_layer("embedding")(IDS)).astype("float64")

    def output(x):
        for layer in model.layers[2:]:
            x = layer(x)
        return array(x)[:, 1].astype("float64")

    for t in (0, 3, T - 1):
        change = np.zeros_like(vectors)
        change[:, t] = step * vectors[:, t]
        differences = output((vectors + change).astype("float32")) - output((vectors - change).astype("float32"))
        np.testing.assert_allclose(found.scores[:, t], differences / (2 * step), atol=2e-3 * np.abs(found.scores).max() + 1e-4)


@pytest.mark.backends
def test_leaving_one_out_is_the_model_without_it():
    model = classifier()
    found = attribution(model, IDS, "leave_one_out", target=1, baseline=3)
    for t in (1, 4):
        without = IDS.copy()
        without[:, t] = 3
        np.testing.assert_allclose(found.scores[:, t], (array(model(IDS)) - array(model(without)))[:, 1], atol=1e-5)


def test_pads_contribute_nothing_and_the_model_is_left_as_it_was():
    model = classifier()
    before, weights = array(model(IDS)), model.get_weights()
    for method in ("integrated_gradients", "gradient_x_input", "leave_one_out"):
        assert not np.abs(attribution(model, IDS, method).scores[0, 5:]).max() > 1e-7
    np.testing.assert_array_equal(before, array(model(IDS)))
    for one, other in zip(weights, model.get_weights()):
        np.testing.assert_array_equal(one, other)
    assert not any("call" in vars(layer) for layer in model._flatten_layers())


def test_texts_and_pairs_come_with_their_tokens():
    tokenizer = krc.text.WordPieceTokenizer.train(["the cat sat on the mat"] * 3, vocab_size=40)
    found = attribution(classifier(tokenizer.vocab_size, tokenizer), [("the cat", "a mat"), ("the", "sat on")], steps=32)
    assert found.tokens[0][:3] == ["[CLS]", "the", "cat"]
    assert len(found.tokens[1]) == found.scores.shape[1]
    html = found.view(1, beside=[attribution(classifier(tokenizer.vocab_size, tokenizer), [("the cat", "a mat"), ("the", "sat on")], "leave_one_out")]).html
    assert "Leave one out" in html
    assert "[PAD]" not in html  # pads are left away


def test_a_language_model_is_asked_for_its_next_token_and_a_translator_for_a_side():
    tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=40)
    found = attribution(krc.models.CharRNN(tokenizer, units=6), ["the cat", "the cat sleeps"])
    assert found.tokens[0][:2] == ["the", "cat"]
    assert not found.scores[0, 2:].any()  # what stands behind the last real token has no part in what comes next
    model, pair = krc.models.Seq2Seq(tokenizer, tokenizer, units=6), [("the cat sleeps", "le chat")]
    assert attribution(model, pair).tokens == [["the", "cat", "sleeps", "[EOS]"]]
    assert attribution(model, pair, embedding="target_embedding").tokens == [["[BOS]", "le", "chat"]]


def test_a_model_of_vectors_is_seen_through_its_inputs():
    inputs = keras.Input((T, D))
    model, x = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Flatten()(inputs))), np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
    expected = np.einsum("btd,td->bt", x, array(model.layers[-1].kernel).reshape(T, D))
    np.testing.assert_allclose(attribution(model, x, steps=2).scores, expected, atol=1e-5)


def test_what_cannot_be_attributed_is_refused():
    model = classifier()
    with pytest.raises(ValueError, match=r"one of these ways.*Received: method='saliency'"):
        attribution(model, IDS, "saliency")
    with pytest.raises(ValueError, match=r"places 0 to 2\. Received: target=3"):
        attribution(model, IDS, target=3)
    with pytest.raises(ValueError, match=r"give as target a function.*a dict of \['pooled_output', 'sequence_output'\]"):
        attribution(model.bert, IDS)
    with pytest.raises(ValueError, match=r"No embedding has this name.*'words'"):
        attribution(model, IDS, embedding="words")
    with pytest.raises(ValueError, match=r"vector of 6 numbers\. Received: baseline of shape \(7,\)"):
        attribution(model, IDS, baseline=np.zeros(7))
    assert attribution(model.bert, IDS, target=lambda outputs: outputs["pooled_output"][:, 0]).scores.shape == (B, T)
