"""Several heads of attention beside one another: a small heat map each, on one scale."""

import math
import textwrap

import matplotlib
import numpy as np

from keras_richctx.viz import layout
from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, is_right_to_left, visible
from keras_richctx.viz.layout import GAP, LARGEST, LINE, MARGIN
from keras_richctx.viz.scale import BAR, Scale, draw_scale, scale_width
from keras_richctx.viz.style import colours, is_dark, style

WIDEST = 12.0  # inches of a row of maps
LONGEST = 3.6  # inches of the longer side of a map


def heads(weights, tokens=None, target_tokens=None, names=None, columns=None, title=None, dark=None):
    """Draws the weights of several heads of attention as a grid of heat maps: in each the keys on x, the queries on y from top to bottom.

    The colours always span 0 ... 1, so that heads, layers and pictures can be compared. Each map is that of `alignment`; the tokens stand at the left of each
    row of maps and above each column. Where there is no room for all of them, not every one is labelled.

    Args:
        weights: array of shape `(H, T, S)`, from 0 to 1; `weights[h, t, s]` says how much query `t` attended to key `s` in head `h`. Rows need not sum to 1.
        tokens: list of `S` strings, what stands at the keys, and at the queries if there are no `target_tokens`; `None` to number the positions, from 0.
            Defaults to `None`.
        target_tokens: list of `T` strings, what stands at the queries, where that is another sequence; or `None`. Defaults to `None`.
        names: list of `H` strings, what stands above each map, or `None` for `head 1`, `head 2` and so on. Defaults to `None`.
        columns: integer, how many maps a row has. Defaults to 4, or as many as there are.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        TypeError: if tokens or names are not lists of strings.
        ValueError: if the weights have not three axes, their shape is not that of the tokens and names, a weight is not in 0 ... 1, or `columns` is no positive
            integer.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> layer = krc.layers.MultiHeadAttention(num_heads=2, key_dim=4)
        >>> _, weights = layer(np.random.normal(size=(1, 3, 8)), return_attention_scores=True)
        >>> picture = heads(weights[0], ["the", "cat", "sat"], title="Two heads, untrained")
        >>> picture.savefig("heads.png")  # doctest: +SKIP

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), the figures of the appendix.
    """
    weights, source, target, names = _check(weights, tokens, target_tokens, names)
    per_row = _columns(columns, len(weights))
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    (heading, *labels), families = drawable([title or "", *map(visible, [*source, *target, *names])])
    grid = _Grid(weights.shape, per_row, labels, families, is_right_to_left(source))
    with style(dark):
        figure = grid.figure(heading)
        for head, (of_head, name) in enumerate(zip(weights, names)):
            row, column = divmod(head, per_row)
            ax = alignment(of_head, source, target, ax=grid.axes(figure, row, column), title=visible(name), dark=dark, colorbar=False)
            ax.set_xlabel("key" if row == 0 else "")
            ax.set_ylabel("query" if column == 0 else "")
            ax.tick_params(axis="x", labeltop=row == 0)
            ax.tick_params(axis="y", labelleft=column == 0)
        draw_scale(figure, (grid.left, MARGIN + LINE), Scale(0.0, 1.0, colours(dark)["map"]), "weight")
    return figure


class _Grid:
    """Where each map stands, in inches from the lower left corner."""

    def __init__(self, shape, per_row, labels, families, right_to_left):
        heads, rows, columns = shape
        self.families = families
        self.down, self.across = math.ceil(heads / per_row), per_row
        above, beside, names = labels[:columns], labels[columns : columns + rows], labels[columns + rows :]
        self.left = MARGIN + LINE + max(layout.text_widths(beside, families, 10)) + GAP
        # the largest cell with which a row of maps, its gaps and the tokens that reach over its end fit into the width
        room = (WIDEST - self.left - MARGIN - per_row * 2 * GAP) / (per_row * columns)
        self.cell = min(layout.cell_size(rows, columns), LONGEST / max(rows, columns), room, LARGEST / (self.down * rows))
        size = layout.font_size(self.cell)
        widths = layout.text_widths(above, families, size)
        slant = layout.label_slant(widths, self.cell)
        self.over = max(widths) * math.sin(slant) + 1.5 * LINE  # tokens above the first row, and what they are
        self.name = LINE + 2 * GAP
        names_width = max(layout.text_widths(names, families, 11))
        self.width, self.height = columns * self.cell, rows * self.cell
        self.step = max(self.width, names_width) + 2 * GAP  # from a map to the next
        self.right = MARGIN + max(layout.overhang(widths[::-1] if right_to_left else widths, self.cell, slant), names_width - self.width)

    def figure(self, heading):
        """Makes the figure, with its title."""
        width = max(self.left + (self.across - 1) * self.step + self.width + self.right, self.left + scale_width("weight") + MARGIN)
        lines = textwrap.wrap(heading, int((width - 2 * MARGIN) * 11)) if heading else []
        width = max(width, *(2 * MARGIN + line for line in layout.text_widths([*lines, ""], self.families, 11)))
        self.top = MARGIN + len(lines) * (LINE + 0.02) + self.over + self.name + GAP
        height = self.top + self.down * self.height + (self.down - 1) * (self.name + GAP) + 2 * LINE + BAR + 2 * GAP + MARGIN
        figure = Picture(figsize=(width, height))
        place = {"va": "top", "fontsize": 11, "family": self.families, "parse_math": False, "usetex": False}
        if lines:
            figure.text(MARGIN / width, 1 - MARGIN / height, "\n".join(lines), **place)
        return figure

    def axes(self, figure, row, column):
        """Makes the axes of one map."""
        width, height = figure.get_size_inches()
        x = self.left + column * self.step
        y = height - self.top - self.height - row * (self.height + self.name + GAP)
        return figure.add_axes(PictureAxes(figure, (x / width, y / height, self.width / width, self.height / height)))


def _columns(columns, heads):
    """Returns how many maps a row has."""
    if columns is None:
        return min(4, heads)
    if not isinstance(columns, int) or columns < 1:
        raise ValueError(f"columns is a positive integer, how many maps a row has. Received: columns={columns!r}")
    return min(columns, heads)


def _check(weights, tokens, target_tokens, names):
    """Returns the weights, the tokens of both sides and the names, or raises where they do not fit each other."""
    weights = np.asarray(weights)
    if weights.ndim != 3 or not len(weights):
        hint = {4: "Pass those of one row of the batch, weights[0]. ", 2: "Put those of one head as weights[None]. "}.get(weights.ndim, "")
        raise ValueError(f"weights are of shape (heads, queries, keys). {hint}Received: weights of shape {weights.shape}")
    count, rows, columns = weights.shape
    source = [str(place) for place in range(columns)] if tokens is None else tokens
    if target_tokens is not None:
        target = target_tokens
    else:
        target = source if tokens is not None or rows == columns else [str(place) for place in range(rows)]
    names = [f"head {head}" for head in range(1, count + 1)] if names is None else names
    check_tokens(tokens=source, target_tokens=target, names=names)
    if (len(names), len(target), len(source)) != weights.shape:
        raise ValueError(
            f"weights must be of shape (names, target tokens, tokens) = {(len(names), len(target), len(source))}. Received: weights of shape {weights.shape}"
        )
    return weights, list(source), list(target), list(names)
