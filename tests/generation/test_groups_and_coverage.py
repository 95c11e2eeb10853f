"""Beam search in groups, and with a penalty for source words that were not looked at."""

import keras
import numpy as np
import pytest

from keras_richctx.generation import beam

pytestmark = pytest.mark.backends

EOS, PAD = 2, 0
LIMIT = 5


def diverse_beam(lines, row, limit, num_beams, num_groups, diversity, alpha):
    """Algorithm 1 of Vijayakumar et al. in plain Python, without any shortcut."""
    size = num_beams // num_groups
    alive, ended = [[((1,), 0.0)] for _ in range(num_groups)], [[] for _ in range(num_groups)]
    for length in range(1, limit + 1):
        said = np.zeros(5)
        for g in range(num_groups):
            if len(ended[g]) >= size and max(s for _, s in alive[g]) / ((5 + limit) / 6) ** alpha <= sorted(s for _, s in ended[g])[-size]:
                continue  # no line of the group can come in any more: it says nothing
            ways = []
            for line, score in alive[g]:
                for word in range(5):
                    gain = lines.next(row, line)[word]
                    if gain > -np.inf:
                        ways.append((score + gain - diversity * said[word], (*line, word), score + gain))
            ways.sort(key=lambda way: -way[0])
            ended[g] += [(line, score / ((5 + length) / 6) ** alpha) for _, line, score in ways[:size] if line[-1] == EOS]
            alive[g] = [(line, score) for _, line, score in ways if line[-1] != EOS][:size]
            for line, _ in alive[g]:
                said[line[-1]] += 1
    found = []
    for g in range(num_groups):
        last = [(line, score / ((5 + limit) / 6) ** alpha) for line, score in alive[g]]
        found += sorted(ended[g] or last, key=lambda x: -x[1])[:size]
    return sorted(found, key=lambda x: -x[1])


@pytest.mark.parametrize("num_beams, num_groups, diversity", [(2, 2, 0.7), (4, 2, 1.5), (6, 3, 0.2), (3, 3, 50.0)])
def test_groups_are_those_of_the_algorithm(model, lines, inputs, pad, num_beams, num_groups, diversity):
    options = {"num_beams": num_beams, "num_groups": num_groups, "diversity": diversity, "length_penalty": 0.6}
    ids, scores = beam(model, inputs, LIMIT, return_all=True, **options)
    for row in inputs["row"]:
        wanted = diverse_beam(lines, row, LIMIT, num_beams, num_groups, diversity, 0.6)
        np.testing.assert_array_equal(ids[row, : len(wanted)], pad([line for line, _ in wanted], LIMIT))
        np.testing.assert_allclose(scores[row, : len(wanted)], [score for _, score in wanted], atol=1e-5)


def test_groups_of_one_without_diversity_all_find_the_greedy_line(model, lines, inputs, pad):
    ids, _ = beam(model, inputs, LIMIT, num_beams=3, num_groups=3, return_all=True)
    for line in range(3):
        np.testing.assert_array_equal(ids[:, line], pad([lines.greedy(row, LIMIT) for row in inputs["row"]], LIMIT))


@pytest.fixture(scope="module")
def looking(make_model, table):
    """The table's model, which looks at one of three source words with each word that it says."""

    class Looking(make_model):
        def start(self, inputs, max_new_tokens):
            first, state, memory = super().start(inputs, max_new_tokens)
            return first, {**state, "coverage": keras.ops.zeros((keras.ops.shape(first)[0], 3))}, memory

        def step(self, token_ids, state, memory):
            logits, after = super().step(token_ids, state, memory)
            looked = keras.ops.one_hot(token_ids % 3, 3, dtype="float32") * 0.7
            return logits, {**after, "coverage": state["coverage"] + looked}

    return Looking(table)


@pytest.mark.parametrize("beta", [0.5, 3.0])
def test_the_coverage_penalty_is_wu_et_als(looking, lines, inputs, beta):
    ids, scores = beam(looking, inputs, 4, num_beams=64, length_penalty=1.0, coverage_penalty=beta, return_all=True)
    for row in inputs["row"]:
        best = (-np.inf, None)
        for line in lines.ended(4):
            coverage = np.zeros(3)
            for word in line[:-1]:  # each word but the last was fed, and looked at something
                coverage[word % 3] += 0.7
            penalty = beta * np.log(np.clip(coverage, 1e-6, 1)).sum()
            best = max(best, (lines.score(row, line) / ((4 + len(line)) / 6) + penalty, line))
        np.testing.assert_array_equal(ids[row, 0][ids[row, 0] != PAD], best[1])
        np.testing.assert_allclose(scores[row, 0], best[0], atol=1e-4)


def test_a_coverage_penalty_needs_to_know_where_the_model_looks(model, inputs):
    with pytest.raises(ValueError, match=r"says where it looks at each step.*Received: one without attention"):
        beam(model, inputs, LIMIT, coverage_penalty=0.2)


@pytest.mark.parametrize(
    "options", [{"num_beams": 0}, {"num_beams": 2.5}, {"num_groups": 0}, {"num_beams": 4, "num_groups": 3}, {"diversity": -1.0}, {"coverage_penalty": np.nan}]
)
def test_numbers_out_of_their_range_are_refused(model, inputs, options):
    with pytest.raises(ValueError, match=f"Received: .*{list(options)[-1]}="):
        beam(model, inputs, LIMIT, **options)
