import itertools
from unittest import mock

import keras
import numpy as np
import pytest

from keras_richctx.generation import beam, compiled, greedy

pytestmark = pytest.mark.backends

LIMIT = 4


def test_each_word_is_the_most_probable_one_after_those_before_it(model, lines, inputs, pad):
    ids, scores = greedy(model, inputs, LIMIT, return_scores=True)
    expected = [lines.greedy(row, LIMIT) for row in inputs["row"]]
    assert len({len(line) for line in expected}) > 1  # some end early, some at the limit
    np.testing.assert_array_equal(ids, pad(expected, LIMIT))
    np.testing.assert_allclose(scores, [lines.score(row, line) for row, line in zip(inputs["row"], expected)], atol=1e-5)
    np.testing.assert_array_equal(greedy(model, inputs, LIMIT), ids)


def test_a_batch_is_its_rows_one_by_one(model, inputs):
    ids, scores = greedy(model, inputs, LIMIT, return_scores=True)
    alone = [greedy(model, {"row": inputs["row"][i : i + 1]}, LIMIT, return_scores=True) for i in inputs["row"]]
    np.testing.assert_array_equal(np.concatenate([row for row, _ in alone]), ids)
    np.testing.assert_allclose(np.concatenate([score for _, score in alone]), scores, atol=1e-5)


def test_each_row_stops_at_its_own_limit(make_model, make_lines, tables, inputs, pad):
    table = tables(1)
    table[..., 2] = -20.0  # nothing ends by itself
    limits, lines = np.array([3, 1, 7, 4, 2]), make_lines(table)
    expected = [lines.greedy(row, limit) for row, limit in zip(inputs["row"], limits)]
    ids, scores = greedy(make_model(table), inputs, limits, return_scores=True)
    np.testing.assert_array_equal(ids, pad(expected, limits.max()))
    np.testing.assert_allclose(scores, [lines.score(row, line) for row, line in zip(inputs["row"], expected)], atol=1e-5)


def test_a_line_may_end_at_once(make_model, tables, inputs, pad):
    table = tables(2)
    table[..., 2] = 30.0
    ids, scores = greedy(make_model(table), inputs, LIMIT, return_scores=True)
    np.testing.assert_array_equal(ids, pad([[1, 2]] * len(ids), LIMIT))
    np.testing.assert_allclose(scores, 0.0, atol=1e-5)


def test_without_an_end_symbol_every_row_runs_to_its_limit(make_model, make_lines, tables, inputs):
    model = make_model(tables(3))
    model.eos_id = None
    ids = greedy(model, inputs, 3)
    assert ids.shape == (len(inputs["row"]), 4)
    reference = make_lines(tables(3))
    lines, scores = beam(model, inputs, 3, num_beams=4**3, length_penalty=0.0, return_all=True)
    for row in inputs["row"]:
        words = itertools.product([1, 2, 3, 4], repeat=3)
        wanted = sorted(((reference.score(row, (1, *w)), (1, *w)) for w in words), reverse=True)
        np.testing.assert_array_equal(lines[row, 0], wanted[0][1])
        np.testing.assert_allclose(scores[row], [score for score, _ in wanted], atol=1e-5)


def test_the_next_call_sees_new_weights(make_model, make_lines, tables, inputs, pad):
    model = make_model(tables(4))
    before = greedy(model, inputs, LIMIT)
    model.table.assign(tables(5))
    after = greedy(model, inputs, LIMIT)
    np.testing.assert_array_equal(after, pad([make_lines(tables(5)).greedy(row, LIMIT) for row in inputs["row"]], LIMIT))
    assert (before != after).any()


def test_models_do_not_share_their_programs(make_model, make_lines, tables, inputs, pad):
    models = {seed: make_model(tables(seed)) for seed in (6, 7)}
    for seed in (6, 7, 6):
        expected = pad([make_lines(tables(seed)).greedy(row, LIMIT) for row in inputs["row"]], LIMIT)
        np.testing.assert_array_equal(greedy(models[seed], inputs, LIMIT), expected)


def test_decoding_leaves_the_model_as_it_is(make_model, tables, inputs):
    model = make_model(tables(8))
    greedy(model, inputs, LIMIT)
    beam(model, inputs, LIMIT, num_beams=2)
    assert [w.path for w in model.weights] == [model.table.path]
    assert model.layers == []


def test_lines_longer_than_one_buffer_go_on(make_model, make_lines, tables, inputs, pad):
    table = tables(9)
    table[..., 2] = -20.0
    ids = greedy(make_model(table), inputs, 19)
    np.testing.assert_array_equal(ids, pad([make_lines(table).greedy(row, 19) for row in inputs["row"]], 19))


@pytest.mark.parametrize("limit", [0, -1, [2, 3], [[2], [3], [4], [5], [6]], [1, 2, 0, 3, 4], [], 2.5, np.array([1.5] * 5), True, "4"], ids=str)
def test_limits_are_positive_integers_one_for_all_or_one_a_row(model, inputs, limit):
    with pytest.raises(ValueError, match=r"max_new_tokens is a positive integer, or one for each (row|of the 5 rows)\. Received: max_new_tokens="):
        greedy(model, inputs, limit)
    with pytest.raises(ValueError, match=r"max_new_tokens is a positive integer"):
        beam(model, inputs, limit)


def test_half_precision_decodes_too(make_model, make_lines, tables, inputs):
    ids, scores = greedy(make_model(tables(10), dtype="mixed_bfloat16"), inputs, LIMIT, return_scores=True)
    assert ids.dtype == np.int32
    assert scores.dtype == np.float32
    lines = make_lines(keras.ops.convert_to_numpy(keras.ops.cast(keras.ops.cast(tables(10), "bfloat16"), "float32")))
    tolerance = 1e-2 if keras.backend.backend() == "jax" else 1e-4  # XLA may leave out a rounding to bfloat16 and back
    np.testing.assert_allclose(scores, [lines.score(row, lines.greedy(row, LIMIT)) for row in inputs["row"]], atol=tolerance)


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="CUDA graphs are recorded by JAX")
def test_what_is_compiled_for_a_gpu_says_the_same(make_model, tables, inputs, monkeypatch):
    import jax

    expected = greedy(make_model(tables(1)), inputs, LIMIT, return_scores=True)
    model, jit = make_model(tables(1)), mock.Mock(wraps=jax.jit)
    monkeypatch.setattr(compiled, "on_gpu", lambda: True)
    monkeypatch.setattr(jax, "jit", jit)
    for _ in range(2):
        ids, scores = greedy(model, inputs, LIMIT, return_scores=True)
        np.testing.assert_array_equal(ids, expected[0])
        np.testing.assert_allclose(scores, expected[1], atol=1e-6)
    assert [call.kwargs["compiler_options"] for call in jit.call_args_list if "compiler_options" in call.kwargs] == [compiled.CUDA_GRAPH]
