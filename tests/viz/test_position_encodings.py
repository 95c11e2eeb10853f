"""Encodings of positions and how alike they are: what is drawn is what NumPy computes."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.transformer import sinusoids
from keras_richctx.viz import position_encodings, position_products
from keras_richctx.viz.position_encodings import by_distance
from keras_richctx.viz.style import DARK, LIGHT

T, D = 13, 8


@pytest.fixture
def encodings():
    return np.random.default_rng(0).normal(size=(T, D)).astype("float32")


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_products_and_cosines_are_numpys(encodings):
    np.testing.assert_allclose(position_products(encodings), encodings.astype("float64") @ encodings.T, rtol=1e-6, atol=1e-6)
    for s, t in np.ndindex(T, T):
        cosine = encodings[s] @ encodings[t] / np.linalg.norm(encodings[s]) / np.linalg.norm(encodings[t])
        assert position_products(encodings, cosine=True)[s, t] == pytest.approx(cosine, abs=1e-5)
    assert not position_products(np.zeros((2, 3)), cosine=True).any()


def test_of_sinusoids_only_the_distance_counts():
    mean, low, high = by_distance(position_products(sinusoids(np.arange(T), D)))
    np.testing.assert_allclose(low, high, atol=1e-5)
    frequencies = 10_000 ** (-np.arange(0, D, 2) / D)
    np.testing.assert_allclose(mean, np.cos(np.arange(T)[:, None] * frequencies).sum(-1), atol=1e-5)


def test_distances_gather_their_diagonals(encodings):
    products = position_products(encodings)
    mean, low, high = by_distance(products)
    for distance in range(T):
        of = [products[t, t + distance] for t in range(T - distance)]
        assert (mean[distance], low[distance], high[distance]) == pytest.approx((np.mean(of), min(of), max(of)))


def test_the_picture_holds_values_and_products_on_scales_around_zero(encodings):
    picture = position_encodings(encodings, title="$\\frac{$")
    picture.draw_without_rendering()
    values, products, distance = picture.axes[:3]
    np.testing.assert_array_equal(values.images[0].get_array(), encodings)
    np.testing.assert_allclose(products.images[0].get_array(), position_products(encodings))
    for ax, shown in ((values, encodings), (products, position_products(encodings))):
        np.testing.assert_allclose(ax.images[0].get_clim(), (-np.abs(shown).max(), np.abs(shown).max()))
    np.testing.assert_allclose(distance.lines[0].get_ydata(), by_distance(position_products(encodings))[0])
    assert distance.get_ylabel() == "dot product"
    assert position_encodings(encodings, cosine=True).axes[2].get_ylabel() == "cosine"


def test_one_position_and_zeros_are_drawn():
    picture = position_encodings(np.zeros((1, 3)))
    picture.draw_without_rendering()
    assert picture.axes[0].images[0].get_clim() == (-1, 1)


def test_dark_and_light_follow_the_argument_and_pyplot_hears_nothing(encodings):
    pages = {matplotlib.colors.to_hex(position_encodings(encodings, dark=dark).get_facecolor()) for dark in (False, True)}
    assert pages == {LIGHT["page"], DARK["page"]}
    assert plt.get_fignums() == []


def test_what_are_no_encodings_is_refused(encodings):
    with pytest.raises(ValueError, match=r"Take one row of the batch, encodings\[0\]\. Received: encodings of shape \(1, 13, 8\)"):
        position_encodings(encodings[None])
    with pytest.raises(ValueError, match=r"Received: encodings of shape \(0, 8\)"):
        position_encodings(encodings[:0])
    encodings[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"Received: nan at position 3, feature 1"):
        position_encodings(encodings)
