"""The alignment map: what is drawn is what was given, and all of it can be read."""

import gc
import itertools
import warnings
import weakref

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from keras_richctx.viz import alignment, theme
from keras_richctx.viz.style import DARK, LIGHT

SOURCE = ["the", "European", "Economic", "Area"]
TARGET = ["la", "zone", "économique", "européenne", "<end>"]
ODD = ["$x$", "_a_", "\\n", "$\\frac{$", "a$b", "\\$", "^{", "%", "#", "$$", "é", "e\u0301", "", "\\", "<0xE2>", "שלום"]


@pytest.fixture
def weights():
    values = np.random.default_rng(0).random((5, 4))
    return values / values.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def uniform(rows, columns):
    return np.full((rows, columns), 1 / columns)


def texts(labels):
    return [label.get_text() for label in labels]


def test_the_picture_holds_the_weights_first_target_on_top(weights):
    axes = alignment(weights, SOURCE, TARGET)
    (image,) = axes.images
    np.testing.assert_array_equal(image.get_array(), weights)
    assert image.get_clim() == (0, 1)
    assert axes.get_ylim() == (4.5, -0.5)
    assert axes.get_xlim() == (-0.5, 3.5)
    assert texts(axes.get_xticklabels()) == SOURCE
    assert texts(axes.get_yticklabels()) == TARGET
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("source", "target")


def test_a_source_from_right_to_left_runs_from_right_to_left():
    hebrew = ["שלום", "עולם", "1992"]
    axes = alignment(uniform(2, 3), hebrew, ["hello", "world"])
    assert axes.get_xlim() == (2.5, -0.5)
    assert texts(axes.get_xticklabels()) == hebrew
    assert alignment(uniform(3, 2), ["hello", "world"], hebrew).get_xlim() == (-0.5, 1.5)


def test_tokens_are_drawn_as_they_are_and_never_as_mathematics():
    with matplotlib.rc_context({"text.usetex": True}):
        axes = alignment(uniform(len(ODD), len(ODD)), ODD, ODD, title="$\\frac{$")
    axes.figure.draw_without_rendering()  # would raise on "$\\frac{$"
    labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    assert texts(labels) == ODD + ODD
    assert axes.get_title(loc="left") == "$\\frac{$"
    assert not any(label.get_parse_math() or label.get_usetex() for label in [*labels, axes._left_title])


def test_gold_links_are_outlined_at_source_and_target(weights):
    axes = alignment(weights, SOURCE, TARGET, gold={(0, 0), (3, 1), (1, 3)})
    centres = {(patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2) for patch in axes.patches}
    assert centres == {(0, 0), (3, 1), (1, 3)}
    assert not any(patch.get_fill() for patch in axes.patches)
    assert "gold" in texts(axes.texts)[0]
    assert not alignment(weights, SOURCE, TARGET, gold=set()).texts


@pytest.mark.parametrize(
    "rows, columns, token",
    [
        (1, 1, "w"),
        (2, 3, "internationalisation"),
        (50, 60, "government"),
        (3, 60, "a"),
        (60, 3, "a"),
        (4, 4, "W" * 100),
        (4, 4, "x" * 100),
        (3, 3, "الاتفاقية"),
    ],
)
@pytest.mark.parametrize("dpi", [100, 150])
def test_nothing_is_cut_and_no_two_labels_overlap(rows, columns, token, dpi):
    title = "The title of a picture, which may be longer than its map is wide"
    axes = alignment(uniform(rows, columns), [token] * columns, [token] * rows, title=title, gold=[(0, 0)])
    figure = axes.figure
    figure.set_dpi(dpi)
    figure.draw_without_rendering()
    for part in figure.axes:
        box = part.get_tightbbox()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
    beside = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in itertools.pairwise(beside))
    above = axes.get_xticklabels()
    anchors = [axes.transData.transform((i, 0))[0] for i in axes.get_xticks()]
    if above[0].get_rotation() == 45:  # the distance between parallel lines of text
        assert all(abs(b - a) * np.sin(np.pi / 4) >= above[0].get_fontsize() * dpi / 72 for a, b in itertools.pairwise(anchors))
    else:
        boxes = [label.get_window_extent() for label in above]
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_cells_are_square_and_the_figure_grows_to_a_limit():
    def sides(rows, columns):
        axes = alignment(uniform(rows, columns), ["a"] * columns, ["b"] * rows)
        return axes.get_window_extent().width / 100 / columns, axes.get_window_extent().height / 100 / rows, len(axes.get_xticks())

    np.testing.assert_allclose(sides(3, 4)[:2], 0.45)
    np.testing.assert_allclose(sides(50, 60)[:2], 0.22)
    width, height, labelled = sides(20, 500)
    np.testing.assert_allclose([width, height], 40 / 500)
    assert labelled == 167


