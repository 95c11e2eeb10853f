"""The conditional random field against all sequences of tags, one by one, in float64."""

import itertools

import keras
import numpy as np
import pytest

from keras_richctx.ops import crf_log_likelihood, crf_log_partition, crf_marginals, crf_score, crf_viterbi

pytestmark = pytest.mark.backends

B, T, K = 1000, 6, 4


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


class Everything:
    """A thousand rows of up to six real positions, pads and gaps anywhere, and what comes out of all sequences of tags."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.emissions = rng.normal(scale=2.0, size=(B, T, K)).astype("float32")
        self.weights = [rng.normal(size=shape).astype("float32") for shape in [(K, K), (K,), (K,)]]
        self.weights[0][1, 2] = self.weights[1][3] = self.weights[2][0] = -np.inf
        self.mask = rng.random((B, T)) < rng.random((B, 1))
        self.mask[:3] = [[False] * T, [True] * T, [False] * 3 + [True] + [False] * 2]
        self.noise = np.where(self.mask[..., None], self.emissions, np.nan).astype("float32")
        self.log_partition, self.best_score = np.zeros(B), np.zeros(B)
        self.marginals, self.best = np.zeros((B, T, K)), np.full((B, T), -1)
        self.expected = [np.zeros((B, K, K)), np.zeros((B, K)), np.zeros((B, K))]  # of steps, starts and ends
        for n in range(1, T + 1):
            rows = np.flatnonzero(self.mask.sum(1) == n)
            places = np.nonzero(self.mask[rows])[1].reshape(-1, n)
            y = np.array(list(itertools.product(range(K), repeat=n)))  # (K ** n, n)
            scores = self.score(self.emissions[rows[:, None], places].astype("float64"), y)  # (rows, K ** n)
            shift = scores.max(1)
            p = np.exp(scores - shift[:, None])
            self.log_partition[rows], self.best_score[rows] = shift + np.log(p.sum(1)), shift
            p /= p.sum(1, keepdims=True)
            one = np.eye(K)[y]  # (K ** n, n, K)
            self.marginals[rows[:, None], places] = np.einsum("rs,stk->rtk", p, one)
            self.best[rows[:, None], places] = y[scores.argmax(1)]
            self.expected[0][rows] = np.einsum("rs,sij->rij", p, np.einsum("sti,stj->sij", one[:, :-1], one[:, 1:]))
            self.expected[1][rows], self.expected[2][rows] = p @ one[:, 0], p @ one[:, -1]

    def score(self, emissions, y):
        transitions, start, end = (weight.astype("float64") for weight in self.weights)
        steps = transitions[y[:, :-1], y[:, 1:]].sum(1) + start[y[:, 0]] + end[y[:, -1]]
        return emissions[:, np.arange(y.shape[1]), y].sum(2) + steps


@pytest.fixture(scope="module")
def everything():
    return Everything()


def test_the_partition_is_the_sum_over_all_sequences(everything):
    found = to_numpy(crf_log_partition(everything.noise, *everything.weights, mask=everything.mask))
    np.testing.assert_allclose(found, everything.log_partition, atol=1e-5)


def test_viterbi_finds_the_best_of_all_sequences(everything):
    tags, scores = crf_viterbi(everything.noise, *everything.weights, mask=everything.mask)
    np.testing.assert_array_equal(to_numpy(tags), everything.best)
    np.testing.assert_allclose(to_numpy(scores), everything.best_score, atol=1e-5)
    np.testing.assert_allclose(to_numpy(crf_score(everything.noise, tags, *everything.weights, mask=everything.mask)), everything.best_score, atol=1e-5)
    likelihood = to_numpy(crf_log_likelihood(everything.noise, tags, *everything.weights, mask=everything.mask))
    np.testing.assert_allclose(likelihood, everything.best_score - everything.log_partition, atol=1e-5)


def test_marginals_are_those_of_all_sequences(everything):
    found = to_numpy(crf_marginals(everything.noise, *everything.weights, mask=everything.mask))
    np.testing.assert_allclose(found, everything.marginals, atol=1e-5)


def test_the_likelihoods_of_all_sequences_sum_to_one(everything):
    y = np.array(list(itertools.product(range(K), repeat=4)), "int32")
    emissions = np.broadcast_to(everything.emissions[7, :4], (K**4, 4, K))
    likelihoods = to_numpy(crf_log_likelihood(emissions, y, *everything.weights))
    np.testing.assert_allclose(np.exp(likelihoods).sum(), 1, atol=1e-5)
    forbidden = (y[:, 0] == 3) | (y[:, -1] == 0) | ((y[:, :-1] == 1) & (y[:, 1:] == 2)).any(1)
    np.testing.assert_array_equal(np.isneginf(likelihoods), forbidden)


def test_gradients_are_what_was_seen_minus_what_was_expected(everything, gradients):
    y, variables = everything.best, [keras.Variable(x) for x in (np.nan_to_num(everything.noise), *everything.weights)]
    found = gradients(lambda: keras.ops.sum(crf_log_likelihood(variables[0].value, y, *(v.value for v in variables[1:]), mask=everything.mask)), variables)
    seen = [np.zeros((K, K)), np.zeros(K), np.zeros(K)]
    for row in y:
        row = row[row >= 0]
        np.add.at(seen[0], (row[:-1], row[1:]), 1)
        if len(row):
            seen[1][row[0]] += 1
            seen[2][row[-1]] += 1
    one = np.where(y[..., None] >= 0, np.eye(K)[y], 0)
    np.testing.assert_allclose(found[0], one - everything.marginals, atol=1e-5)
    for gradient, here, expected in zip(found[1:], seen, everything.expected):
        np.testing.assert_allclose(gradient, here - expected.sum(0), atol=1e-2 if gradient.ndim == 2 else 5e-3)  # sums over a thousand rows


class All(keras.Model):
    """Everything at once, as a compiled program: eager loops over 512 steps take their time."""

    def __init__(self, weights):
        super().__init__()
        self.emissions = self.add_weight(shape=(1, 1, K), initializer="zeros", name="emissions")  # for a gradient
        self.crf_weights = [self.add_weight(shape=w.shape, initializer=keras.initializers.Constant(w), name=f"w{i}") for i, w in enumerate(weights)]

    def call(self, inputs):
        emissions, weights = inputs["emissions"] + self.emissions, [keras.ops.convert_to_tensor(w) for w in self.crf_weights]
        best, score = crf_viterbi(emissions, *weights)
        return {
            "best": best,
            "score": score,
            "log_partition": crf_log_partition(emissions, *weights),
            "marginals": crf_marginals(emissions, *weights),
            "log_likelihood": crf_log_likelihood(emissions, best, *weights),
        }


@pytest.mark.parametrize("length", [0, 1, 512])
def test_any_length_gives_numbers(length):
    rng = np.random.default_rng(1)
    emissions = rng.normal(scale=30.0, size=(2, length, K)).astype("float32")
    weights = [rng.normal(size=shape).astype("float32") for shape in [(K, K), (K,), (K,)]]
    model = All(weights)
    model.compile("sgd", loss={"log_likelihood": lambda y_true, y_pred: -y_pred}, jit_compile=False, run_eagerly=length < 2)
    found = model.predict_on_batch({"emissions": emissions}) if length else {k: to_numpy(x) for k, x in model({"emissions": emissions}).items()}
    alpha = emissions[:, 0].astype("float64") + weights[1] if length else np.zeros((2, K))
    for t in range(1, length):
        alpha = emissions[:, t] + np.logaddexp.reduce(alpha[:, :, None] + weights[0].astype("float64"), axis=1)
    wanted = np.logaddexp.reduce(alpha + weights[2], axis=1) if length else np.zeros(2)
    np.testing.assert_allclose(found["log_partition"], wanted, rtol=1e-5)
    best = found["best"]
    assert best.shape == (2, length)
    scores = [sum(emissions[i, np.arange(length), row].astype("float64")) + weights[0][row[:-1], row[1:]].sum() for i, row in enumerate(best)]
    scores = scores + weights[1][best[:, 0]] + weights[2][best[:, -1]] if length else np.zeros(2)
    np.testing.assert_allclose(found["score"], scores, rtol=1e-5)
    np.testing.assert_allclose(found["log_likelihood"], scores - wanted, atol=1e-4)  # of scores of 16,000
    np.testing.assert_allclose(found["marginals"].sum(-1), np.ones((2, length)), atol=1e-5)
    if length:
        before = model.get_weights()
        model.train_on_batch({"emissions": emissions}, {"log_likelihood": np.zeros(2)})
        assert all(np.isfinite(w).all() for w in model.get_weights())
        assert any((old != new).any() for old, new in zip(before, model.get_weights()))


def test_left_pads_right_pads_and_gaps_are_the_same(everything):
    emissions, weights, y = everything.emissions[:3, :4], everything.weights, np.array([[1, 1, 3, 2], [0, 1, 3, 3], [2, 3, 0, 1]])
    wanted = to_numpy(crf_log_likelihood(emissions, y, *weights))
    assert np.isfinite(wanted).all()
    for places in ([0, 1, 2, 3], [3, 4, 5, 6], [0, 2, 3, 6]):
        wide, tags, mask = np.full((3, 7, K), np.inf, "float32"), np.full((3, 7), -1), np.zeros((3, 7), bool)
        wide[:, places], tags[:, places], mask[:, places] = emissions, y, True
        np.testing.assert_allclose(to_numpy(crf_log_likelihood(wide, tags, *weights, mask=mask)), wanted, atol=1e-5)


def test_where_all_is_forbidden_nothing_is_likely_and_nothing_is_nan(gradients):
    never, free = np.full((2, 2), -np.inf, "float32"), np.zeros(2, "float32")
    variable = keras.Variable(np.ones((1, 3, 2), "float32"))
    call = lambda: crf_log_likelihood(variable.value, np.array([[0, 1, 1]]), never, free, free)  # noqa: E731
    assert np.isneginf(to_numpy(call())[0])
    assert np.isneginf(to_numpy(crf_log_partition(variable.value, never, free, free))[0])
    assert np.isneginf(to_numpy(crf_viterbi(variable.value, never, free, free)[1])[0])
    (gradient,) = gradients(lambda: keras.ops.sum(call()), [variable])
    assert not gradient.any()
