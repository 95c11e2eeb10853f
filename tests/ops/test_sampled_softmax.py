import keras
import numpy as np
import pytest

from keras_richctx.ops.sampled_softmax import log_uniform, sampled_softmax_loss, unique_candidates

pytestmark = pytest.mark.backends

V, D, N, K = 37, 5, 11, 12
RNG = np.random.default_rng(0)
H, W, BIAS = (RNG.normal(size=size).astype("float32") for size in ((N, D), (V, D), (V,)))
TARGETS = RNG.integers(0, V, size=N)


def numpy(x):
    return keras.ops.convert_to_numpy(x)


def whole_loss():
    logits = (H @ W.T + BIAS).astype("float64")
    return np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(N), TARGETS]


def test_ranks_are_drawn_log_uniformly():
    p = log_uniform(V)
    np.testing.assert_allclose(p, np.log((np.arange(V) + 2) / (np.arange(V) + 1)) / np.log(V + 1), rtol=1e-5)
    assert p.sum() == pytest.approx(1.0, abs=1e-6)


def test_candidates_differ_and_their_weighted_sums_are_right_on_average():
    generator, g = keras.random.SeedGenerator(1), RNG.uniform(1, 2, size=V)
    sums, firsts = [], []
    for _ in range(400):
        items, q = (numpy(x) for x in unique_candidates(log_uniform(V), K, generator))
        assert len(set(items.tolist())) == K
        sums.append((g[items] / q[items]).sum())
        firsts.append(items[0])
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - g.sum()) < 4 * error
    assert error < 0.03 * g.sum()
    assert abs(np.mean(np.array(firsts) == 0) - log_uniform(V)[0]) < 0.1  # the first is drawn by the probabilities themselves


def test_with_as_many_samples_as_words_it_is_the_softmax():
    np.testing.assert_allclose(numpy(sampled_softmax_loss(H, TARGETS, W, BIAS, V)), whole_loss(), atol=1e-5)


def test_more_samples_come_nearer_to_the_softmax():
    def mean(samples):
        generator = keras.random.SeedGenerator(2)
        return np.mean([numpy(sampled_softmax_loss(H, TARGETS, W, BIAS, samples, generator)) for _ in range(60)], axis=0)

    few, many = (np.abs(mean(samples) - whole_loss()).mean() for samples in (4, 34))
    assert many < 0.2
    assert many < few


def test_the_target_counts_once_though_it_is_in_the_sample():
    # nearly all words are in each sample: without the mask the target would count twice, and no loss would be below log 2
    sure = np.zeros((V, D), "float32")
    bias = np.where(np.arange(V) == 0, 30.0, 0.0).astype("float32")
    loss = numpy(sampled_softmax_loss(H, np.zeros(N, "int32"), sure, bias, V - 1, 3))
    assert loss.max() < 1e-3


def test_only_the_target_and_the_sample_have_a_gradient(gradients):
    w = keras.Variable(W)
    (gradient,) = gradients(lambda: keras.ops.sum(sampled_softmax_loss(keras.ops.convert_to_tensor(H), TARGETS, w.value, BIAS, 4, 5)), [w])
    touched = np.abs(numpy(gradient)).sum(axis=1) > 0
    items = numpy(unique_candidates(log_uniform(V), 4, 5)[0])
    assert set(np.flatnonzero(touched)) <= set(items.tolist()) | set(TARGETS.tolist())
    assert touched[TARGETS].all()
