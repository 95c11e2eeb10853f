"""The look: legible on both pages, fair to the eye."""

import matplotlib
import numpy as np
import pytest

from keras_richctx.viz import style, theme
from keras_richctx.viz.style import colours, is_dark

INKS = ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"]


def luminance(colour):
    """Relative luminance, W3C's definition."""
    channels = np.asarray(matplotlib.colors.to_rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(a, b):
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_lines_stand_out_from_the_page(dark):
    settings = theme(dark)
    for page in (settings["figure.facecolor"], settings["axes.facecolor"]):
        assert is_dark(page) == dark
        assert all(contrast(settings[ink], page) >= 7 for ink in INKS)
        assert all(contrast(line["color"], page) >= 3 for line in settings["axes.prop_cycle"])


@pytest.mark.parametrize("dark", [False, True])
def test_more_weight_is_further_from_the_page_in_lightness_by_even_steps(dark):
    colour_map = matplotlib.colormaps[colours(dark)["map"]]
    y = np.array([luminance(colour) for colour in colour_map(np.linspace(0, 1, 101))])
    lightness = np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)  # CIE L*
    steps = np.diff(lightness) * (1 if dark else -1)
    assert steps.min() > 0
    assert steps.max() < 1.6
    assert abs(lightness[0] - lightness[-1]) > 90
    assert is_dark(colour_map(0.0)) == dark  # no weight is nearly the page


def test_the_context_applies_the_theme_and_takes_it_back():
    before = dict(matplotlib.rcParams)
    with style(dark=True):
        assert matplotlib.rcParams["text.color"] == theme(dark=True)["text.color"]
    assert dict(matplotlib.rcParams) == before


def test_a_transparent_page_counts_as_light():
    assert not is_dark("none")
    assert is_dark("#202020")


@pytest.mark.parametrize("dark", [False, True])
def test_zero_of_a_signed_value_is_nearly_the_page_and_the_two_signs_have_different_hues(dark):
    colour_map = matplotlib.colormaps[colours(dark)["diverging"]]
    assert contrast(colour_map(0.5), colours(dark)["page"]) < 1.2
    for size in (0.2, 0.35, 0.5):
        below, above = np.array([colour_map(0.5 - size)[:3], colour_map(0.5 + size)[:3]])
        assert contrast(below, colours(dark)["page"]) > 1.25
        assert contrast(above, colours(dark)["page"]) > 1.25
        assert below[0] - below[2] > 0.1 > -0.1 > above[0] - above[2]  # redder, and bluer: kept apart without red or without green
