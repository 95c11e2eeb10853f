"""Learning curves of several runs: their mean, how far they scatter, and which of them failed."""

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.style import colours, is_dark, style

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def mean_and_deviation(runs):
    """Computes the mean of several curves and their standard deviation at each step.

    A curve may end before the others; from there on it does not count. Nor do values that are no finite numbers: the third array says how many remained.

    Args:
        runs: list of arrays of shape `(T,)`, of any lengths.

    Returns:
        Three arrays as long as the longest curve: the mean, NaN where no run has a finite value; the standard deviation, of the sample (divided by n - 1), zero
        where there is one run; and the number of runs.

    Raises:
        ValueError: if there is no run, or one has another rank or no step.

    Example:
        >>> mean, deviation, count = mean_and_deviation([[1.0, 2.0], [3.0]])
        >>> mean.tolist(), deviation.round(3).tolist(), count.tolist()
        ([2.0, 2.0], [1.414, 0.0], [2, 1])
    """
    table = _table(runs)
    finite = np.isfinite(table)
    count = finite.sum(axis=0)  # (T,)
    values = np.where(finite, table, 0.0)
    mean = np.where(count > 0, values.sum(axis=0) / np.maximum(count, 1), np.nan)
    squares = np.where(finite, (values - np.where(count > 0, mean, 0.0)) ** 2, 0.0).sum(axis=0)
    return mean, np.sqrt(squares / np.maximum(count - 1, 1)), count


def learning_curves(runs, metrics=("loss",), steps_per_epoch=None, title=None, dark=None):
    """Draws the learning curves of several models, each trained several times: the mean of its runs, and a band of one standard deviation to each side.

    A panel for each metric, a colour for each model. Single runs stand behind as thin lines. Steps at which a run has no finite value are marked ▲ at the upper
    edge: they do not count, and are not hidden. Where runs end earlier than others the mean goes on over those that remain.

    Args:
        runs: dict from names to runs: each a list of `keras.callbacks.History` or of dicts from metrics to lists of numbers, or one of them.
        metrics: tuple of strings, such as `("loss", "val_loss")`. Defaults to `("loss",)`.
        steps_per_epoch: integer or float, how many steps an entry stands for, where steps are to stand on x; or `None` for epochs. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no model, no run, no metric, or a run has not every metric.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> runs = {"small": [{"loss": [2.0, 1.5, 1.2]}, {"loss": [2.2, 1.4, 1.3]}], "large": [{"loss": [2.0, 1.1, 0.7]}]}
        >>> picture = learning_curves(runs)
        >>> picture.savefig("curves.png")  # doctest: +SKIP
    """
    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    curves = {name: {metric: _of_metric(name, of_model, metric) for metric in metrics} for name, of_model in runs.items()}
    if not curves or not metrics:
        raise ValueError(f"There is nothing to draw. Received: runs of {list(runs)}, metrics={metrics}")
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    (title, *labels), families = drawable([title or "", *map(visible, curves)])
    with style(dark):
        figure = Picture(figsize=(max(7.0, 4.6 * len(metrics)), 3.8), layout="constrained")
        for place, metric in enumerate(metrics, 1):
            ax = figure.add_subplot(1, len(metrics), place, axes_class=PictureAxes)
            for k, (name, label) in enumerate(zip(curves, labels)):
                _draw(ax, curves[name][metric], steps_per_epoch or 1, to_hex(f"C{k % 5}"), STYLES[k % len(STYLES)], label)
            ax.set(xlabel="step" if steps_per_epoch else "epoch", ylabel=metric)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
            ax.grid(axis="y", color=colour["faint"], lw=0.6)
        for entry in figure.axes[0].legend(fontsize=9, loc="best").get_texts():
            entry.set(family=families, parse_math=False)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, family=families, parse_math=False, usetex=False)
    return figure


def _draw(ax, runs, every, line_colour, line_style, label):
    """Draws the runs of one model: each thin, their mean, the band, and what is not finite."""
    mean, deviation, _ = mean_and_deviation(runs)
    x = every * np.arange(1, len(mean) + 1)
    if len(runs) > 1:
        for run in runs:
            ax.plot(x[: len(run)], np.where(np.isfinite(run), run, np.nan), color=line_colour, lw=0.6, alpha=0.45)
        ax.fill_between(x, mean - deviation, mean + deviation, color=line_colour, alpha=0.18, lw=0)
    several = f" ({len(runs)} runs)" if len(runs) > 1 else ""
    ax.plot(x, mean, color=line_colour, ls=line_style, label=label + several, marker="o" if len(x) == 1 else None)
    failed = np.flatnonzero(np.any([np.pad(~np.isfinite(run), (0, len(x) - len(run))) for run in runs], axis=0))
    if len(failed):
        ax.plot(x[failed], np.full(len(failed), 0.985), "^", color=line_colour, ms=5, transform=ax.get_xaxis_transform(), label=f"{label}: not finite")


def _of_metric(name, runs, metric):
    """Returns the curves of one metric, a list of arrays, or raises where a run has it not."""
    runs = list(runs) if isinstance(runs, list | tuple) else [runs]
    if not runs:
        raise ValueError(f"A model has at least one run. Received: none of {name!r}")
    histories = [getattr(run, "history", run) for run in runs]
    for history in histories:
        if not isinstance(history, Mapping) or metric not in history:
            there = list(history) if isinstance(history, Mapping) else type(history).__name__
            raise ValueError(f"Every run has every metric: {metric!r} is not there. Received: a run of {name!r} with {there}")
    return [np.asarray(history[metric], "float64") for history in histories]


def _table(runs):
    """Returns the curves as an array `(runs, T)`, NaN where one has ended."""
    rows = [np.asarray(run, "float64") for run in runs]
    if not rows or any(row.ndim != 1 or not row.size for row in rows):
        raise ValueError(f"Curves are of shape (steps,), with one step at least. Received: shapes {[row.shape for row in rows]}")
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table
