"""The two architectures and the two objectives."""

import keras
import numpy as np
import pytest

from keras_richctx.embeddings import WindowBatches
from keras_richctx.models import Word2Vec

from .conftest import GROUPS

pytestmark = pytest.mark.backends

SETTINGS = [(architecture, objective) for architecture in ("cbow", "skip_gram") for objective in ("negative_sampling", "hierarchical_softmax")]


def batch_of(model, corpus):
    return next(iter(WindowBatches(corpus, model.tokenizer, np.array(model.counts), model.outputs(), window=3, sample=0, batch_size=8)))


@pytest.mark.parametrize("architecture, objective", SETTINGS)
def test_the_loss_is_that_of_the_formula(architecture, objective, corpus, tokenizer, counts):
    model = Word2Vec(tokenizer, counts, 7, architecture, objective, num_negatives=3)
    rng = np.random.default_rng(0)
    model.set_weights([rng.normal(size=(tokenizer.vocab_size, 7)) for _ in range(2)])
    batch = batch_of(model, corpus)
    inputs, outputs = (np.array(weights, "float64") for weights in model.get_weights())
    expected = []
    for context, real, words, labels, counted in zip(*(batch[name] for name in ("context_ids", "context_mask", "output_ids", "labels", "output_mask"))):
        rows = inputs[context[real]]
        loss = 0.0
        for h in [rows.mean(axis=0)] if architecture == "cbow" else rows:
            loss += np.log1p(np.exp(-(2 * labels - 1) * (outputs[words] @ h)))[counted].sum()
        expected.append(loss)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(model(batch)), expected, rtol=1e-5)


@pytest.mark.parametrize("architecture, objective", SETTINGS)
def test_words_that_stand_together_come_together(architecture, objective, corpus, tokenizer, counts):
    model = Word2Vec(tokenizer, counts, 7, architecture, objective)
    history = model.fit_corpus(corpus, epochs=10, learning_rate=0.05, window=3, sample=0, batch_size=64, seed=1, progress=False)
    assert history.history["loss"][-1] < history.history["loss"][0]
    vectors = model.vectors()
    within = [vectors.similarity(group[0], word) for group in GROUPS for word in group[1:]]
    across = [vectors.similarity(one[0], word) for one in GROUPS for other in GROUPS for word in other if one is not other]
    assert min(within) > max(across) + 0.3, (within, across)


def test_a_step_moves_a_row_by_the_sum_of_what_its_windows_ask(corpus, tokenizer, counts):
    model = Word2Vec(tokenizer, counts, 5, "cbow", max_updates=None)
    rng = np.random.default_rng(0)
    before = [rng.normal(size=(tokenizer.vocab_size, 5)).astype("float32") for _ in range(2)]
    model.set_weights(before)
    (batch,) = next(model._shared(WindowBatches(corpus, tokenizer, counts, model.outputs(), window=3, sample=0, batch_size=8)))
    model.compile(keras.optimizers.SGD(8 * 0.01))
    model.train_on_batch(batch)
    expected = [weights.astype("float64") for weights in before]
    for context, real, words, labels, counted in zip(*(batch[name] for name in ("context_ids", "context_mask", "output_ids", "labels", "output_mask"))):
        rows, words, labels = context[real], words[counted], labels[counted]
        h = before[0][rows].mean(axis=0)
        error = 1 / (1 + np.exp(-before[1][words] @ h)) - labels
        np.add.at(expected[1], words, -0.01 * error[:, None] * h)
        np.add.at(expected[0], rows, -0.01 * error @ before[1][words])  # the whole error, not a share of it
    for found, wanted in zip(model.get_weights(), expected):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_no_row_is_moved_by_more_than_the_limit(corpus, tokenizer, counts):
    moved = {}
    for limit in (None, 2):
        keras.utils.set_random_seed(0)
        model = Word2Vec(tokenizer, counts, 5, max_updates=limit)
        (batch,) = next(model._shared(WindowBatches(corpus, tokenizer, counts, model.outputs(), window=3, sample=0, batch_size=64)))
        model.compile(keras.optimizers.SGD(64 * 0.01))
        before = model.get_weights()[1]
        model.train_on_batch(batch)
        moved[limit] = np.linalg.norm(model.get_weights()[1] - before, axis=1)
    number = np.bincount(batch["output_ids"].ravel(), (batch["output_mask"] * batch["context_mask"].sum(axis=1)[:, None]).ravel(), len(counts))
    frequent = number > 2
    np.testing.assert_allclose(moved[2][frequent], moved[None][frequent] * 2 / number[frequent], rtol=1e-3)


