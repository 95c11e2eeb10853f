"""A text whose tokens stand on the colours of values: how Karpathy et al. show what a unit follows."""

import textwrap

import numpy as np
from matplotlib.collections import PolyCollection

from keras_richctx.viz import layout
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, is_right_to_left, visible
from keras_richctx.viz.layout import GAP, LARGEST, LINE, MARGIN
from keras_richctx.viz.scale import BAR, draw_scale, scale_width
from keras_richctx.viz.style import ink_on

WIDEST, SIZE, ROW = 9.0, 11, 0.27  # inches of a line of text, points of a letter, inches from line to line
SIGNS = {" ": "", "\n": "↵"}


def gate_text(arrays, scales, tokens, unit, title, colour):
    """Draws a text once for each array, its tokens on the colours of the values.

    Args:
        arrays: dict from names to arrays of shape `(T,)`, NaN where there is no value.
        scales: dict from the same names to `Scale`s.
        tokens: list of `T` strings.
        unit: integer, named beside the scale.
        title: string, or `None`.
        colour: dict, the page's `colours`.

    Returns:
        A `Picture`.

    Raises:
        ValueError: if the picture would be higher than 40 inches.
    """
    (heading, *labels), families = drawable([title or "", *(SIGNS.get(token) if token in SIGNS else visible(token) for token in tokens)])
    families = ["DejaVu Sans Mono", *families]  # comes with matplotlib; letters of one width keep the columns of a text
    padding = 0.02 if max(map(len, tokens)) == 1 else 0.08
    space, *widths = layout.text_widths(["n", *labels], families, SIZE)
    places, rows, width = _flow([max(w, space) + padding for w in widths], tokens)
    texts = textwrap.wrap(heading, int(max(width, 3.5) * 11)) if heading else []
    block = rows * ROW + GAP + LINE + 2 * GAP + BAR  # the text, and its scale below
    top = MARGIN + len(texts) * LINE
    height = top + len(arrays) * block + (len(arrays) - 1) * LINE + MARGIN
    if height > LARGEST:
        raise ValueError(
            f"A text of {len(tokens)} tokens needs a picture of more than {LARGEST:.0f} inches. Received: {len(tokens)} tokens. Pass a part of them"
        )
    named = {name: f"{name.replace('_', ' ')} of unit {unit}" for name in arrays}
    figure = Picture(figsize=(MARGIN + max(width, *map(scale_width, named.values()), *layout.text_widths(texts or [""], families[1:], 11)) + MARGIN, height))
    ax = figure.add_axes(PictureAxes(figure, (0, 0, 1, 1)))
    ax.set(xlim=(0, figure.get_figwidth()), ylim=(height, 0))
    ax.axis("off")
    if texts:
        ax.text(MARGIN, MARGIN, "\n".join(texts), va="top", fontsize=11, family=families[1:], parse_math=False, usetex=False)
    for k, (name, values) in enumerate(arrays.items()):
        below = top + k * (block + LINE)
        boxes = np.array([(MARGIN + x, below + row * ROW, w, ROW - 0.03) for x, row, w in places])
        _draw_tokens(ax, boxes, values, scales[name], labels, families, colour)
        draw_scale(figure, (MARGIN, height - below - block + LINE), scales[name], named[name])
    return figure


def _flow(widths, tokens):
    """Places tokens on lines; returns `(x, row, width)` of each, the number of rows and the width of the longest, all in inches."""
    places, x, row = [], 0.0, 0
    for width, before in zip(widths, ["", *tokens]):
        if x and (x + width > WIDEST or before.endswith("\n")):
            x, row = 0.0, row + 1
        places.append((x, row, width))
        x += width
    longest = max(x + width for x, _, width in places)
    if is_right_to_left(tokens):
        places = [(longest - x - width, row, width) for x, row, width in places]
    return places, row + 1, longest


def _draw_tokens(ax, boxes, values, scale, labels, families, colour):
    """Draws each token in the middle of its box, dark on a light colour and light on a dark one."""
    x, y, width, height = boxes.T
    corners = np.stack([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], axis=0).transpose(2, 0, 1)  # (T, 4, 2)
    mappable = scale.mappable()
    fills = mappable.to_rgba(np.ma.masked_invalid(values))
    known = np.isfinite(values)
    ax.add_collection(PolyCollection(corners[known], facecolors=fills[known], edgecolors="none"), autolim=False)
    text = {"ha": "center", "va": "center_baseline", "fontsize": SIZE, "family": families, "parse_math": False, "usetex": False}
    for box, label, fill, has_value in zip(boxes, labels, fills, known):
        if label:
            ax.text(box[0] + box[2] / 2, box[1] + box[3] / 2, label, color=ink_on(fill) if has_value else colour["ink"], **text)
