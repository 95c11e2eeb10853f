"""The curves of a gradient: every norm where it belongs, and nothing hidden that a logarithmic scale cannot hold."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import gradient_curves
from keras_richctx.viz.style import DARK, LIGHT

B, T, U = 5, 9, 4


@pytest.fixture
def norms():
    rng = np.random.default_rng(0)
    return {"fading": 0.5 ** np.arange(T)[::-1] * rng.uniform(0.5, 2, (B, T)), "$growing_": 3.0 ** np.arange(T)[::-1] * rng.uniform(0.5, 2, (B, T))}


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def curve(picture, label):
    (line,) = (line for line in picture.axes[0].lines if line.get_label() == label)
    return np.array(line.get_data())


def labels(picture):
    return [text.get_text() for text in picture.axes[0].get_legend().get_texts()]


def test_the_curve_is_the_median_of_the_examples_against_the_step(norms):
    picture = gradient_curves(norms)
    for name, values in norms.items():
        steps, drawn = curve(picture, name)
        np.testing.assert_array_equal(steps, np.arange(1, T + 1))
        np.testing.assert_allclose(drawn, np.median(values, axis=0))
    assert picture.axes[0].get_yscale() == "log"


def test_one_example_needs_no_band(norms):
    assert len(gradient_curves(norms).axes[0].collections) == 2
    assert len(gradient_curves({"one": norms["fading"][0]}).axes[0].collections) == 0


def test_relative_curves_meet_at_the_last_real_step(norms):
    mask = np.arange(T) >= np.array([9, 6, 7, 8, 9])[:, None]
    values = np.ma.array(norms["fading"], mask=mask)
    _, drawn = curve(gradient_curves({"a": values}, relative=True), "a")
    last = np.array([row.compressed()[-1] for row in values])[:, None]
    np.testing.assert_allclose(drawn, np.ma.median(values / last, axis=0))


def test_masked_steps_have_no_value_and_their_ground_is_hatched(norms):
    values = np.ma.array(norms["fading"], mask=np.arange(T) >= np.array([6, 4, 6, 6, 2])[:, None])
    picture = gradient_curves({"a": values})
    _, drawn = curve(picture, "a")
    assert np.isnan(drawn[6:]).all()
    np.testing.assert_allclose(drawn[:6], np.ma.median(values[:, :6], axis=0))
    (hatched,) = picture.axes[0].patches
    assert (hatched.get_x(), hatched.get_x() + hatched.get_width()) == (6.5, 9.5)
    assert labels(picture) == ["a", "masked"]


@pytest.mark.parametrize("bad, label", [(0.0, "a: exactly 0"), (np.inf, "a: not finite"), (np.nan, "a: not finite")])
def test_what_the_scale_cannot_hold_is_marked(norms, bad, label):
    norms["fading"][:, :3] = bad
    picture = gradient_curves({"a": norms["fading"]})
    assert labels(picture) == ["a", label]
    np.testing.assert_array_equal(curve(picture, label)[0], [1, 2, 3])
    assert np.isnan(curve(picture, "a")[1][:3]).all()


def test_a_zero_in_some_examples_is_no_zero_of_the_step_but_one_infinity_is_told(norms):
    norms["fading"][0, 2], norms["fading"][1, 4] = 0.0, np.inf
    picture = gradient_curves({"a": norms["fading"]})
    assert labels(picture) == ["a", "a: not finite"]
    np.testing.assert_array_equal(curve(picture, "a: not finite")[0], [5])


def test_names_are_drawn_as_they_are_and_never_as_mathematics(norms):
    picture = gradient_curves({"$\\frac{": norms["fading"]}, {"$\\frac{": np.ones((1, U))}, title="$\\frac{")
    picture.draw_without_rendering()  # would raise
    assert labels(picture) == ["$\\frac{"]


def test_singular_values_stand_beside_a_column_for_each_map(norms):
    values = {"fading": np.full((1, U), 0.5), "$growing_": np.arange(12.0).reshape(3, U)}
    right = gradient_curves(norms, values).axes[1]
    places, drawn = np.array(right.lines[1].get_data())
    np.testing.assert_array_equal(drawn, np.arange(12))
    assert [len(set(part)) for part in np.split(places, 3)] == [1, 1, 1]
    assert len(set(places)) == 3
    assert [label.get_text() for label in right.get_xticklabels()] == ["fading", "$growing_"]
    assert right.get_ylim()[0] == 0


def test_dark_and_light_follow_the_argument_then_the_current_style_and_pyplot_hears_nothing(norms):
    def page(**kwargs):
        return matplotlib.colors.to_hex(gradient_curves(norms, **kwargs).get_facecolor())

    assert page() == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]
    assert gradient_curves(norms)._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_what_is_no_norm_is_refused(norms):
    with pytest.raises(ValueError, match=r"zero or greater\. Received: -1.0 in norms\['fading'\]"):
        gradient_curves({"fading": -np.ones(3)})
    with pytest.raises(ValueError, match=r"shape \(T,\) or \(B, T\)\. Received: norms\['a'\] of shape \(1, 5, 9\)"):
        gradient_curves({"a": norms["fading"][None]})
    with pytest.raises(ValueError, match=r"nothing to draw\. Received: norms=\{\}"):
        gradient_curves({})
