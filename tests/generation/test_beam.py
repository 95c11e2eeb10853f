import numpy as np
import pytest

from keras_richctx.generation import beam, greedy, length_penalty

pytestmark = pytest.mark.backends

LIMIT = 4
EVERY = 4**LIMIT  # more than there are lines: nothing is ever dropped


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
def test_with_room_for_every_line_it_finds_the_best_of_all(model, lines, inputs, pad, alpha):
    ids, scores = beam(model, inputs, LIMIT, num_beams=EVERY, length_penalty=alpha, return_all=True)
    best = [lines.best(row, LIMIT, alpha) for row in inputs["row"]]
    np.testing.assert_array_equal(ids[:, 0], pad([line for line, _ in best], LIMIT))
    np.testing.assert_allclose(scores[:, 0], [score for _, score in best], atol=1e-5)


def test_the_best_of_all_is_not_the_greedy_one(lines, inputs):
    """Otherwise the tests around this one could not tell the two searches apart; and a penalty has to change the choice."""
    rows = inputs["row"]
    assert any(lines.best(row, LIMIT, 0.0)[0] != tuple(lines.greedy(row, LIMIT)) for row in rows)
    assert any(lines.best(row, LIMIT, 0.0)[0] != lines.best(row, LIMIT, 3.0)[0] for row in rows)


@pytest.mark.parametrize("num_beams", [1, 2, 3, 7])
def test_stopping_early_changes_none_of_the_lines(model, lines, inputs, pad, num_beams):
    limit = 9
    ids, scores = beam(model, inputs, limit, num_beams=num_beams, length_penalty=0.6, return_all=True)
    for row in inputs["row"]:
        expected = lines.beam(row, limit, num_beams, 0.6)
        count = len(expected)
        np.testing.assert_array_equal(ids[row, :count], pad([line for line, _ in expected], limit))
        np.testing.assert_allclose(scores[row, :count], [score for _, score in expected], atol=1e-5)
        assert np.isneginf(scores[row, count:]).all()


def test_one_beam_without_penalty_is_greedy(model, inputs):
    ids, scores = greedy(model, inputs, 7, return_scores=True)
    lines, line_scores = beam(model, inputs, 7, num_beams=1, length_penalty=0.0, return_all=True)
    np.testing.assert_array_equal(lines[:, 0], ids)
    np.testing.assert_allclose(line_scores[:, 0], scores, atol=1e-5)


def test_a_batch_is_its_rows_one_by_one(model, inputs):
    ids, scores = beam(model, inputs, LIMIT, num_beams=3, return_all=True)
    alone = [beam(model, {"row": inputs["row"][i : i + 1]}, LIMIT, num_beams=3, return_all=True) for i in inputs["row"]]
    np.testing.assert_array_equal(np.concatenate([row for row, _ in alone]), ids)
    np.testing.assert_allclose(np.concatenate([score for _, score in alone]), scores, atol=1e-5)
    np.testing.assert_array_equal(beam(model, inputs, LIMIT, num_beams=3), ids[:, 0])


def test_each_row_stops_at_its_own_limit(model, lines, inputs, pad):
    limits = np.array([3, 1, 7, 4, 2])
    ids, scores = beam(model, inputs, limits, num_beams=3, return_all=True)
    expected = [lines.beam(row, limit, 3, 1.0)[0] for row, limit in zip(inputs["row"], limits)]
    np.testing.assert_array_equal(ids[:, 0], pad([line for line, _ in expected], limits.max()))
    np.testing.assert_allclose(scores[:, 0], [score for _, score in expected], atol=1e-5)


@pytest.mark.parametrize("num_beams", [2, 40])
def test_where_nothing_ended_the_lines_that_go_on_are_returned(make_model, make_lines, tables, inputs, num_beams):
    table = tables(11)
    table[..., 2] = -np.inf
    ids, scores = beam(make_model(table), inputs, 3, num_beams=num_beams, return_all=True)
    lines = make_lines(table)
    for row in inputs["row"]:
        expected = lines.beam(row, 3, num_beams, 1.0)
        count = len(expected)
        assert count == min(num_beams, 3**3)
        np.testing.assert_array_equal(ids[row, :count], [line for line, _ in expected])
        np.testing.assert_allclose(scores[row, :count], [score for _, score in expected], atol=1e-5)
        assert np.isneginf(scores[row, count:]).all()


def test_a_line_may_end_at_once(make_model, tables, inputs, pad):
    table = tables(12)
    table[..., 2] = 30.0
    ids, scores = beam(make_model(table), inputs, LIMIT, return_all=True)
    np.testing.assert_array_equal(ids[:, 0], pad([[1, 2]] * len(ids), LIMIT))
    np.testing.assert_allclose(scores[:, 0], 0.0, atol=1e-5)


def test_places_that_no_line_fills_are_marked(model, lines, inputs):
    """More beams than there are lines: the rest is marked, and no line is made up or returned twice."""
    ids, scores = beam(model, inputs, 2, num_beams=30, return_all=True)
    for row in inputs["row"]:
        count = np.isfinite(scores[row]).sum()
        assert count == 4  # BOS EOS, and three words before EOS
        assert np.isneginf(scores[row, count:]).all()
        np.testing.assert_allclose(scores[row, :count], [score for _, score in lines.beam(row, 2, 30, 1.0)], atol=1e-5)
        assert len({tuple(line) for line in ids[row, :count].tolist()}) == count


def test_the_next_call_sees_new_weights(make_model, make_lines, tables, inputs, pad):
    model = make_model(tables(13))
    beam(model, inputs, LIMIT, num_beams=2)
    model.table.assign(tables(14))
    lines = make_lines(tables(14))
    expected = [lines.beam(row, LIMIT, 2, 1.0)[0][0] for row in inputs["row"]]
    np.testing.assert_array_equal(beam(model, inputs, LIMIT, num_beams=2), pad(expected, LIMIT))


def test_the_length_penalty_is_wu_et_als():
    np.testing.assert_allclose([length_penalty(n, 0.6) for n in (1, 7, 13)], [1.0, 2.0**0.6, 3.0**0.6])
    assert length_penalty(100, 0.0) == 1.0


@pytest.mark.parametrize("num_beams", [0, -2, 2.5, "4", None])
def test_there_is_at_least_one_beam(model, inputs, num_beams):
    with pytest.raises(ValueError, match=rf"at least one line\. Received: num_beams={num_beams!r}"):
        beam(model, inputs, LIMIT, num_beams=num_beams)


@pytest.mark.parametrize("alpha", [-0.5, np.nan])
def test_a_penalty_that_rewards_short_lines_is_refused(model, inputs, alpha):
    with pytest.raises(ValueError, match=r"length_penalty is a number of at least zero\. Received: length_penalty="):
        beam(model, inputs, LIMIT, length_penalty=alpha)
