"""What tasks took of the layers of one reader: every number in its column."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import softmax

import keras_richctx as krc
from keras_richctx.viz import layer_weights
from keras_richctx.viz.style import DARK, LIGHT

TASKS = {"tags": [0.1, 0.8, 0.1], "$q$": [0.3, 0.3, 0.4]}


def test_a_column_for_each_task_the_lowest_layer_below():
    picture = layer_weights(TASKS, ["words", "first", "second"], title="$\\frac{$")
    picture.draw_without_rendering()
    ax = picture.axes[0]
    np.testing.assert_allclose(ax.images[0].get_array(), np.transpose([TASKS["tags"], TASKS["$q$"]]))
    assert ax.images[0].get_clim() == (0, 1)
    assert ax.get_ylim() == (-0.5, 2.5)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["tags", "$q$"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["words", "first", "second"]
    assert {text.get_position(): text.get_text() for text in ax.texts}[0, 1] == "0.80"


def test_mixes_of_a_model_are_read_as_they_are():
    mix = krc.layers.ScalarMix()
    mix.build((None, 3, None, 4))
    mix.scalars.assign([0.0, 2.0, -1.0])
    picture = layer_weights({"tagging": mix})
    np.testing.assert_allclose(picture.axes[0].images[0].get_array()[:, 0], softmax([0.0, 2.0, -1.0]), rtol=1e-5)


def test_a_panel_for_each_place_of_the_mix():
    picture = layer_weights({"input": TASKS, "output": {"tags": [0.5, 0.5, 0.0]}})
    left, right = picture.axes[:2]
    assert (left.get_title(loc="left"), right.get_title(loc="left")) == ("input", "output")
    assert [label.get_text() for label in right.get_xticklabels()] == ["tags"]
    assert right.images[0].get_array().shape == (3, 1)


def test_dark_and_light_follow_the_argument_and_pyplot_hears_nothing():
    maps = {dark: layer_weights(TASKS, dark=dark).axes[0].images[0].get_cmap().name for dark in (False, True)}
    assert maps == {False: LIGHT["map"], True: DARK["map"]}
    assert plt.get_fignums() == []


@pytest.mark.parametrize("values", [[0.5, 0.2], [1.5, -0.5], [np.nan, 1.0], [[1.0]]])
def test_what_is_no_mix_is_refused(values):
    with pytest.raises(ValueError, match=r"none negative, and sum to 1\. Received: 'a'.*Take their softmax"):
        layer_weights({"a": values})


def test_mixes_of_other_layers_are_refused():
    with pytest.raises(ValueError, match=r"mix the same layers\. Received: \{'a': 2, 'b': 1\}"):
        layer_weights({"a": [0.5, 0.5], "b": [1.0]})
    with pytest.raises(ValueError, match=r"of the same layers\. Received: mixes of \[1, 2\] layers"):
        layer_weights({"in": {"a": [0.5, 0.5]}, "out": {"a": [1.0]}})
    with pytest.raises(ValueError, match=r"a name for each of the 3 layers\. Received: layers=\['a'\]"):
        layer_weights(TASKS, ["a"])
    with pytest.raises(ValueError, match=r"no task"):
        layer_weights({})
