"""What the AWD-LSTM drops, ties and penalizes, and that outside of training it is an LSTM."""

import json
import types

import keras
import numpy as np
import pytest

from keras_richctx.language_models import AWDLSTM, evaluate
from keras_richctx.training import NTASGD, NonMonotonicTrigger, truncated_bptt

pytestmark = pytest.mark.backends

B, T = 3, 6
DROPOUTS = ("embedding_dropout", "input_dropout", "hidden_dropout", "output_dropout", "weight_dropout")
NO_DROPOUT = dict.fromkeys(DROPOUTS, 0.0)


@pytest.fixture(scope="module")
def awd(tokenizer):
    """`awd(**options)` makes a small model with weights large enough to have opinions, and without dropout or penalties where nothing is said of them."""

    def make(seed=0, **options):
        penalties = {"activation_regularization": 0.0, "temporal_activation_regularization": 0.0}
        model = AWDLSTM(tokenizer, **{"embedding_dim": 4, "units": 5, "num_layers": 2, **NO_DROPOUT, **penalties, **options})
        random = np.random.default_rng(seed)
        model.set_weights([random.normal(scale=0.8, size=w.shape) for w in model.get_weights()])
        return model

    return make


@pytest.mark.parametrize("tie_weights", [True, False], ids=["tied", "untied"])
def test_outside_of_training_it_is_a_stack_of_keras_layers(awd, draw, to_numpy, tie_weights):
    model, ids = awd(**dict.fromkeys(DROPOUTS, 0.5), activation_regularization=1.0, tie_weights=tie_weights, num_layers=3), draw(B, T)
    embeddings, *recurrent = model.get_weights()[:10]
    x = embeddings[ids]
    for index, units in enumerate([5, 5, 4 if tie_weights else 5]):
        layer = keras.layers.LSTM(units, return_sequences=True)
        layer.build(x.shape)
        layer.set_weights(recurrent[3 * index : 3 * index + 3])
        x = to_numpy(layer(x))
    expected = x @ embeddings.T + model.get_weights()[-1] if tie_weights else x @ model.get_weights()[-2] + model.get_weights()[-1]
    np.testing.assert_allclose(to_numpy(model(ids)), expected, atol=1e-5)
    assert model.losses == []


@pytest.mark.parametrize("kind", DROPOUTS)
def test_each_kind_of_dropout_acts_in_training_and_only_there(awd, draw, to_numpy, kind):
    model, ids = awd(**{kind: 0.5}), draw(B, T)
    assert (to_numpy(model(ids, training=True)) != to_numpy(model(ids, training=True))).any()
    np.testing.assert_allclose(to_numpy(model(ids)), to_numpy(awd()(ids, training=True)), atol=1e-6)


def test_words_and_features_are_dropped_where_they_come_in(awd, draw, to_numpy):
    ids = draw(B, T)
    embedded = to_numpy(awd().embed(ids))
    by_word = to_numpy(awd(embedding_dropout=0.5).embed(ids, training=True)) / embedded
    by_feature = to_numpy(awd(input_dropout=0.5).embed(ids, training=True)) / embedded
    np.testing.assert_allclose(by_word, np.repeat(by_word[..., :1], 4, axis=-1), rtol=1e-5)
    np.testing.assert_allclose(by_feature, np.repeat(by_feature[:, :1], T, axis=1), rtol=1e-5)
    for factors in (by_word, by_feature):
        np.testing.assert_allclose(np.unique(factors.round(4)), [0, 2])


def test_hidden_and_output_dropout_have_their_places_between_and_after_the_layers(awd, to_numpy):
    ones = keras.ops.ones((B, T, 5))
    for model, places in ((awd(hidden_dropout=0.5, num_layers=3), [True, True, False]), (awd(output_dropout=0.5, num_layers=3), [False, False, True])):
        for index, place in enumerate(places):
            after = to_numpy(model.after_layer(ones, index, training=True))
            assert set(np.unique(after)) == ({0.0, 2.0} if place else {1.0})
            np.testing.assert_array_equal(after, np.repeat(after[:, :1], T, axis=1))


def test_dropped_recurrent_weights_do_not_matter_before_there_is_a_state(awd, draw, to_numpy):
    ids = draw(B, T)
    expected, dropped = to_numpy(awd()(ids)), to_numpy(awd(weight_dropout=0.5)(ids, training=True))
    np.testing.assert_allclose(dropped[:, 0], expected[:, 0], atol=1e-6)
    assert np.abs(dropped[:, 1:] - expected[:, 1:]).min(axis=(0, 2)).max() > 0