def test_vectors_are_the_rows_of_one_matrix_or_the_mean_of_both(tokenizer, counts):
    model = Word2Vec(tokenizer, counts, 5)
    rng = np.random.default_rng(0)
    W, W_prime = (rng.normal(size=(tokenizer.vocab_size, 5)).astype("float32") for _ in range(2))
    model.set_weights([W, W_prime])
    i = tokenizer.token_to_id("cow")
    for which, expected in (("input", W[i]), ("output", W_prime[i]), ("mean", (W[i] + W_prime[i]) / 2)):
        vectors = model.vectors(which)
        np.testing.assert_allclose(vectors["cow"], expected, rtol=1e-6)
        assert "[PAD]" not in vectors
        assert vectors.words[0] == "the"  # the most frequent
    with pytest.raises(ValueError, match=r"Received: which='both'"):
        model.vectors("both")
    with pytest.raises(ValueError, match="nodes of a tree"):
        Word2Vec(tokenizer, counts, 5, objective="hierarchical_softmax").vectors("output")


def test_the_same_seed_trains_the_same(corpus, tokenizer, counts):
    found = []
    for _ in range(2):
        keras.utils.set_random_seed(0)
        model = Word2Vec(tokenizer, counts, 5)
        model.fit_corpus(corpus, epochs=1, batch_size=32, progress=False)
        found.append(model.get_weights()[0])
    np.testing.assert_allclose(*found, atol=1e-6)


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="XLA does not compile for PyTorch here")
@pytest.mark.parametrize("architecture", ["cbow", "skip_gram"])
def test_xla_trains_the_same(architecture, corpus, tokenizer, counts):
    found = []
    for compiled in (False, True):
        keras.utils.set_random_seed(0)
        model = Word2Vec(tokenizer, counts, 5, architecture)
        model.fit_corpus(corpus, epochs=1, window=2, sample=0, batch_size=64, seed=1, jit_compile=compiled, progress=False)
        found.append(model.get_weights())
    for plain, by_xla in zip(*found):
        np.testing.assert_allclose(by_xla, plain, atol=1e-6)


def test_a_saved_model_is_the_model(corpus, tokenizer, counts, tmp_path):
    model = Word2Vec(tokenizer, counts, 5, "cbow")
    model.fit_corpus(corpus, epochs=1, batch_size=32, progress=False)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    batch = batch_of(model, corpus)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(loaded(batch)), keras.ops.convert_to_numpy(model(batch)), rtol=1e-6)
    assert loaded.get_config() == model.get_config()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_stays_close(policy, corpus, tokenizer, counts):
    model = Word2Vec(tokenizer, counts, 5)
    half = Word2Vec(tokenizer, counts, 5, dtype=policy)
    weights = [np.random.default_rng(0).normal(size=(tokenizer.vocab_size, 5)) for _ in range(2)]
    model.set_weights(weights)
    half.set_weights(weights)
    batch = batch_of(model, corpus)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(half(batch)), keras.ops.convert_to_numpy(model(batch)), rtol=0.05)


def test_wrong_arguments_are_refused_by_name(tokenizer, counts, corpus):
    for options, message in (
        ({"architecture": "glove"}, "architecture='glove'"),
        ({"objective": "softmax"}, "objective='softmax'"),
        ({"dim": 0}, "dim=0"),
        ({"max_updates": 0}, "max_updates=0"),
    ):
        with pytest.raises(ValueError, match=f"Received: {message}"):
            Word2Vec(tokenizer, counts, **options)
    with pytest.raises(ValueError, match="one count for each of the 14 tokens"):
        Word2Vec(tokenizer, counts[1:])
    with pytest.raises(ValueError, match="one count for each of the 14 tokens"):
        Word2Vec(tokenizer, -counts)
    with pytest.raises(ValueError, match="Received: tokenizer=None"):
        Word2Vec(None, counts)
    for options, message in (
        ({"epochs": 0}, "epochs=0"),
        ({"epochs": 1.5}, r"epochs=1\.5"),
        ({"steps_per_epoch": 0}, "steps_per_epoch=0"),
        ({"batch_size": 1.5}, r"batch_size=1\.5"),
        ({"window": 0}, "window=0"),
        ({"learning_rate": float("inf")}, "learning_rate=inf"),
        ({"min_learning_rate": -1}, r"learning_rate=0\.025, min_learning_rate=-1"),
        ({"sample": -1}, "threshold=-1"),
        ({"seed": -1}, "seed=-1"),
    ):
        with pytest.raises(ValueError, match=f"Received: {message}"):
            Word2Vec(tokenizer, counts).fit_corpus(corpus, **options)
