"""How wide and how far heads look, against SciPy and plain loops; and that the picture holds these numbers."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import entropy

from keras_richctx.viz import attention_distance, attention_entropy, entropy_and_distance, even_attention
from keras_richctx.viz.style import DARK, LIGHT

B, H, T = 3, 4, 7


@pytest.fixture
def weights():
    values = np.random.default_rng(0).random((B, H, T, T)) ** 4
    return values / values.sum(-1, keepdims=True)


@pytest.fixture
def mask():
    return np.arange(T) < np.array([7, 4, 1])[:, None]


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_entropy_is_scipys_in_bits_over_real_queries(weights, mask):
    noise = np.where(mask[:, None, :, None], weights, np.nan)
    expected = [entropy(weights[:, head][mask], base=2, axis=-1).mean() for head in range(H)]
    np.testing.assert_allclose(attention_entropy(noise, mask), expected)
    np.testing.assert_allclose(attention_entropy(weights[0]), entropy(weights[0], base=2, axis=-1).mean(-1))


def test_distance_is_the_mean_of_loops_over_real_queries(weights, mask):
    for head in range(H):
        far = [sum(weights[b, head, t, s] * abs(t - s) for s in range(T)) for b in range(B) for t in range(T) if mask[b, t]]
        assert attention_distance(np.where(mask[:, None, :, None], weights, 7.0), mask)[head] == pytest.approx(np.mean(far))


def test_the_ends_of_the_scale():
    one, all_alike = np.eye(8)[None], np.full((1, 8, 8), 1 / 8)
    assert (attention_entropy(one), attention_entropy(all_alike)) == ([0.0], [3.0])
    assert (attention_distance(one), attention_distance(np.eye(8, k=1)[None])) == ([0.0], [1.0])
    assert (attention_entropy(np.ones((1, 1, 1))), attention_distance(np.ones((1, 1, 1)))) == ([0.0], [0.0])


def test_rows_count_by_their_shape_not_their_sum_and_rows_of_zeros_not_at_all(weights):
    np.testing.assert_allclose(attention_entropy(0.5 * weights), attention_entropy(weights))
    np.testing.assert_allclose(attention_distance(0.5 * weights), attention_distance(weights))
    empty = weights.copy()
    empty[:, :, 2] = 0
    keep = np.arange(T) != 2
    np.testing.assert_allclose(attention_entropy(empty), entropy(weights[:, :, keep], base=2, axis=-1).mean((0, 2)))
    assert np.isnan(attention_entropy(np.zeros((2, 3, 3)))).all()


def test_more_padding_changes_nothing(weights):
    padded = np.pad(weights, ((0, 0), (0, 0), (0, 4), (0, 4)))
    mask = np.arange(T + 4) < np.full((B, 1), T)
    np.testing.assert_allclose(attention_entropy(padded, mask), attention_entropy(weights))
    np.testing.assert_allclose(attention_distance(padded, mask), attention_distance(weights))


def test_the_picture_holds_a_dot_for_each_head_the_means_and_even_attention(weights, mask):
    layers = {"m/block_0/a": weights, "m/block_1/a": weights[:, :2] ** 2, "m/block_2/a": np.tril(weights)}
    picture = entropy_and_distance(layers, mask, title="$\\frac{$")
    picture.draw_without_rendering()
    for ax, measure in zip(picture.axes, (attention_entropy, attention_distance)):
        dots, means, even = ax.lines
        np.testing.assert_allclose(dots.get_ydata(), np.concatenate([measure(values, mask) for values in layers.values()]))
        np.testing.assert_array_equal(np.round(dots.get_xdata()), np.repeat([1, 2, 3], [4, 2, 4]))
        np.testing.assert_allclose(means.get_ydata(), [measure(values, mask).mean() for values in layers.values()])
        np.testing.assert_allclose(even.get_ydata(), [measure(even_attention(values), mask).mean() for values in layers.values()])
        assert [label.get_text() for label in ax.get_xticklabels()] == ["block_0", "block_1", "block_2"]
        low, high = ax.get_ylim()
        assert low < 0 < max(dots.get_ydata().max(), even.get_ydata().max()) < high


def test_a_single_token_is_drawn_too():
    picture = entropy_and_distance([np.ones((1, 2, 1, 1))])
    assert picture.axes[0].lines[0].get_ydata().tolist() == [0, 0]


def test_dark_and_light_follow_the_argument_then_the_current_style_and_pyplot_hears_nothing(weights):
    def page(**kwargs):
        return matplotlib.colors.to_hex(entropy_and_distance([weights], **kwargs).get_facecolor())

    assert page() == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]
    assert entropy_and_distance([weights])._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_lines_keep_the_colours_of_the_page_they_were_made_for(weights):
    colours = {dark: entropy_and_distance([weights], dark=dark).axes[0].lines[1].get_color() for dark in (False, True)}
    assert colours == {False: "#0072b2", True: "#56b4e9"}


def test_what_has_no_distance_is_refused(weights):
    with pytest.raises(ValueError, match=r"within one sequence\. Received: weights of 7 queries on 5 keys"):
        attention_distance(weights[..., :5])
    with pytest.raises(ValueError, match=r"Received: nan at"):
        attention_entropy(np.where(weights > 0.5, np.nan, weights))
