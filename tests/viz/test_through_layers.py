"""Rollout against matrix products, flow against every cut of small graphs, and the picture of both."""

import itertools
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import attention_flow, attention_rollout, through_layers
from keras_richctx.viz.style import DARK, LIGHT

L, H, T = 3, 2, 4
TOKENS = ["[CLS]", "$x$", "ein", "[SEP]"]


@pytest.fixture
def layers():
    weights = np.random.default_rng(0).random((L, H, T, T)) ** 3
    return weights / weights.sum(-1, keepdims=True)


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def smallest_cut(mixed, level, start, end):
    """The flow from a position after a layer to an input, as the smallest of all cuts: Ford and Fulkerson's theorem, and nothing of a search."""
    length = len(mixed[0])
    inner = [(k, i) for k in range(level + 1) for i in range(length) if (k, i) not in ((level, start), (0, end))]
    smallest = np.inf
    for chosen in itertools.product((False, True), repeat=len(inner)):
        side = {(level, start)} | {node for node, above in zip(inner, chosen) if above}
        crossing = sum(mixed[k - 1][i, j] for k, i in side if k for j in range(length) if (k - 1, j) not in side)
        smallest = min(smallest, crossing)
    return smallest


@pytest.mark.parametrize("residual", [0.0, 0.5, 0.8])
def test_rollout_is_the_product_of_the_layers_with_their_residual(layers, residual):
    mixed = [residual * np.eye(T) + (1 - residual) * layer.mean(0) for layer in layers]
    rollout = attention_rollout(layers, residual)[:, 0]
    np.testing.assert_allclose(rollout, [mixed[0], mixed[1] @ mixed[0], mixed[2] @ mixed[1] @ mixed[0]])
    np.testing.assert_allclose(rollout.sum(-1), 1)


def test_rollout_is_the_sum_over_all_paths(layers):
    mixed = [0.5 * np.eye(T) + 0.5 * layer.mean(0) for layer in layers]
    rollout = attention_rollout(layers)[-1, 0]
    for i, j in np.ndindex(T, T):
        paths = sum(mixed[2][i, b] * mixed[1][b, a] * mixed[0][a, j] for a in range(T) for b in range(T))
        assert rollout[i, j] == pytest.approx(paths)


def test_a_batch_is_its_rows_and_padding_changes_no_real_position(layers):
    batch = np.stack([layers, layers[::-1]], axis=1)  # (L, B, H, T, T)
    rollout = attention_rollout(batch)
    np.testing.assert_allclose(rollout[:, 1], attention_rollout(layers[::-1])[:, 0])
    padded = np.pad(layers, ((0, 0), (0, 0), (0, 3), (0, 3)))
    np.testing.assert_allclose(attention_rollout(padded)[:, 0, :T, :T], attention_rollout(layers)[:, 0])
    np.testing.assert_array_equal(attention_rollout(padded)[:, 0, T:], np.tile(np.eye(T + 3)[T:], (L, 1, 1)))  # a row that sees nothing keeps itself


def test_flow_by_hand():
    """Two positions, two layers; the second position looks at both alike, so its pipes are 0.25 and 0.75.

    To the first input: by the pipe across in the upper layer, 0.25, then straight down, 1; and straight down, 0.75, then across, 0.25. Both carry 0.25: 0.5.
    To the second: straight down twice carries 0.75; the other way ends at the first.
    """
    layer = np.array([[[1.0, 0.0], [0.5, 0.5]]])
    np.testing.assert_allclose(attention_flow([layer, layer]), [[[1, 0], [0.25, 0.75]], [[1, 0], [0.5, 0.75]]], atol=1e-8)


@pytest.mark.parametrize("length, residual", [(2, 0.5), (3, 0.0), (3, 0.5)])
def test_flow_is_the_smallest_of_all_cuts(length, residual):
    weights = np.random.default_rng(length).random((L, H, length, length)) ** 3
    weights /= weights.sum(-1, keepdims=True)
    mixed = [residual * np.eye(length) + (1 - residual) * layer.mean(0) for layer in weights]
    flow = attention_flow(weights, residual)
    for level, i, j in np.ndindex(flow.shape):
        assert flow[level, i, j] == pytest.approx(smallest_cut(mixed, level + 1, i, j), abs=1e-7)


def test_flow_is_networkx_s(layers):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = networkx.DiGraph()
    for level, layer in enumerate(layers):
        for (i, j), width in np.ndenumerate(0.5 * np.eye(T) + 0.5 * layer.mean(0)):
            graph.add_edge((level + 1, i), (level, j), capacity=width)
    flow = attention_flow(layers, queries=[2, 0])
    for place, query in enumerate([2, 0]):
        for target in range(T):
            assert flow[-1, place, target] == pytest.approx(networkx.maximum_flow_value(graph, (L, query), (0, target)), abs=1e-7)


