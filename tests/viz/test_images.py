"""Glimpses and canvases: squares where the model looked, one cell for each step."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from keras_richctx.viz import canvases, glimpses
from keras_richctx.viz.style import DARK, LIGHT


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def squares(axes):
    return [(patch.get_x(), patch.get_y(), patch.get_width()) for patch in axes.patches]


def test_the_squares_are_those_that_the_op_reads():
    axes = glimpses(np.zeros((12, 20)), [[0.0, 0.0], [-1.0, 1.0]], size=4, scales=2)
    # of 12 rows the middle is between the sixth and the seventh: pixels are one wide, the first from -0.5 to 0.5
    assert squares(axes) == [(7.5, 3.5, 4), (5.5, 1.5, 8), (17.5, -2.5, 4), (15.5, -4.5, 8)]
    assert [text.get_text() for text in axes.texts] == ["1", "2"]
    assert axes.get_xlim() == (-0.5, 19.5)
    assert axes.get_ylim() == (11.5, -0.5)


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_the_page_and_one_is_the_ink(dark):
    axes = glimpses(np.array([[0.0, 1.0]]), [[0.0, 0.0]], size=1, dark=dark)
    image = axes.images[0]
    colour = DARK if dark else LIGHT
    assert [to_hex(image.cmap(image.norm(value))) for value in (0.0, 1.0)] == [colour["page"], colour["ink"]]
    assert to_hex(axes.figure.get_facecolor()) == colour["page"]


def test_axes_of_ones_own_are_drawn_into_and_follow_their_page():
    figure = Figure(facecolor="black")
    axes = figure.add_subplot()
    assert glimpses(np.zeros((3, 3, 3)), [[0.0, 0.0]], size=1, ax=axes, title="$5") is axes
    assert axes._left_title.get_color() == DARK["ink"]
    assert plt.get_fignums() == []
    figure.draw_without_rendering()


@pytest.mark.parametrize("shape", [(2, 3, 5, 4, 1), (2, 3, 5, 4), (2, 3, 5, 4, 3)])
def test_there_is_a_row_for_each_image_and_a_column_for_each_step(shape):
    steps = np.random.default_rng(0).uniform(size=shape)
    figure = canvases(steps, title="Six")
    assert len(figure.axes) == 6
    first = steps[1, 2, ..., 0] if shape[-1] == 1 else steps[1, 2]
    np.testing.assert_allclose(figure.axes[5].images[0].get_array(), first)
    assert [axes.get_title() for axes in figure.axes] == ["1", "2", "3", "", "", ""]
    figure.draw_without_rendering()


def test_windows_are_framed():
    figure = canvases(np.zeros((2, 9, 9, 1)), windows=[[4.0, 3.0, 1.5, 0.5]] * 2, size=3)
    assert [squares(axes) for axes in figure.axes] == [[(1.0, 2.0, 4.0)]] * 2


def test_what_is_no_image_is_refused():
    with pytest.raises(ValueError, match=r"image of shape \(3, 3, 2\)"):
        glimpses(np.zeros((3, 3, 2)), [[0, 0]], 1)
    for image in (np.full((3, 3), 255, "uint8"), np.full((3, 3), -1.0)):
        with pytest.raises(ValueError, match=r"numbers from 0 to 1; divide bytes by 255\. Received: image from"):
            glimpses(image, [[0, 0]], 1)
    for size, scales in ((0, 1), (-3, 1), (float("nan"), 1), (4, 0), (4, 1.5)):
        with pytest.raises(ValueError, match=f"Received: size={size}, scales={scales}"):
            glimpses(np.zeros((3, 3)), [[0, 0]], size, scales)
    with pytest.raises(ValueError, match="a canvas must be of numbers from 0 to 1"):
        canvases(np.full((2, 9, 9), 7.0))
    with pytest.raises(ValueError, match=r"windows must be finite\. Received: nan"):
        canvases(np.zeros((2, 9, 9)), windows=np.full((2, 4), np.nan))
    with pytest.raises(ValueError, match="Received: size=0"):
        canvases(np.zeros((2, 9, 9)), windows=np.ones((2, 4)), size=0)
    with pytest.raises(ValueError, match=r"\(glimpses, 2\)\. Received: centres of shape \(3,\)"):
        glimpses(np.zeros((3, 3)), [0, 0, 0], 1)
    with pytest.raises(ValueError, match=r"finite\. Received: nan"):
        glimpses(np.full((3, 3), np.nan), [[0, 0]], 1)
    with pytest.raises(ValueError, match=r"\(1, 2, 4\)\. Received: windows of shape \(1, 3, 4\)"):
        canvases(np.zeros((2, 9, 9)), windows=np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"Received: steps of shape \(1, 3\)"):
        canvases(np.zeros((1, 3)))