def test_pyplot_never_hears_of_the_figure_and_it_is_freed(weights):
    axes = alignment(weights, SOURCE, TARGET)
    figure = weakref.ref(axes.figure)
    assert plt.get_fignums() == []
    del axes
    gc.collect()
    assert figure() is None


def test_a_notebook_shows_the_picture(weights):
    formatters = pytest.importorskip("IPython.core.formatters")
    axes = alignment(weights, SOURCE, TARGET)
    for value in (axes, axes.figure):
        data, _ = formatters.DisplayFormatter().format(value)
        assert data["image/png"].startswith(b"\x89PNG")


def test_axes_of_ones_own_are_drawn_into(weights):
    figure = Figure(figsize=(12, 4), facecolor="black")
    left, right = figure.subplots(1, 2)
    left.set_title("kept", loc="left")
    assert alignment(weights, SOURCE, TARGET, ax=left, colorbar=False) is left
    assert alignment(weights, SOURCE, TARGET, ax=right) is right
    assert len(figure.axes) == 3  # and one scale
    assert left.images[0].get_clim() == right.images[0].get_clim() == (0, 1)
    assert left.get_title(loc="left") == "kept"
    assert left.get_yticklabels()[0].get_color() == DARK["ink"]  # it follows the page
    np.testing.assert_array_equal(figure.get_size_inches(), (12, 4))


def test_dark_and_light_follow_the_argument_then_the_current_style(weights):
    def page(**kwargs):
        axes = alignment(weights, SOURCE, TARGET, **kwargs)
        assert axes.images[0].get_cmap().name == (DARK if axes.figure.get_facecolor()[0] < 0.5 else LIGHT)["map"]
        return matplotlib.colors.to_hex(axes.figure.get_facecolor())

    assert page() == page(dark=False) == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]
        assert page(dark=False) == LIGHT["page"]


def test_the_settings_of_matplotlib_stay_as_they_were(weights):
    before = dict(matplotlib.rcParams)
    alignment(weights, SOURCE, TARGET, dark=True)
    assert dict(matplotlib.rcParams) == before
    assert set(theme()) <= set(before)


def test_half_precision_and_lists_are_taken(weights):
    half = weights.astype("float16")
    np.testing.assert_array_equal(alignment(half, SOURCE, TARGET).images[0].get_array(), half)
    np.testing.assert_array_equal(alignment(weights.tolist(), tuple(SOURCE), TARGET).images[0].get_array(), weights)


def test_another_shape_is_refused_and_a_transposed_one_named(weights):
    with pytest.raises(ValueError, match=r"\(target tokens, source tokens\) = \(5, 4\)\. Transpose them\. Received: weights of shape \(4, 5\)"):
        alignment(weights.T, SOURCE, TARGET)
    with pytest.raises(ValueError, match=r"= \(5, 4\)\. Received: weights of shape \(1, 5, 4\)"):
        alignment(weights[None], SOURCE, TARGET)
    with pytest.raises(ValueError, match=r"at least\. Received: 4 source tokens, 0 target tokens"):
        alignment(np.zeros((0, 4)), SOURCE, [])


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.01, np.inf])
def test_what_is_no_weight_is_refused_by_its_place(weights, bad):
    weights[2, 1] = bad
    with pytest.raises(ValueError, match=rf"lie in 0 \.\.\. 1\. Received: {bad} at target 2 \('économique'\), source 1 \('European'\)"):
        alignment(weights, SOURCE, TARGET)


@pytest.mark.parametrize("link", [(4, 0), (0, 5), (-1, 0), (0, 0, 0)])
def test_a_gold_link_outside_is_refused(weights, link):
    with pytest.raises(ValueError, match=r"pairs \(source, target\) below \(4, 5\)\. Received: \("):
        alignment(weights, SOURCE, TARGET, gold=[link])


@pytest.mark.parametrize("tokens", ["the European", ["the", 3, "a", "b"], None])
def test_tokens_that_are_no_list_of_strings_are_refused(weights, tokens):
    with pytest.raises(TypeError, match=r"source_tokens must be a list of strings\. Received: source_tokens="):
        alignment(weights, tokens, TARGET)
