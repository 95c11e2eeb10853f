"""All heads of all layers: each map in its place, on one scale, and no line lost in a small one."""

import gc
import warnings
import weakref

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import head_grid
from keras_richctx.viz.head_grid import largest_of_blocks
from keras_richctx.viz.style import DARK, LIGHT

L, H, T, S = 3, 4, 5, 7


@pytest.fixture
def layers():
    weights = np.random.default_rng(0).random((L, H, T, S))
    return {f"m/block_{k}/attention": values / values.sum(-1, keepdims=True) for k, values in enumerate(weights)}


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_each_map_stands_in_the_row_of_its_layer_and_the_column_of_its_head(layers):
    ax = head_grid(layers).axes[0]
    assert len(ax.images) == L * H
    assert (ax.get_xlim(), ax.get_ylim()) == ((-0.03, H), (L, -0.03))  # the first layer on top
    for image, (row, head) in zip(ax.images, np.ndindex(L, H)):
        np.testing.assert_allclose(image.get_array(), layers[f"m/block_{row}/attention"][head])
        assert image.get_clim() == (0, 1)
        left, right, bottom, top = image.get_extent()
        assert (left, top) == (head, row)
        assert left < right < head + 1
        assert top < bottom < row + 1
    assert [label.get_text() for label in ax.get_yticklabels()] == ["block_0", "block_1", "block_2"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3", "4"]


def test_layers_may_differ_in_heads_queries_and_keys():
    ax = head_grid([np.full((2, 3, 3), 1 / 3), np.full((1, 5, 2, 9), 1 / 9)]).axes[0]
    assert [image.get_array().shape for image in ax.images] == [(3, 3)] * 2 + [(2, 9)] * 5
    assert ax.get_xlim()[1] == 5


def test_marked_heads_are_outlined(layers):
    frames = head_grid(layers, marked=[(1, 2), (3, 4)]).axes[0].patches
    wide = {frame.get_xy() for frame in frames if frame.get_linewidth() > 1}
    assert wide == {(1, 0), (3, 2)}


def test_a_small_map_shows_the_largest_weight_of_each_block():
    values = np.random.default_rng(0).random((23, 10))
    small = largest_of_blocks(values, 7)
    assert small.shape == (7, 7)
    starts = [(np.arange(8) * n) // 7 for n in values.shape]
    for i, j in np.ndindex(7, 7):
        assert small[i, j] == values[starts[0][i] : starts[0][i + 1], starts[1][j] : starts[1][j + 1]].max()
    assert largest_of_blocks(values, 30) is values
    line = np.eye(512)[100][None].repeat(512, 0)  # all queries look at one key
    drawn = head_grid([line[None].repeat(12, 0)]).axes[0].images[0].get_array()
    assert drawn.shape[1] < 100
    assert (drawn.max(axis=1) == 1).all()


@pytest.mark.parametrize("count, heads, name, title", [(1, 1, "a", ""), (12, 12, "block", "A title"), (2, 3, "a very long name of a layer", "long " * 20)])
def test_nothing_is_cut(count, heads, name, title):
    picture = head_grid({f"{name} {k}": np.ones((heads, 1, 1)) for k in range(count)}, title=title)
    picture.draw_without_rendering()
    for ax in picture.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -0.5
        assert box.y0 >= -0.5
        assert box.x1 <= picture.bbox.x1 + 0.5
        assert box.y1 <= (picture.texts[0].get_window_extent().y0 if title else picture.bbox.y1 + 0.5)
    assert picture.get_figwidth() < 16


def test_names_and_titles_are_never_mathematics(layers):
    picture = head_grid({"$\\frac{$": np.ones((1, 1, 1)), "b": np.ones((1, 1, 1))}, title="$\\frac{$")
    picture.draw_without_rendering()
    assert picture.texts[0].get_text() == "$\\frac{$"


def test_dark_and_light_follow_the_argument_then_the_current_style_and_the_figure_is_freed(layers):
    def page(**kwargs):
        picture = head_grid(layers, **kwargs)
        assert picture.axes[0].images[0].get_cmap().name == (DARK if picture.get_facecolor()[0] < 0.5 else LIGHT)["map"]
        return matplotlib.colors.to_hex(picture.get_facecolor())

    assert page() == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]
    picture = head_grid(layers)
    assert picture._repr_png_().startswith(b"\x89PNG")
    known = weakref.ref(picture)
    del picture
    gc.collect()
    assert known() is None
    assert plt.get_fignums() == []


def test_what_is_no_grid_is_refused(layers):
    with pytest.raises(ValueError, match=r"Received: nan at"):
        head_grid([np.full((1, 2, 2), np.nan)])
    with pytest.raises(ValueError, match=r"of one example\. Pass those of one row"):
        head_grid([np.ones((2, 1, 1, 1))])
    for pair in ((0, 1), (4, 1), (1, 5)):
        with pytest.raises(ValueError, match=rf"counted from 1, of 3 layers\. Received: \({pair[0]}, {pair[1]}\)"):
            head_grid(layers, marked=[pair])
