"""A number for each head, as a table of colours: layers from top to bottom, heads from left to right."""

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.patches import Rectangle

from keras_richctx.viz.alignment import GOLD
from keras_richctx.viz.attention_layers import short_names
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.style import colours, ink_on, is_dark, style

MOST = 16  # heads, up to which there is room for the numbers


def head_scores(scores, limits=(0.0, 1.0), marked=None, ax=None, title=None, label="score", dark=None):
    """Draws a measure of all heads of a model, such as `weight_on_links` gives: a row for each layer, a column for each head, and the number in each cell.

    Args:
        scores: dict from the names of layers to arrays of shape `(H,)`, or a list of them, or an array of shape `(L, H)`; NaN where nothing is known.
        limits: pair of floats, what the colours span. Defaults to `(0.0, 1.0)`.
        marked: iterable of pairs `(layer, head)`, both counted from 1, whose cells are outlined; or `None`. Defaults to `None`.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        label: string, what the numbers are, beside the scale. Defaults to `"score"`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        ValueError: if there is no layer, one has no row of numbers, `limits` does not rise, or a marked head is outside.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> axes = head_scores([[0.1, 0.9], [0.3, 0.2]], marked=[(1, 2)], title="On the word before")
        >>> axes.figure.savefig("scores.png")  # doctest: +SKIP
    """
    names, table = _check(scores)
    low, high = map(float, limits)
    if not low < high:
        raise ValueError(f"limits are (low, high), the first below the second. Received: limits={limits}")
    marked = [tuple(map(int, pair)) for pair in marked or ()]
    for pair in marked:
        if len(pair) != 2 or not (1 <= pair[0] <= table.shape[0] and 1 <= pair[1] <= table.shape[1]):
            raise ValueError(f"marked heads are pairs (layer, head), counted from 1, within {table.shape}. Received: {pair}")
    if dark is None:
        dark = is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())
    colour = colours(dark)
    (title, label, *names), families = drawable([title or "", label, *map(visible, names)])
    with style(dark):
        if ax is None:
            figure = Picture(figsize=(2.4 + 0.55 * table.shape[1], 1.3 + 0.45 * table.shape[0]), layout="constrained")
            ax = figure.add_subplot(axes_class=PictureAxes)
        image = ax.imshow(np.ma.masked_invalid(table), cmap=colour["map"], vmin=low, vmax=high, aspect="auto", interpolation="nearest")
        if table.shape[1] <= MOST:
            for (row, head), value in np.ndenumerate(table):
                if np.isfinite(value):
                    ax.text(head, row, f"{value:.2f}", ha="center", va="center", fontsize=9, color=ink_on(image.cmap(image.norm(value))))
        for row, head in marked:
            ax.add_patch(Rectangle((head - 1.46, row - 1.46), 0.92, 0.92, fill=False, edgecolor=GOLD, linewidth=2.0))
        text = {"parse_math": False, "usetex": False, "fontsize": 9}
        ax.set_xticks(range(table.shape[1]), range(1, table.shape[1] + 1), **text)
        ax.set_yticks(range(len(names)), names, family=families, **text)
        ax.set(xlabel="head", ylabel="layer")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.get_figure().colorbar(image, ax=ax, label=label, ticks=[low, (low + high) / 2, high]).outline.set_visible(False)
        if title:
            ax.set_title(title, loc="left", color=colour["ink"], family=families, parse_math=False, usetex=False)
    return ax


def _check(scores):
    """Returns the names of the layers and the scores, `(L, H)`, NaN where a layer has fewer heads; or raises where these are no scores."""
    named = scores if isinstance(scores, Mapping) else {str(number): row for number, row in enumerate(scores, 1)}
    if not named:
        raise ValueError(f"There is no layer. Received: scores={scores}")
    rows = [np.asarray(row).astype("float64") for row in named.values()]
    for name, row in zip(named, rows):
        if row.ndim != 1 or not row.size:
            raise ValueError(f"The scores of a layer are of shape (heads,). Received: {name!r} of shape {row.shape}")
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return short_names(list(named)), table
