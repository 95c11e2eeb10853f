"""The gates over a text: every value in its place and its colour, all of it legible."""

import gc
import warnings
import weakref

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from keras_richctx.viz import gates
from keras_richctx.viz.style import DARK, LIGHT, ink_on

WORDS = ["On", "the", "European", "area", "."]
B, T, U = 2, 5, 7


@pytest.fixture
def trace():
    rng = np.random.default_rng(0)
    arrays = {name: rng.random((B, T, U)) for name in ("input_gate", "forget_gate")}
    return {**arrays, "hidden": rng.uniform(-1, 1, (B, T, U)), "cell": rng.normal(size=(B, T, U)) * 3}


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def of_text(text, units=3):
    return {"cell": np.random.default_rng(1).normal(size=(len(text), units))}


def maps(picture):
    return [ax for ax in picture.axes if ax.images]


def fills(picture):
    (boxes,) = (found for found in picture.axes[0].collections if isinstance(found, PolyCollection))
    return boxes.get_facecolors(), boxes.get_paths()


def texts(labels):
    return [label.get_text() for label in labels]


def test_the_map_holds_the_values_unit_by_token_one_panel_for_each_array(trace):
    first, second = maps(gates(trace, WORDS, ["forget_gate", "hidden"], example=1))
    np.testing.assert_array_equal(first.images[0].get_array(), trace["forget_gate"][1].T)
    np.testing.assert_array_equal(second.images[0].get_array(), trace["hidden"][1].T)
    assert texts(first.get_xticklabels()) == WORDS
    assert texts(first.get_yticklabels()) == [str(unit) for unit in range(U)]
    assert (first.get_ylabel(), second.get_ylabel()) == ("forget gate", "hidden")


def test_chosen_units_are_the_rows_in_their_order(trace):
    (panel,) = maps(gates(trace, WORDS, "hidden", units=[6, 0, 2]))
    np.testing.assert_array_equal(panel.images[0].get_array(), trace["hidden"][0].T[[6, 0, 2]])
    assert texts(panel.get_yticklabels()) == ["6", "0", "2"]


def test_gates_span_0_to_1_and_signed_values_lie_about_0(trace):
    gate, hidden, cell = maps(gates(trace, WORDS, ["forget_gate", "hidden", "cell"]))
    largest = np.abs(trace["cell"][0]).max()
    assert largest > 1
    assert [panel.images[0].get_clim() for panel in (gate, hidden, cell)] == [(0, 1), (-1, 1), (-largest, largest)]
    assert [panel.images[0].get_cmap().name for panel in (gate, hidden, cell)] == [LIGHT["map"], LIGHT["diverging"], LIGHT["diverging"]]


def test_arrays_on_one_scale_share_one_bar_that_names_them(trace):
    picture = gates(trace, WORDS, ["input_gate", "forget_gate", "hidden"])
    bars = [ax for ax in picture.axes if not ax.images and ax.texts]
    assert [bar.texts[0].get_text() for bar in bars] == ["input gate, forget gate", "hidden"]
    assert texts(bars[0].get_xticklabels()) == ["0", "0.5", "1"]


def test_a_long_map_goes_on_below_and_no_token_is_lost():
    text = "abcdefghij" * 13
    panels = maps(gates(of_text(text), text, "cell"))
    assert len(panels) > 1
    np.testing.assert_array_equal(np.concatenate([panel.images[0].get_array() for panel in panels], axis=1), of_text(text)["cell"].T)
    assert "".join(label for panel in panels for label in texts(panel.get_xticklabels())) == text


def test_a_text_stands_on_the_colours_of_one_unit(trace):
    picture = gates(trace, WORDS, "forget_gate", units=4)
    colours, _ = fills(picture)
    np.testing.assert_allclose(colours, matplotlib.colormaps[LIGHT["map"]](trace["forget_gate"][0, :, 4]))
    drawn = picture.axes[0].texts
    assert texts(drawn) == WORDS
    assert [label.get_color() for label in drawn] == [ink_on(colour) for colour in colours]
    assert picture.axes[1].texts[0].get_text() == "forget gate of unit 4"


