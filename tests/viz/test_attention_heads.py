"""Several heads in one picture: each map in its place, on one scale, all of it legible."""

import gc
import itertools
import warnings
import weakref

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import heads
from keras_richctx.viz.style import DARK, LIGHT

SOURCE = ["the", "European", "Economic", "Area", "."]
TARGET = ["la", "zone", "économique"]
H, T, S = 6, 3, 5


@pytest.fixture
def weights():
    values = np.random.default_rng(0).random((H, T, S))
    return values / values.sum(-1, keepdims=True)


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def maps(picture):
    return [ax for ax in picture.axes if ax.images]


def names(picture):
    return [ax.get_title(loc="left") for ax in maps(picture)]


def shown(labels):
    return [label.get_text() for label in labels if label.get_visible()]


def test_each_map_holds_the_weights_of_its_head_on_one_scale(weights):
    picture = heads(weights, SOURCE, TARGET)
    drawn = maps(picture)
    assert len(drawn) == H
    for ax, of_head in zip(drawn, weights):
        np.testing.assert_array_equal(ax.images[0].get_array(), of_head)
        assert ax.images[0].get_clim() == (0, 1)
        assert (ax.get_xlim(), ax.get_ylim()) == ((-0.5, 4.5), (2.5, -0.5))
    assert names(picture) == [f"head {head}" for head in range(1, H + 1)]
    (scale,) = (ax for ax in picture.axes if not ax.images)
    assert (shown(scale.get_xticklabels()), scale.texts[0].get_text()) == (["0", "0.5", "1"], "weight")


def test_the_maps_stand_in_rows_and_tokens_beside_the_first_ones(weights):
    picture = heads(weights, SOURCE, TARGET, columns=2)
    corners = np.array([ax.get_position().p0 for ax in maps(picture)]).reshape(3, 2, 2)
    assert np.ptp(corners[..., 1], axis=1).max() < 1e-9  # of one row, at one height
    assert (np.diff(corners[..., 1], axis=0) < 0).all()
    assert (np.diff(corners[..., 0], axis=1) > 0).all()
    for head, ax in enumerate(maps(picture)):
        assert shown(ax.get_xticklabels()) == (SOURCE if head < 2 else [])
        assert shown(ax.get_yticklabels()) == (TARGET if head % 2 == 0 else [])
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("key" if head < 2 else "", "query" if head % 2 == 0 else "")


def test_of_self_attention_one_list_of_tokens_serves_both_sides(weights):
    first = maps(heads(weights[..., :3], TARGET))[0]
    assert shown(first.get_xticklabels()) == shown(first.get_yticklabels()) == TARGET


def test_without_tokens_the_positions_are_numbered(weights):
    first = maps(heads(weights))[0]
    assert (shown(first.get_xticklabels()), shown(first.get_yticklabels())) == (list("01234"), list("012"))


def test_names_and_titles_are_drawn_as_they_are_and_never_as_mathematics(weights):
    picture = heads(weights[:2], SOURCE, TARGET, names=["$\\frac{$", "a_b$"], title="$\\frac{$")
    picture.draw_without_rendering()  # would raise on "$\\frac{$"
    assert names(picture) == ["$\\frac{$", "a_b$"]
    assert picture.texts[0].get_text() == "$\\frac{$"


@pytest.mark.parametrize(
    "count, rows, columns, token, name",
    [
        (1, 1, 1, "w", "a head"),
        (12, 10, 10, "criminal", "head"),
        (3, 2, 3, "internationalisation", "the word before it"),
        (5, 70, 60, "government", "head"),
        (2, 3, 60, "a", "head"),
        (16, 60, 3, "a", "a name wider than its map"),
        (2, 3, 3, "الاتفاقية", "head"),
    ],
)
def test_nothing_is_cut_and_no_two_labels_overlap(count, rows, columns, token, name):
    title = "The title of a picture, which may be longer than its maps are wide together, or not"
    uniform = np.full((count, rows, columns), 1 / columns)
    picture = heads(uniform, [token] * columns, [token] * rows, names=[name] * count, title=title)
    picture.draw_without_rendering()
    for ax in picture.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -0.5
        assert box.y0 >= -0.5
        assert box.x1 <= picture.bbox.x1 + 0.5
        assert box.y1 <= picture.bbox.y1 + 0.5
    drawn = maps(picture)
    assert max(ax.get_tightbbox().y1 for ax in drawn) <= picture.texts[0].get_window_extent().y0
    assert picture.texts[0].get_window_extent().x1 <= picture.bbox.x1
    beside = [label.get_window_extent() for label in drawn[0].get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in itertools.pairwise(beside))
    titles = [ax._left_title.get_window_extent() for ax in drawn[: min(4, count)]]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(titles))
    assert picture.get_figwidth() < 20
    assert picture.get_figheight() < 50


def test_dark_and_light_follow_the_argument_then_the_current_style(weights):
    def page(**kwargs):
        picture = heads(weights, **kwargs)
        assert maps(picture)[0].images[0].get_cmap().name == (DARK if picture.get_facecolor()[0] < 0.5 else LIGHT)["map"]
        return matplotlib.colors.to_hex(picture.get_facecolor())

    assert page() == page(dark=False) == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]


def test_pyplot_never_hears_of_the_figure_and_it_is_freed(weights):
    before = dict(matplotlib.rcParams)
    picture = heads(weights, dark=True)
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == []
    known = weakref.ref(picture)
    del picture
    gc.collect()
    assert known() is None


def test_another_number_of_axes_is_refused_with_what_to_pass(weights):
    with pytest.raises(
        ValueError, match=r"\(heads, queries, keys\)\. Pass those of one row of the batch, weights\[0\]\. Received: weights of shape \(1, 6, 3, 5\)"
    ):
        heads(weights[None])
    with pytest.raises(ValueError, match=r"as weights\[None\]\. Received: weights of shape \(3, 5\)"):
        heads(weights[0])
    with pytest.raises(ValueError, match=r"Received: weights of shape \(0, 3, 5\)"):
        heads(weights[:0])


def test_what_does_not_fit_the_weights_is_refused_by_name(weights):
    with pytest.raises(ValueError, match=r"= \(6, 3, 4\)\. Received: weights of shape \(6, 3, 5\)"):
        heads(weights, SOURCE[:4], TARGET)
    with pytest.raises(ValueError, match=r"= \(6, 5, 5\)\. Received: weights of shape \(6, 3, 5\)"):
        heads(weights, SOURCE)
    with pytest.raises(ValueError, match=r"= \(2, 3, 5\)"):
        heads(weights, SOURCE, TARGET, names=["a", "b"])
    with pytest.raises(TypeError, match=r"names must be a list of strings\. Received: names='ab'"):
        heads(weights, SOURCE, TARGET, names="ab")
    with pytest.raises(ValueError, match=r"lie in 0 \.\.\. 1\. Received: 1\.5 at target 2 \('économique'\), source 1 \('European'\)"):
        heads(np.where(np.arange(H * T * S).reshape(H, T, S) == 11, 1.5, weights), SOURCE, TARGET)
    for columns in (0, -1, 2.0, "2"):
        with pytest.raises(ValueError, match=rf"columns is a positive integer.*Received: columns={columns!r}"):
            heads(weights, columns=columns)
