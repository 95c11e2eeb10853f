"""A text's class does not depend on how it is padded; the language model below is copied, and its layers join from the top."""

import keras
import numpy as np
import pytest

from keras_richctx.language_models import AWDLSTM, CharRNN, ULMFiTClassifier
from keras_richctx.training import GradualUnfreezing, discriminative_rates, slanted_triangular

pytestmark = pytest.mark.backends

HOW = {} if keras.backend.backend() == "jax" else {"run_eagerly": True}  # what takes least time for so few steps
LENGTHS = np.array([6, 3, 1])
NO_DROPOUT = dict.fromkeys(("embedding_dropout", "input_dropout", "hidden_dropout", "output_dropout", "weight_dropout"), 0.0)


@pytest.fixture(scope="module")
def language_model(tokenizer):
    model = AWDLSTM(tokenizer, embedding_dim=4, units=5, num_layers=2, **NO_DROPOUT)
    random = np.random.default_rng(0)
    model.set_weights([random.normal(scale=0.8, size=w.shape) for w in model.get_weights()])
    return model


def classifier(language_model, **options):
    """A classifier with weights that are no special numbers; the same each time."""
    keras.utils.set_random_seed(1)
    model = ULMFiTClassifier(language_model, num_classes=3, **{"hidden": 7, "dropout": 0.0, **options})
    random = np.random.default_rng(2)
    model.head.set_weights([random.uniform(0.2, 1.0, size=w.shape) for w in model.head.get_weights()])
    return model


@pytest.fixture
def texts(draw):
    """Ids of three texts, and where they are real, padded right."""
    return draw(3, 6), np.arange(6) < LENGTHS[:, None]


def test_equals_pools_and_blocks_by_hand_text_by_text(language_model, texts, to_numpy):
    ids, real = texts
    model = classifier(language_model)
    weights = {"/".join(w.path.split("/")[-2:]): to_numpy(w) for w in model.head.weights}

    def normalized(x, index):
        gamma, beta, mean, variance = (weights[f"normalization_{index}/{name}"] for name in ("gamma", "beta", "moving_mean", "moving_variance"))
        return gamma * (x - mean) / np.sqrt(variance + 1e-5) + beta

    for row, logits in enumerate(to_numpy(model({"token_ids": ids, "padding_mask": real}))):
        h, _ = to_numpy(language_model.features(ids[row : row + 1, : LENGTHS[row]], language_model.initial_state(1)))
        x = np.concatenate([h[0, -1], h[0].max(axis=0), h[0].mean(axis=0)])
        x = np.maximum(normalized(x, 0) @ weights["dense_0/kernel"] + weights["dense_0/bias"], 0)
        np.testing.assert_allclose(logits, normalized(x, 1) @ weights["dense_1/kernel"] + weights["dense_1/bias"], atol=1e-4)


def test_neither_number_nor_content_nor_side_of_pads_matters(language_model, texts, to_numpy):
    ids, real = texts
    model = classifier(language_model)
    expected = to_numpy(model({"token_ids": ids, "padding_mask": real}))
    for pads in (0, 5):
        by_id = np.pad(np.where(real, ids, 0), [(0, 0), (0, pads)])
        np.testing.assert_allclose(to_numpy(model({"token_ids": by_id})), expected, atol=1e-5)
        left = np.stack([np.concatenate([np.full(6 + pads - n, 3), row[:n]]) for row, n in zip(ids, LENGTHS)])
        where = np.arange(6 + pads) >= 6 + pads - LENGTHS[:, None]
        np.testing.assert_allclose(to_numpy(model({"token_ids": left, "padding_mask": where})), expected, atol=1e-5)