def test_a_text_breaks_after_a_line_feed_and_where_the_line_is_full():
    text = "ab\n\ncd" + "e" * 200
    _, paths = fills(gates(of_text(text), text, "cell", units=0))
    left, top = np.array([path.vertices.min(axis=0) for path in paths]).T
    np.testing.assert_array_equal(np.diff(top)[:5] > 0, [False, False, True, True, False])  # after each of the two line feeds, the second on a line of its own
    wraps = np.flatnonzero(np.diff(top[5:]) > 0)
    assert len(wraps) > 1
    assert np.allclose(left[6:][wraps], left[0])
    assert (np.diff(top) >= 0).all()


def test_spaces_are_colour_alone_and_line_feeds_have_a_sign():
    picture = gates(of_text("a b\n"), "a b\n", "cell", units=1)
    assert texts(picture.axes[0].texts) == ["a", "b", "↵"]
    assert len(fills(picture)[1]) == 4


def test_a_text_from_right_to_left_runs_from_right_to_left():
    words = ["שלום", "עולם"]
    _, (first, second) = fills(gates(of_text(words), words, "cell", units=0))
    assert first.vertices[:, 0].min() >= second.vertices[:, 0].max() - 1e-9


def test_masked_steps_have_no_colour(trace):
    mask = np.array([[True] * 5, [True, True, False, True, False]])
    (panel,) = maps(gates(trace, WORDS, "hidden", example=1, mask=mask))
    np.testing.assert_array_equal(panel.images[0].get_array().mask, np.tile(~mask[1], (U, 1)))
    colours, _ = fills(gates(trace, WORDS, "hidden", units=2, example=1, mask=mask[1]))
    assert len(colours) == 3


@pytest.mark.parametrize("units", [None, [2], 2])
@pytest.mark.parametrize("tokens", [["W" * 60] * T, list("abc\nd"), ["internationalisation", "of", "a", "$x_", "%"]])
def test_nothing_is_cut(trace, tokens, units):
    picture = gates(trace, tokens, ["forget_gate", "cell"], units=units, title="The title of a picture, longer than the picture may be wide " * 2)
    picture.draw_without_rendering()
    for ax in picture.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -0.5
        assert box.y0 >= -0.5
        assert box.x1 <= picture.bbox.x1 + 0.5
        assert box.y1 <= picture.bbox.y1 + 0.5
    for heading in picture.texts:
        assert heading.get_window_extent().x1 <= picture.bbox.x1


@pytest.mark.parametrize("units", [None, 2])
def test_dark_and_light_follow_the_argument_then_the_current_style(trace, units):
    def page(**kwargs):
        return matplotlib.colors.to_hex(gates(trace, WORDS, "hidden", units=units, **kwargs).get_facecolor())

    assert page() == page(dark=False) == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]


def test_pyplot_never_hears_of_the_figure_and_it_is_freed(trace):
    before = dict(matplotlib.rcParams)
    picture = gates(trace, WORDS, "hidden", dark=True)
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == []
    known = weakref.ref(picture)
    del picture
    gc.collect()
    assert known() is None


def test_what_is_not_in_the_trace_is_refused_by_name(trace):
    with pytest.raises(ValueError, match=r"gate='reset_gate'\. Those that there are: input_gate, forget_gate, hidden, cell"):
        gates(trace, WORDS, "reset_gate")
    for units in (U, -1, [0, 7]):
        with pytest.raises(ValueError, match=r"one of 0 \.\.\. 6\. Received: units=(7|-1)"):
            gates(trace, WORDS, "hidden", units=units)
    with pytest.raises(ValueError, match=r"\(tokens, units\), with 4 tokens\. Received: hidden of shape \(2, 5, 7\)"):
        gates(trace, WORDS[1:], "hidden")
    with pytest.raises(TypeError, match=r"list of strings\. Received: tokens=\[1, 2\]"):
        gates(trace, [1, 2], "hidden")


def test_a_picture_of_more_than_40_inches_is_refused():
    for units in (0, None):
        with pytest.raises(ValueError, match=r"more than 40 inches.*Received: .*Pass"):
            gates(of_text("a" * 20000), "a" * 20000, "cell", units=units)