def test_the_penalties_of_the_last_layer_come_on_top_of_the_loss(awd, draw, to_numpy):
    ids, targets = draw(B, T), draw(B, T, seed=1)
    model = awd(activation_regularization=3.0, temporal_activation_regularization=0.5)
    h, _ = to_numpy(model.features(ids, model.initial_state(B)))
    penalty = 3 * np.mean(h**2) + 0.5 * np.mean((h[:, 1:] - h[:, :-1]) ** 2)
    model.compile(keras.optimizers.SGD(0.0))
    without = model.evaluate(ids, targets, verbose=0, return_dict=True)["loss"]
    assert model.train_on_batch(ids, targets, return_dict=True)["loss"] == pytest.approx(without + penalty, rel=1e-5)


def test_tied_weights_are_one_variable_that_training_moves(awd, draw):
    model = awd()
    assert [w.shape for w in model.weights].count((model.vocab_size, 4)) == 1
    assert len(model.weights) == 1 + 2 * 3 + 1
    before = model.get_weights()
    model.compile(keras.optimizers.SGD(0.1))
    model.train_on_batch(draw(B, T), draw(B, T, seed=1))
    assert all((a != b).any() for a, b in zip(before, model.get_weights()))


@pytest.mark.parametrize("vocab_size, of_the_authors_code", [(10_000, 24_221_600), (33_278, 33_556_078)], ids=["Penn Treebank", "WikiText-2"])
def test_the_defaults_have_the_size_of_the_papers_models(vocab_size, of_the_authors_code, monkeypatch):
    monkeypatch.setattr(keras.initializers.Orthogonal, "__call__", lambda self, shape, dtype=None: keras.ops.zeros(shape, dtype))  # which takes seconds
    model = AWDLSTM(types.SimpleNamespace(vocab_size=vocab_size))
    second_biases = 4 * (1150 + 1150 + 400)  # PyTorch's LSTM has two
    assert model.count_params() + second_biases == of_the_authors_code


def test_a_text_in_pieces_is_the_whole_text(awd, draw, to_numpy):
    model, ids = awd(), draw(B, T)
    first, state = model.advance(ids[:, :2], model.initial_state(B))
    second, _ = model.advance(ids[:, 2:], state)
    np.testing.assert_allclose(np.concatenate([to_numpy(first), to_numpy(second)], axis=1), to_numpy(model(ids)), atol=1e-5)


def test_it_learns_a_text_and_ends_in_the_average_of_its_descent(tokenizer, awd, to_numpy):
    class Trigger(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 8:
                self.model.optimizer.start_averaging()

    stream = np.array(tokenizer("one two three four " * 40))
    model = awd(embedding_dropout=0.05, input_dropout=0.1, weight_dropout=0.2, activation_regularization=0.01)
    before = evaluate(model, stream)
    model.compile(NTASGD(3.0))
    history = truncated_bptt(
        model, stream, chunk=8, batch_size=4, epochs=12, validation_stream=stream, callbacks=[Trigger(), NonMonotonicTrigger()], progress=False
    )
    assert int(to_numpy(model.optimizer.averaged)) == 1 + 4 * 5  # steps of the last four epochs
    after = evaluate(model, stream, batch_size=4)
    assert after == pytest.approx(history.history["val_loss"][-1], rel=0.02)
    assert after < 0.5 < 1.5 < before


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 2e-1)])
def test_half_precision_stays_close(awd, draw, to_numpy, policy, tolerance):
    ids = draw(B, T)
    half = awd(dtype=policy)
    logits = half(ids)
    assert keras.backend.standardize_dtype(logits.dtype) == policy.removeprefix("mixed_")
    assert {w.dtype for w in half.weights} == {"float32"}
    np.testing.assert_allclose(to_numpy(keras.ops.cast(logits, "float32")), to_numpy(awd()(ids)), atol=tolerance)


def test_a_config_makes_the_same_model(awd):
    rates = dict(zip(DROPOUTS, (0.1, 0.2, 0.3, 0.4, 0.5)))
    model = awd(**rates, tie_weights=False, activation_regularization=0.7, temporal_activation_regularization=0.6, num_layers=3, name="mine")
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(model)))
    again = keras.saving.deserialize_keras_object(config)
    assert again.get_config() == model.get_config()
    assert {**rates, "activation_regularization": 0.7, "name": "mine"}.items() <= model.get_config().items()
    assert [w.shape for w in again.weights] == [w.shape for w in model.weights]


def test_the_groups_hold_every_weight_once_and_a_tied_matrix_is_at_the_top(awd):
    for model, first in ((awd(), "recurrent_0"), (awd(tie_weights=False), "embedding")):
        groups = model.layer_groups()
        assert groups[0][0].name == first
        assert groups[-1][-1].name == "output_projection"
        weights = [weight.path for group in groups for layer in group for weight in layer.weights]
        assert sorted(weights) == sorted(weight.path for weight in model.weights)


@pytest.mark.parametrize("argument", [{"units": 0}, {"num_layers": 1.5}, {"hidden_dropout": 1.0}, {"weight_dropout": -0.1}], ids=str)
def test_wrong_arguments_are_refused_by_name(tokenizer, argument):
    ((name, value),) = argument.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        AWDLSTM(tokenizer, **argument)
