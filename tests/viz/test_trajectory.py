"""The path of a state: the plane of the greatest variance, each token beside its point."""

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from keras_richctx.viz import trajectory
from keras_richctx.viz.style import DARK, LIGHT
from keras_richctx.viz.trajectory import principal_directions

WORDS = ["to", "be", "or", "not", "to", "be"]
T, U = 6, 5


@pytest.fixture
def hidden():
    return np.random.default_rng(0).normal(size=(T, U)) * [3, 1, 0.3, 0.1, 0.1]


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def points(axes):
    paths = [np.array(line.get_data()).T for line in axes.lines if line.get_alpha()]  # the lines through zero are opaque
    return [path.astype("float64") for path in paths]


def labels(axes):
    return [text for text in axes.texts if text.get_text()]


def test_the_directions_are_the_eigenvectors_of_the_covariance(hidden):
    centre, directions, shares = principal_directions(hidden)
    values, vectors = np.linalg.eigh(np.cov(hidden.T))
    np.testing.assert_allclose(centre, hidden.mean(axis=0))
    np.testing.assert_allclose(np.abs(directions @ vectors[:, ::-1][:, :2]), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(shares, values[::-1][:2] / values.sum())


def test_the_sign_of_a_direction_does_not_hang_on_the_machine(hidden):
    _, directions, _ = principal_directions(hidden)
    _, mirrored, _ = principal_directions(-hidden)
    assert (directions.max(axis=1) == np.abs(directions).max(axis=1)).all()
    np.testing.assert_allclose(mirrored, directions, atol=1e-9)


def test_distances_in_two_units_are_kept():
    flat = np.random.default_rng(1).normal(size=(T, 2))
    (drawn,) = points(trajectory(flat, WORDS))
    np.testing.assert_allclose(np.linalg.norm(drawn[:, None] - drawn, axis=-1), np.linalg.norm(flat[:, None] - flat, axis=-1))


def test_axes_say_how_much_of_the_variance_they_show(hidden):
    axes = trajectory(hidden, WORDS)
    _, _, shares = principal_directions(hidden)
    assert f"{shares[0]:.0%} of the variance" in axes.get_xlabel()
    assert f"{shares[1]:.0%}" in axes.get_ylabel()


def test_a_token_stands_beside_each_point_in_reading_order(hidden):
    axes = trajectory(hidden, WORDS)
    (drawn,) = points(axes)
    assert [label.get_text() for label in labels(axes)] == WORDS
    np.testing.assert_allclose([label.xy for label in labels(axes)], drawn)


def test_labels_do_not_overlap_where_there_is_room(hidden):
    axes = trajectory(hidden, ["agreement"] * T)
    axes.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in labels(axes)]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert all(axes.figure.bbox.x0 <= box.x0 and box.x1 <= axes.figure.bbox.x1 for box in boxes)


def test_several_texts_lie_in_one_plane(hidden):
    other = np.random.default_rng(2).normal(size=(3, U))
    axes = trajectory([hidden, other], [WORDS, "a\n "])
    centre, directions, _ = principal_directions(np.concatenate([hidden, other]))
    for drawn, states in zip(points(axes), (hidden, other), strict=True):
        np.testing.assert_allclose(drawn, (states - centre) @ directions.T)
    assert [label.get_text() for label in labels(axes)] == [*WORDS, "a", "↵", "␣"]
    assert len({label.get_color() for label in labels(axes)}) == 2


def test_masked_steps_are_left_out(hidden):
    hidden[4:] = np.nan
    mask = np.array([True] * 4 + [False] * 2)
    axes = trajectory(np.stack([hidden, hidden]), [WORDS, WORDS], mask=np.stack([mask, mask]))
    assert [len(drawn) for drawn in points(axes)] == [4, 4]
    assert [label.get_text() for label in labels(axes)] == WORDS[:4] * 2


def test_one_unit_and_one_step_can_be_drawn():
    (drawn,) = points(trajectory(np.array([[1.0], [2.0]]), "ab"))
    np.testing.assert_allclose(drawn, [[-0.5, 0], [0.5, 0]])
    axes = trajectory(np.ones((1, 3)), "a")
    assert "0%" in axes.get_xlabel()


def test_axes_of_ones_own_are_drawn_into_and_follow_their_page(hidden):
    figure = Figure(facecolor="black")
    left, _ = figure.subplots(1, 2)
    assert trajectory(hidden, WORDS, ax=left) is left
    assert left.xaxis.label.get_color() == DARK["ink"]
    assert plt.get_fignums() == []
    assert trajectory(hidden, WORDS).xaxis.label.get_color() == LIGHT["ink"]


def test_what_does_not_belong_together_is_refused(hidden):
    with pytest.raises(ValueError, match=r"with 5 tokens\. Received: hidden of shape \(6, 5\)"):
        trajectory(hidden, WORDS[1:])
    with pytest.raises(ValueError, match=r"states of 1 texts, tokens of 2"):
        trajectory(hidden[None], [WORDS, WORDS])
    with pytest.raises(TypeError, match=r"tokens must be a list of strings"):
        trajectory(hidden, [1] * T)
    hidden[2, 1] = np.inf
    with pytest.raises(ValueError, match=r"finite\. Received: inf in text 0"):
        trajectory(hidden, WORDS)
