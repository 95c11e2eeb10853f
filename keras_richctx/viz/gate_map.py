"""A heat map of units over tokens, a panel for each array, that goes on below where a line is full."""

import math
import textwrap

import numpy as np

from keras_richctx.viz import layout
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import BASE_FAMILY, drawable, visible
from keras_richctx.viz.layout import GAP, LARGEST, LINE, MARGIN
from keras_richctx.viz.scale import BAR, draw_scale, scale_width

WIDEST = 12.0  # inches of a line of tokens
HIGH = 0.8  # inches of a panel that has room for its name along its side


def gate_map(arrays, scales, tokens, units, title, colour):
    """Draws arrays over tokens, below one another.

    Args:
        arrays: dict from names to arrays of shape `(T, units)`, NaN where there is no value.
        scales: dict from the same names to `Scale`s.
        tokens: list of `T` strings.
        units: list of integers, the numbers of the rows.
        title: string, or `None`.
        colour: dict, the page's `colours`.

    Returns:
        A `Picture`.

    Raises:
        ValueError: if the picture would be higher than 40 inches.
    """
    (heading, *labels), families = drawable([title or "", *("↵" if token == "\n" else visible(token) for token in tokens)])
    column = layout.cell_size(1, len(tokens)) if len(tokens) * 0.22 <= WIDEST else 0.22
    row = min(0.3, max(0.06, 4.0 / len(units)))
    panel = len(units) * row
    a_line = min(len(tokens), int(WIDEST / column + 1e-6))
    lines = [slice(start, start + a_line) for start in range(0, len(tokens), a_line)]
    widths = layout.text_widths(labels, families, layout.font_size(column))
    slant = layout.label_slant(widths, column)
    above = max(widths) * math.sin(slant) + LINE
    beside = 2 * GAP + (1.6 * LINE if panel >= HIGH else max(layout.text_widths([_name(name) for name in arrays], [BASE_FAMILY], 9)) + (len(units) > 1) * LINE)
    shared = _by_scale(scales, f" of unit {units[0]}" if len(units) == 1 else "")
    reach = max(len(labels[part]) * column + layout.overhang(widths[part], column, slant) for part in lines)
    width = MARGIN + beside + max(reach, *map(scale_width, shared.values())) + MARGIN
    texts = textwrap.wrap(heading, int((width - 2 * MARGIN) * 11)) if heading else []
    height = MARGIN + len(texts) * LINE + GAP + len(lines) * (above + len(arrays) * (panel + GAP) + LINE) + len(shared) * 2 * LINE + MARGIN
    if height > LARGEST:
        raise ValueError(
            f"{len(arrays)} arrays of {len(units)} units over {len(tokens)} tokens need a picture of more than {LARGEST:.0f} inches. "
            f"Received: units={units}. Pass fewer units, or a part of the tokens"
        )
    figure = Picture(figsize=(width, height))
    if texts:
        figure.text(MARGIN / width, 1 - MARGIN / height, "\n".join(texts), va="top", fontsize=11, family=families, parse_math=False, usetex=False)
    y = height - MARGIN - len(texts) * LINE - GAP
    for part in lines:
        y -= above
        for k, (name, values) in enumerate(arrays.items()):
            y -= panel
            ax = figure.add_axes(PictureAxes(figure, ((MARGIN + beside) / width, y / height, len(labels[part]) * column / width, panel / height)))
            ax.imshow(values[part].T, cmap=scales[name].colour_map, vmin=scales[name].low, vmax=scales[name].high, aspect="auto", interpolation="nearest")
            _label_tokens(ax, labels[part] if k == 0 else [], column, slant, families)
            _label_units(ax, units, row, _name(name))
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            if row >= 0.1:
                _draw_grid(ax, len(labels[part]), len(units), colour["faint"])
            y -= GAP
        y -= LINE
    for k, (scale, label) in enumerate(shared.items()):
        draw_scale(figure, (MARGIN + beside, y - k * 2 * LINE - BAR), scale, label)
    return figure


def _name(name):
    return name.replace("_", " ")


def _by_scale(scales, of_unit):
    """Returns the different scales, each with a label that names the arrays that share it."""
    shared = {}
    for name, scale in scales.items():
        shared.setdefault(scale, []).append(_name(name))
    return {scale: ", ".join(names) + of_unit for scale, names in shared.items()}


def _label_tokens(ax, labels, column, slant, families):
    """Puts tokens above a panel."""
    size = layout.font_size(column)
    step = layout.label_step(column, size, slant)
    turned = {"rotation": math.degrees(slant), "rotation_mode": "anchor", "ha": "left" if slant else "center"}
    ax.xaxis.tick_top()
    ax.set_xticks(range(0, len(labels), step), labels[::step], family=families, fontsize=size, parse_math=False, usetex=False, **turned)


def _label_units(ax, units, row, name):
    """Puts the numbers of the units beside a panel, and its name: along its side where that is long enough."""
    step = layout.label_step(row, 8)
    if len(units) == 1:
        ax.set_yticks([0], [name], fontsize=9)
        return
    ax.set_yticks(range(0, len(units), step), units[::step], fontsize=8)
    if len(units) * row >= HIGH:
        ax.set_ylabel(name, fontsize=9)
    else:
        ax.set_ylabel(name, fontsize=9, rotation=0, ha="right", va="center")


def _draw_grid(ax, columns, rows, colour):
    """Draws a thin grid around the cells."""
    ax.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=colour, linewidth=0.4)
    ax.tick_params(which="minor", length=0)
