"""How a gradient grows or fades on its way back through time, and the singular values that say why."""

import textwrap

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.style import colours, is_dark, style

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def gradient_curves(norms, singular_values=None, relative=False, title=None, dark=None):
    r"""Draws $\lVert \partial L / \partial h_t \rVert$ against $t$ on a logarithmic scale, one curve for each network.

    Of a batch, the median of the examples is drawn, and a band from their 10th to their 90th percentile. What a logarithmic scale cannot hold is marked
    at its edge: ▼ where a norm is exactly zero (in float32, below about 1e-45), ▲ where it is infinite or NaN. Masked steps have no value: curves stop
    there, and the ground is hatched where all examples are masked.

    Args:
        norms: dict from names to arrays of shape `(T,)` or `(B, T)`, zero or greater; a `numpy.ma` array where steps are masked.
        singular_values: dict from the same names to arrays of shape `(maps, U)`, drawn beside, a column for each map; or `None` for no such panel.
            Defaults to `None`.
        relative: bool, whether to divide each example's norms by the one of its last real step, so that curves meet there. Defaults to `False`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no array, an array is of another rank, or a norm is negative.

    Example:
        >>> norms = {"vanishing": 0.8 ** np.arange(30)[::-1], "exploding": 1.2 ** np.arange(30)[::-1]}
        >>> picture = gradient_curves(norms, {"vanishing": [[0.8, 0.7]], "exploding": [[1.2, 0.9]]})

    References:
        [Pascanu et al., 2013](https://arxiv.org/abs/1211.5063), section 2.
    """
    norms = {name: _check(name, values) for name, values in norms.items()}
    if not norms:
        raise ValueError(f"There is nothing to draw. Received: norms={norms}")
    if relative:
        norms = {name: np.ma.array(values.data / _last(values), mask=np.ma.getmaskarray(values)) for name, values in norms.items()}
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    with style(dark):
        figure = Picture(figsize=(9.5 if singular_values else 7.0, 4.2), layout="constrained")
        grid = figure.add_gridspec(1, 2 if singular_values else 1, width_ratios=[3, 1] if singular_values else None)
        ax = figure.add_subplot(grid[0], axes_class=PictureAxes)
        ax.set_yscale("log")
        line_colours = {name: to_hex(f"C{k % 5}") for k, name in enumerate(norms)}
        for k, (name, values) in enumerate(norms.items()):
            _draw_curve(ax, values, name, line_colours[name], STYLES[k % len(STYLES)])
        _mark_edges(ax, norms, line_colours)
        _hatch_masked(ax, norms, colour)
        quantity = r"$\Vert\partial L/\partial h_t\Vert$"
        ax.set(xlabel="step $t$", ylabel=f"{quantity}, over that of the last step" if relative else quantity, xlim=(0.5, _length(norms) + 0.5))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.grid(axis="y", color=colour["faint"], lw=0.6)
        legend = ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2, fontsize=9)
        for label in legend.get_texts():
            label.set_parse_math(False)
        if singular_values:
            _draw_singular_values(figure.add_subplot(grid[1]), singular_values, line_colours, colour)
        if title:
            figure.suptitle("\n".join(textwrap.wrap(title, 95)), x=0.01, ha="left", fontsize=11, parse_math=False, usetex=False)
    return figure


def _draw_curve(ax, values, name, line_colour, line_style):
    """Draws the median of the examples, and a band around it where there are several."""
    drawable = np.where(np.isfinite(values.data) & (values.data > 0) & ~np.ma.getmaskarray(values), values.data, np.nan)
    steps = np.arange(1, values.shape[1] + 1)
    known = np.isfinite(drawable).any(axis=0)
    middle, low, high = np.full((3, len(steps)), np.nan)
    middle[known] = np.nanmedian(drawable[:, known], axis=0)
    ax.plot(steps, middle, color=line_colour, ls=line_style, label=name, marker="o" if len(steps) == 1 else None)
    if len(values) > 1:
        low[known], high[known] = np.nanpercentile(drawable[:, known], [10, 90], axis=0)
        ax.fill_between(steps, low, high, color=line_colour, alpha=0.18, lw=0)


def _mark_edges(ax, norms, line_colours):
    """Marks at the lower edge where all norms of a step are exactly zero, and at the upper one where one is no finite number."""
    for name, values in norms.items():
        masked = np.ma.getmaskarray(values)
        zero = (masked | (values.data == 0)).all(axis=0) & ~masked.all(axis=0)
        infinite = (~masked & ~np.isfinite(values.data)).any(axis=0)
        for where, y, marker, label in ((zero, 0.015, "v", "exactly 0"), (infinite, 0.985, "^", "not finite")):
            steps = np.flatnonzero(where) + 1
            if len(steps):
                ax.plot(steps, np.full(len(steps), y), marker, color=line_colours[name], ms=5, transform=ax.get_xaxis_transform(), label=f"{name}: {label}")


def _hatch_masked(ax, norms, colour):
    """Hatches the steps at which no example is real."""
    masked = np.all([np.ma.getmaskarray(values).all(axis=0) for values in norms.values()], axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], masked, [0]]))).reshape(-1, 2)
    for k, (start, end) in enumerate(edges):
        label = "masked" if k == 0 else None
        ax.axvspan(start + 0.5, end + 0.5, facecolor="none", edgecolor=colour["faint"], hatch="///", lw=0, zorder=0, label=label)


def _draw_singular_values(ax, singular_values, line_colours, colour):
    """Draws the singular values of each network, a column of strokes for each of its maps."""
    for k, (name, values) in enumerate(singular_values.items()):
        values = np.atleast_2d(values)  # (maps, U)
        places = k + (np.arange(len(values)) - (len(values) - 1) / 2) * 0.18
        ax.plot(np.repeat(places, values.shape[1]), values.ravel(), "_", color=line_colours[name], ms=9, mew=1.2, alpha=0.8)
    ax.axhline(1, color=colour["ink"], ls=":", lw=1)
    ax.set(xlim=(-0.6, len(singular_values) - 0.4), ylabel="singular values of $W_{hh}$")
    ax.set_ylim(0, 1.05 * max(1.0, ax.get_ylim()[1]))
    ax.set_xticks(range(len(singular_values)), singular_values, rotation=40, ha="right", rotation_mode="anchor", fontsize=9, parse_math=False, usetex=False)
    ax.tick_params(axis="x", length=0)
    for label, name in zip(ax.get_xticklabels(), singular_values):
        label.set_color(line_colours[name])


def _last(values):
    """Returns the norm of the last real step of each example, `(B, 1)`."""
    real = ~np.ma.getmaskarray(values)
    last = real.shape[1] - 1 - np.argmax(real[:, ::-1], axis=1)
    return values.data[np.arange(len(values)), last][:, None]


def _length(norms):
    return max(values.shape[1] for values in norms.values())


def _check(name, values):
    """Returns norms as a masked array `(B, T)`, or raises where they are none."""
    values = np.ma.asarray(values).astype("float64")
    if values.ndim not in (1, 2) or not values.size:
        raise ValueError(f"norms are arrays of shape (T,) or (B, T). Received: norms[{name!r}] of shape {values.shape}")
    if (values < 0).any():
        raise ValueError(f"A norm is zero or greater. Received: {values.min()} in norms[{name!r}]")
    return np.ma.atleast_2d(values)
