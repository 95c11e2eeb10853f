"""Learning curves: the mean and deviation of the runs, and no run that failed is hidden."""

import warnings

import keras
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import learning_curves, mean_and_deviation
from keras_richctx.viz.style import DARK, LIGHT


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    return {
        "$small$": [{"loss": rng.random(9).tolist(), "val_loss": rng.random(9).tolist()} for _ in range(4)],
        "large": [{"loss": [0.5, 0.4], "val_loss": [1, 2]}],
    }


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def lines(ax, label):
    return [line for line in ax.lines if line.get_label() == label]


def test_mean_and_deviation_are_numpys(runs):
    table = [run["loss"] for run in runs["$small$"]]
    mean, deviation, count = mean_and_deviation(table)
    np.testing.assert_allclose(mean, np.mean(table, axis=0))
    np.testing.assert_allclose(deviation, np.std(table, axis=0, ddof=1))
    np.testing.assert_array_equal(count, 4)


def test_runs_that_end_or_fail_do_not_count_from_there_on():
    mean, deviation, count = mean_and_deviation([[1, 2, 3], [3], [5, np.nan], [np.inf, np.nan]])
    np.testing.assert_allclose(mean, [3, 2, 3])
    np.testing.assert_allclose(deviation, [2, 0, 0])
    np.testing.assert_array_equal(count, [3, 1, 1])
    assert np.isnan(mean_and_deviation([[np.nan]])[0]).all()


def test_the_picture_holds_means_bands_and_single_runs(runs):
    picture = learning_curves(runs, ("loss", "val_loss"), title="$\\frac{$")
    picture.draw_without_rendering()
    for ax, metric in zip(picture.axes, ("loss", "val_loss")):
        table = [run[metric] for run in runs["$small$"]]
        (line,) = lines(ax, "$small$ (4 runs)")
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 10))
        np.testing.assert_allclose(line.get_ydata(), np.mean(table, axis=0))
        thin = [of_run for of_run in ax.lines if of_run.get_linewidth() < 1]
        np.testing.assert_allclose([of_run.get_ydata() for of_run in thin], table)
        (band,) = ax.collections
        low, high = band.get_paths()[0].vertices[:, 1].min(), band.get_paths()[0].vertices[:, 1].max()
        edges = np.mean(table, axis=0) + np.outer((-1, 1), np.std(table, axis=0, ddof=1))
        np.testing.assert_allclose((low, high), (edges.min(), edges.max()))
        (alone,) = lines(ax, "large")  # one run has no band
        np.testing.assert_allclose(alone.get_ydata(), runs["large"][0][metric])
        assert ax.get_ylabel() == metric


def test_what_is_not_finite_is_marked(runs):
    runs["$small$"][2]["loss"][5:7] = [np.nan, np.inf]
    (mark,) = lines(learning_curves(runs).axes[0], "$small$: not finite")
    np.testing.assert_array_equal(mark.get_xdata(), [6, 7])


def test_a_history_of_keras_is_a_run():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(np.ones((4, 2)), np.ones(4), epochs=3, verbose=0)
    ax = learning_curves({"a": history}, "loss", steps_per_epoch=10).axes[0]
    (line,) = lines(ax, "a")
    np.testing.assert_array_equal(line.get_xdata(), [10, 20, 30])
    np.testing.assert_allclose(line.get_ydata(), history.history["loss"])
    assert ax.get_xlabel() == "step"


def test_dark_and_light_follow_the_argument_and_pyplot_hears_nothing(runs):
    pages = {matplotlib.colors.to_hex(learning_curves(runs, dark=dark).get_facecolor()) for dark in (False, True)}
    assert pages == {LIGHT["page"], DARK["page"]}
    assert plt.get_fignums() == []


def test_what_are_no_runs_is_refused(runs):
    with pytest.raises(ValueError, match=r"'accuracy' is not there\. Received: a run of '\$small\$' with \['loss', 'val_loss'\]"):
        learning_curves(runs, "accuracy")
    with pytest.raises(ValueError, match=r"a run of 'a' with float"):
        learning_curves({"a": [0.5, 0.4]})
    with pytest.raises(ValueError, match=r"at least one run\. Received: none of 'a'"):
        learning_curves({"a": []})
    with pytest.raises(ValueError, match=r"nothing to draw"):
        learning_curves({})
    with pytest.raises(ValueError, match=r"with one step at least\. Received: shapes \[\(0,\)\]"):
        learning_curves({"a": {"loss": []}})
