"""The alignment heat map: which source words each target word attended to."""

import math
import textwrap

import matplotlib
import numpy as np
from matplotlib.patches import Rectangle

from keras_richctx.viz import layout
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, is_right_to_left, visible
from keras_richctx.viz.layout import GAP, LINE, MARGIN
from keras_richctx.viz.style import colours, is_dark, style

GOLD = "#0096ff"
BAR = 0.13  # inches, the width of the scale


def alignment(weights, source_tokens, target_tokens, ax=None, gold=None, title=None, dark=None, colorbar=True):
    """Draws attention weights as a heat map, source words on x, target words on y from top to bottom.

    The colours always span 0 ... 1, so that two maps can be compared. Tokens are drawn as they are, never as mathematics; of what could not be seen,
    a space at an end shows as `␣` and a control character as its escape. A source that is written from right to left runs from right to left. The
    figure grows with the sentences up to 40 inches; from about 200 tokens on, cells shrink and not every one is labelled.

    Args:
        weights: array of shape `(T, S)`, from 0 to 1; `weights[t, s]` says how much target token `t` attended to source token `s`. Rows need not sum
            to 1.
        source_tokens: list of `S` strings.
        target_tokens: list of `T` strings.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to
            `None`.
        gold: iterable of index pairs `(source, target)` whose cells are outlined, or `None`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.
        colorbar: bool, whether to draw the scale. Defaults to `True`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if the shape of the weights is not that of the tokens, there is no token, a weight is not in 0 ... 1, or a gold link is outside.

    Warns:
        UserWarning: if no installed font has a character. The warning names what to install.

    Example:
        >>> axes = alignment([[0.9, 0.1], [0.2, 0.8]], ["the", "cat"], ["le", "chat"], gold={(0, 0), (1, 1)})
        >>> axes.figure.savefig("alignment.png")  # doctest: +SKIP

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), figure 3.
    """
    weights = check_alignment(weights, source_tokens, target_tokens)
    gold = check_gold(gold, *weights.shape)
    if dark is None:
        dark = is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())
    colour = colours(dark)
    (title, *labels), families = drawable([title or "", *map(visible, source_tokens), *map(visible, target_tokens)])
    right_to_left = is_right_to_left(source_tokens)
    with style(dark):
        bar_axes = None
        if ax is None:
            ax, bar_axes, title = _new_axes(labels, families, weights.shape, right_to_left, title, bool(gold), colorbar)
        image = ax.imshow(weights, cmap=colour["map"], vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        if right_to_left:
            ax.invert_xaxis()
        _draw_labels(ax, labels, families, weights.shape, colour)
        for source, target in gold:
            ax.add_patch(Rectangle((source - 0.42, target - 0.42), 0.84, 0.84, fill=False, edgecolor=GOLD, linewidth=1.6))
        if gold:
            ax.annotate("outlined: gold links", (0, 0), (0, -3), xycoords="axes fraction", textcoords="offset points", va="top", color=GOLD, fontsize=9)
        if title:
            ax.set_title(title, loc="left", color=colour["ink"], family=families, parse_math=False, usetex=False)
        if colorbar:
            place = {"cax": bar_axes} if bar_axes is not None else {"ax": ax, "fraction": 0.05, "pad": 0.03}
            ax.get_figure().colorbar(image, label="weight", ticks=[0, 0.5, 1], **place).outline.set_visible(False)
    return ax


def _new_axes(labels, families, shape, right_to_left, title, has_gold, colorbar):
    """Makes a figure that fits its labels; returns the axes of the map, those of the scale or `None`, and the title broken into lines."""
    rows, columns = shape
    cell = layout.cell_size(rows, columns)
    widths = layout.text_widths(labels, families, layout.font_size(cell))
    above, beside = widths[:columns], widths[columns:]
    slant = layout.label_slant(above, cell)
    width, height = columns * cell, rows * cell
    left = MARGIN + LINE + max(beside) + GAP
    right = MARGIN + max(layout.overhang(above[::-1] if right_to_left else above, cell, slant), 2 * GAP + BAR + 2.5 * LINE if colorbar else 0.0)
    top = MARGIN + LINE + GAP + max(above) * math.sin(slant) + LINE
    bottom = MARGIN + (LINE if has_gold else 0.0)
    if title:
        room = max(width + right - MARGIN, 3.5)
        lines = [piece for line in title.split("\n") for piece in textwrap.wrap(line, int(room * 11)) or [""]]
        title = "\n".join(lines)
        top += len(lines) * LINE
        right = max(right, max(layout.text_widths(lines, families, 11)) - width + MARGIN)
    figure = Picture(figsize=(left + width + right, bottom + height + top))

    def place(x, y, w, h):
        total = figure.get_size_inches()
        return figure.add_axes(PictureAxes(figure, (x / total[0], y / total[1], w / total[0], h / total[1])))

    return place(left, bottom, width, height), place(left + width + 2 * GAP, bottom, BAR, height) if colorbar else None, title


def _draw_labels(ax, labels, families, shape, colour):
    """Puts the tokens on the axes, sources above and targets beside the map, and a thin grid around its cells."""
    rows, columns = shape
    box = ax.get_window_extent()
    cell_width, cell_height = (box.width / columns / ax.figure.dpi, box.height / rows / ax.figure.dpi)
    size = layout.font_size(min(cell_width, cell_height))
    slant = layout.label_slant(layout.text_widths(labels[:columns], families, size), cell_width)
    text = {"family": families, "fontsize": size, "color": colour["ink"], "parse_math": False, "usetex": False}
    turned = {"rotation": math.degrees(slant), "rotation_mode": "anchor", "ha": "left" if slant else "center"}
    step = layout.label_step(cell_width, size, slant)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xticks(range(0, columns, step), labels[:columns:step], **text, **turned)
    step = layout.label_step(cell_height, size)
    ax.set_yticks(range(0, rows, step), labels[columns::step], **text)
    ax.set_xlabel("source", color=colour["ink"])
    ax.set_ylabel("target", color=colour["ink"])
    if min(cell_width, cell_height) >= 0.1:
        ax.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
        ax.grid(which="minor", color=colour["faint"], linewidth=0.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def check_alignment(weights, source_tokens, target_tokens):
    """Returns the weights as a float array `(T, S)`, or raises where they are not weights of these tokens."""
    check_tokens(source_tokens=source_tokens, target_tokens=target_tokens)
    weights = np.asarray(weights).astype("float64")
    shape = (len(target_tokens), len(source_tokens))
    if weights.shape != shape:
        hint = "Transpose them. " if weights.shape == shape[::-1] else ""
        raise ValueError(f"weights must be of shape (target tokens, source tokens) = {shape}. {hint}Received: weights of shape {weights.shape}")
    if 0 in shape:
        raise ValueError(f"An alignment needs a source token and a target token at least. Received: {shape[1]} source tokens, {shape[0]} target tokens")
    wrong = np.argwhere(~((weights >= 0) & (weights <= 1 + 1e-3)))
    if len(wrong):
        t, s = wrong[0]
        raise ValueError(f"weights must lie in 0 ... 1. Received: {weights[t, s]} at target {t} ({target_tokens[t]!r}), source {s} ({source_tokens[s]!r})")
    return weights


def check_gold(gold, rows, columns):
    """Returns the gold links in order, or raises where one is outside."""
    links = sorted(tuple(link) for link in gold or ())
    for link in links:
        if len(link) != 2 or not (0 <= link[0] < columns and 0 <= link[1] < rows):
            raise ValueError(f"gold links are pairs (source, target) below ({columns}, {rows}). Received: {link}")
    return links
