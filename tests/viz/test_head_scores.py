"""A number for each head: in its cell, in its colour."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import head_scores
from keras_richctx.viz.style import DARK, LIGHT

SCORES = np.array([[0.1, 0.95, 0.3], [0.5, np.nan, 0.0]])


def test_cells_hold_the_scores_and_say_them():
    axes = head_scores(SCORES, title="$\\frac{$", label="share")
    axes.figure.draw_without_rendering()
    (image,) = axes.images
    np.testing.assert_array_equal(image.get_array().filled(np.nan), SCORES)
    assert image.get_clim() == (0, 1)
    assert {text.get_position(): text.get_text() for text in axes.texts} == {(0, 0): "0.10", (1, 0): "0.95", (2, 0): "0.30", (0, 1): "0.50", (2, 1): "0.00"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2"]
    assert image.colorbar.ax.get_ylabel() == "share"


def test_layers_may_differ_in_heads_and_have_names():
    axes = head_scores({"m/a": [0.1], "m/b": [0.2, 0.3]}, limits=(0, 4))
    np.testing.assert_array_equal(axes.images[0].get_array().filled(-1), [[0.1, -1], [0.2, 0.3]])
    assert axes.images[0].get_clim() == (0, 4)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_marked_heads_are_outlined():
    (frame,) = head_scores(SCORES, marked=[(1, 2)]).patches
    x, y = frame.get_xy()
    assert x < 1 < x + frame.get_width() < 1.5
    assert y < 0 < y + frame.get_height() < 0.5


def test_it_draws_into_given_axes_and_follows_their_page():
    ax = matplotlib.figure.Figure(facecolor=DARK["page"]).add_subplot()
    assert head_scores(SCORES, ax=ax) is ax
    assert ax.images[0].get_cmap().name == DARK["map"]
    assert head_scores(SCORES, dark=False).images[0].get_cmap().name == LIGHT["map"]
    assert plt.get_fignums() == []


def test_what_is_no_table_of_scores_is_refused():
    with pytest.raises(ValueError, match=r"shape \(heads,\)\. Received: '1' of shape \(\)"):
        head_scores([0.1, 0.2])
    with pytest.raises(ValueError, match=r"no layer"):
        head_scores([])
    with pytest.raises(ValueError, match=r"Received: limits=\(1, 1\)"):
        head_scores(SCORES, limits=(1, 1))
    with pytest.raises(ValueError, match=r"within \(2, 3\)\. Received: \(3, 1\)"):
        head_scores(SCORES, marked=[(3, 1)])