def test_a_training_step_is_the_same_however_padded(language_model, texts):
    ids, real = texts
    weights = []
    for pads in (0, 4):
        model = classifier(language_model)
        model.compile(keras.optimizers.SGD(0.1), **HOW)
        inputs = {"token_ids": np.pad(ids, [(0, 0), (0, pads)], constant_values=7), "padding_mask": np.pad(real, [(0, 0), (0, pads)])}
        model.train_on_batch(inputs, np.array([0, 1, 2]))
        assert len(model.trainable_variables) == len(model.encoder.trainable_variables) + 8
        weights.append(model.get_weights())
    for ours, theirs in zip(*weights, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("kind", ["tied", "untied", "characters"])
def test_the_encoder_is_a_copy_and_its_output_layer_is_not_trained(tokenizer, texts, kind, recwarn):
    if kind == "characters":
        below = CharRNN(tokenizer, units=5, cell="gru")
    else:
        below = AWDLSTM(tokenizer, embedding_dim=4, units=5, num_layers=2, tie_weights=kind == "tied")
    before = below.get_weights()
    model = ULMFiTClassifier(below, num_classes=2)
    for ours, theirs in zip(model.encoder.get_weights(), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    model.compile(keras.optimizers.SGD(0.1), **HOW)
    model.train_on_batch({"token_ids": texts[0]}, np.array([0, 1, 1]))
    assert not [warning for warning in recwarn if "Gradients do not exist" in str(warning.message)]
    for was, now in zip(before, below.get_weights()):
        np.testing.assert_array_equal(was, now)
    moved = [w.path.split("/", 1)[1] for w, was in zip(model.encoder.weights, before) if (keras.ops.convert_to_numpy(w) != was).any()]
    assert len(moved) == len(before) - len(below.output_projection.weights)
    assert all(w.trainable for w in below.output_projection.weights)


def test_it_is_fine_tuned_from_the_top_at_a_rate_for_each_group(tokenizer):
    """The whole recipe, on texts whose class is whether they hold one word."""
    random = np.random.default_rng(0)
    ids = random.integers(5, tokenizer.vocab_size, (64, 7))
    labels = random.integers(0, 2, 64)
    ids[np.arange(64), random.integers(0, 7, 64)] = np.where(labels, 4, 5)
    keras.utils.set_random_seed(0)
    model = ULMFiTClassifier(AWDLSTM(tokenizer, embedding_dim=8, units=8, num_layers=2, **NO_DROPOUT), num_classes=2)
    groups = model.layer_groups()
    assert sum(len(layer.trainable_weights) for group in groups for layer in group) == len(model.trainable_weights)
    optimizer = discriminative_rates(keras.optimizers.Adam(slanted_triangular(0.05, steps=8 * 12)), model)
    model.compile(optimizer)

    class First(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 0:
                self.moved = [bool((a != b).any()) for a, b in zip(before, model.encoder.get_weights())]

    before, first = model.encoder.get_weights(), First()
    history = model.fit({"token_ids": ids}, labels, batch_size=8, epochs=12, callbacks=[GradualUnfreezing(model), first], verbose=0)
    assert not any(first.moved)
    assert history.history["accuracy"][-1] > 0.85
    after = model.encoder.get_weights()
    assert [bool((a != b).any()) for a, b in zip(before, after)] == [True] * (len(after) - 1) + [False]


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 3e-2), ("mixed_bfloat16", 3e-1)])
def test_half_precision_stays_close(tokenizer, language_model, texts, to_numpy, policy, tolerance):
    half = AWDLSTM(tokenizer, embedding_dim=4, units=5, num_layers=2, dtype=policy, **NO_DROPOUT)
    half.set_weights(language_model.get_weights())
    inputs = {"token_ids": texts[0], "padding_mask": texts[1]}
    logits = classifier(half)(inputs)
    assert keras.backend.standardize_dtype(logits.dtype) == policy.removeprefix("mixed_")
    np.testing.assert_allclose(to_numpy(keras.ops.cast(logits, "float32")), to_numpy(classifier(language_model)(inputs)), atol=tolerance)


def test_a_config_makes_the_same_model(language_model):
    model = classifier(language_model, dropout=0.3, name="mine")
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(model))
    assert again.get_config() == model.get_config()
    assert {"num_classes": 3, "hidden": 7, "dropout": 0.3, "name": "mine"}.items() <= model.get_config().items()


def test_wrong_arguments_are_refused_by_name(language_model):
    for argument in ({"num_classes": 1}, {"hidden": 0}):
        ((name, value),) = argument.items()
        with pytest.raises(ValueError, match=f"Received: {name}={value}"):
            ULMFiTClassifier(language_model, **{"num_classes": 2, **argument})
    with pytest.raises(ValueError, match=r"Received: a dict of \['ids'\], without token_ids"):
        classifier(language_model)({"ids": np.ones((1, 2))})