def test_flow_after_the_first_layer_is_its_pipes_and_never_less_than_rollout(layers):
    flow, rollout = attention_flow(layers), attention_rollout(layers)[:, 0]
    np.testing.assert_allclose(flow[0], rollout[0], atol=1e-8)
    assert (flow >= rollout - 1e-7).all()  # the paths of rollout are one way to fill the pipes
    assert (flow <= 1 + 1e-7).all()


def test_the_picture_holds_the_shares_of_one_position_first_layer_below(layers):
    picture = through_layers(layers, TOKENS, position=2, title="$\\frac{$")
    picture.draw_without_rendering()
    raw, rollout, flow = (ax for ax in picture.axes if ax.images)
    np.testing.assert_allclose(raw.images[0].get_array(), layers.mean(1)[:, 2])
    np.testing.assert_allclose(rollout.images[0].get_array(), attention_rollout(layers)[:, 0, 2])
    expected = attention_flow(layers)[:, 2]
    np.testing.assert_allclose(flow.images[0].get_array(), expected / expected.sum(-1, keepdims=True))
    limits = {ax.images[0].get_clim() for ax in (raw, rollout, flow)}
    assert limits == {(0.0, max(float(ax.images[0].get_array().max()) for ax in (raw, rollout, flow)))}
    assert [label.get_text() for label in raw.get_xticklabels()] == TOKENS
    assert [label.get_text() for label in raw.get_yticklabels()] == ["layer 1", "layer 2", "layer 3"]
    assert raw.get_ylim() == (-0.5, 2.5)


@pytest.mark.parametrize("count, token", [(1, "x"), (2, "internationalisation"), (40, "word")])
def test_nothing_is_cut(count, token):
    uniform = np.full((2, 3, count, count), 1 / count)
    picture = through_layers(uniform, [token] * count, ways=("raw", "rollout"), title="The title of a picture that may be wider than the maps below it are")
    picture.draw_without_rendering()
    for ax in picture.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -0.5
        assert box.y0 >= -0.5
        assert box.x1 <= picture.bbox.x1 + 0.5
        assert box.y1 <= picture.texts[0].get_window_extent().y0


def test_a_position_that_sees_nothing_has_no_share(layers):
    layers[:, :, 1] = 0
    raw = through_layers(layers, TOKENS, position=1, ways=("raw",)).axes[0]
    assert not raw.images[0].get_array().any()


def test_dark_and_light_follow_the_argument_then_the_current_style_and_pyplot_hears_nothing(layers):
    def page(**kwargs):
        picture = through_layers(layers, TOKENS, ways=("rollout",), **kwargs)
        assert picture.axes[0].images[0].get_cmap().name == (DARK if picture.get_facecolor()[0] < 0.5 else LIGHT)["map"]
        return matplotlib.colors.to_hex(picture.get_facecolor())

    assert page() == LIGHT["page"]
    assert page(dark=True) == DARK["page"]
    with plt.style.context("dark_background"):
        assert page() == DARK["page"]
    assert plt.get_fignums() == []


def test_what_is_no_stack_of_self_attention_is_refused(layers):
    with pytest.raises(ValueError, match=r"as many keys as queries\. Received: 'cross' of shape \(1, 2, 4, 3\)\. Leave it out"):
        attention_rollout({"self": layers[0], "cross": layers[1][..., :3]})
    with pytest.raises(ValueError, match=r"over the same positions\. Received: layers of \[3, 4\] positions"):
        attention_rollout([layers[0], layers[1][:, :3, :3]])
    with pytest.raises(ValueError, match=r"residual is a share.*Received: residual=1"):
        attention_rollout(layers, residual=1)
    with pytest.raises(ValueError, match=r"Received: nan"):
        attention_rollout(np.where(layers > 0.5, np.nan, layers))
    with pytest.raises(ValueError, match=r"of one example"):
        attention_flow(np.stack([layers, layers], axis=1))
    with pytest.raises(ValueError, match=r"queries are positions from 0 to 3\. Received: 4"):
        attention_flow(layers, queries=[0, 4])
    with pytest.raises(ValueError, match=r"from 0 to 3\. Received: position=-1"):
        through_layers(layers, TOKENS, position=-1)
    with pytest.raises(ValueError, match=r"Received: 3 tokens, layers of 4 positions"):
        through_layers(layers, TOKENS[:3])
    with pytest.raises(ValueError, match=r"ways are out of raw, rollout, flow\. Received: ways=\('roll',\)"):
        through_layers(layers, TOKENS, ways=("roll",))
    with pytest.raises(TypeError, match=r"tokens must be a list of strings"):
        through_layers(layers, "abcd")
