"""A caption on its picture: for each word the picture again, as far as it was looked at."""

import math
import textwrap

import matplotlib
import numpy as np
from matplotlib.colors import to_rgb

from keras_richctx.viz import layout
from keras_richctx.viz.alignment import GOLD
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, visible
from keras_richctx.viz.layout import GAP, LINE, MARGIN
from keras_richctx.viz.style import colours, is_dark, style

SIDE = 1.35  # inches of the longer side of a small picture
WIDEST = 10.0  # inches of a row of them
VEIL = 0.88  # how much of a cell that was not looked at is hidden


def caption_maps(image, words, weights, gold=None, columns=None, title=None, dark=None):
    """Draws where in a picture a captioner looked for each word: the picture alone, then once for each word, under a veil that is thinnest where it looked.

    A cell shows through as its weight goes, from 0 to the largest weight of all maps, which is written below: so the maps of a caption can be compared.

    Args:
        image: array of shape `(H, W, 3)`, of values from 0 to 255.
        words: list of `T` strings.
        weights: array of shape `(T, h, w)`, from 0 to 1, the attention to each cell of a grid over the picture.
        gold: boolean array of shape `(T, h, w)`, cells that are outlined, or `None`. Defaults to `None`.
        columns: integer, how many pictures a row has. Defaults to as many as there is room for.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        TypeError: if `words` is not a list of strings.
        ValueError: if the image, the weights or `gold` have another shape, the values of the image are not from 0 to 255, or seem to go from 0 to 1, a weight
            is not in 0 ... 1, or `columns` is not positive.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> scene = krc.datasets.scenes(1, seed=18)
        >>> regions = scene.regions(0)
        >>> picture = caption_maps(scene.images[0], scene.captions[0][0].split(), regions / np.maximum(regions.sum(axis=(1, 2), keepdims=True), 1))
        >>> picture.savefig("caption.png")  # doctest: +SKIP

    References:
        [Xu et al., 2015](https://arxiv.org/abs/1502.03044), figures 3 to 5.
    """
    image, weights, gold = _check(image, words, weights, gold)
    if columns is not None and (not isinstance(columns, int | np.integer) or columns < 1):
        raise ValueError(f"A row has one picture or more. Received: columns={columns!r}")
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    (heading, *labels), families = drawable([title or "", *map(visible, words)])
    height, width = (SIDE * side / max(image.shape[:2]) for side in image.shape[:2])
    step = max(width, max(layout.text_widths([*labels, ""], families, 10))) + 2 * GAP
    count = len(words) + 1
    per_row = min(count, max(1, int(WIDEST / step)) if columns is None else columns)
    rows = math.ceil(count / per_row)
    largest = float(weights.max(initial=0.0))
    note = f"clear: a weight of {largest:.2f};  under the veil: 0" + ("" if gold is None else ";  outlined: gold")
    across = 2 * MARGIN + max(per_row * step, *layout.text_widths([note, ""], families, 9))
    lines = [piece for line in heading.split("\n") for piece in textwrap.wrap(line, int((across - 2 * MARGIN) * 11))]
    across = max(across, *(2 * MARGIN + line for line in layout.text_widths([*lines, ""], families, 11)))
    top = MARGIN + len(lines) * (LINE + 0.02)
    down = top + rows * (LINE + height + GAP) + LINE + MARGIN
    with style(dark):
        figure = Picture(figsize=(across, down))
        text = {"family": families, "parse_math": False, "usetex": False, "color": colour["ink"]}
        if lines:
            figure.text(MARGIN / across, 1 - MARGIN / down, "\n".join(lines), va="top", fontsize=11, **text)
        figure.text(MARGIN / across, MARGIN / down, note, va="bottom", fontsize=9, **text)
        for place in range(count):
            row, column = divmod(place, per_row)
            x, y = MARGIN + column * step, down - top - (row + 1) * (LINE + height) - row * GAP
            ax = figure.add_axes(PictureAxes(figure, (x / across, y / down, width / across, height / down)))
            ax.imshow(image, extent=(0, 1, 1, 0), aspect="auto")
            ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(1, 0))
            ax.spines[:].set_visible(False)
            if place:
                ax.set_title(labels[place - 1], loc="left", fontsize=10, pad=3, **text)
                _draw_veil(ax, weights[place - 1] / (largest or 1.0), colour["page"])
                if gold is not None:
                    _outline(ax, gold[place - 1])
    return figure


def _draw_veil(ax, shares, page):
    """Hides each cell behind the colour of the page, the more the less of 1 its share is."""
    veil = np.empty((*shares.shape, 4))  # (h, w, RGBA)
    veil[..., :3], veil[..., 3] = to_rgb(page), VEIL * (1 - shares)
    ax.imshow(veil, extent=(0, 1, 1, 0), aspect="auto", interpolation="nearest")


def _outline(ax, cells):
    """Draws the border between the cells that are true, and the others."""
    rows, columns = cells.shape
    padded = np.pad(cells, 1)
    for i, j in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]):
        ax.plot([j / columns] * 2, [i / rows, (i + 1) / rows], color=GOLD, linewidth=1.6, clip_on=False)
    for i, j in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]):
        ax.plot([j / columns, (j + 1) / columns], [i / rows] * 2, color=GOLD, linewidth=1.6, clip_on=False)


def _check(image, words, weights, gold):
    """Returns the image as uint8, the weights as floats and the gold cells, or raises where they do not fit each other."""
    check_tokens(words=words)
    image, weights = np.asarray(image), np.asarray(weights).astype("float64")
    if image.ndim != 3 or image.shape[-1] != 3 or 0 in image.shape:
        raise ValueError(f"A picture has the shape (height, width, 3). Received: an image of shape {image.shape}")
    low, high = float(image.min()), float(image.max())  # NaN where there is one
    if not -1e-3 <= low <= high <= 255 + 1e-3 or (image.dtype.kind == "f" and 0 < high <= 1) or image.dtype.kind == "b":
        raise ValueError(f"The values of a picture go from 0 to 255; multiply those from 0 to 1 by it. Received: an image from {low:.3g} to {high:.3g}")
    if weights.ndim != 3 or len(weights) != len(words) or not weights.size:
        raise ValueError(f"There is a map (h, w) for each of the {len(words)} words, one at least. Received: weights of shape {weights.shape}")
    if not ((weights >= 0) & (weights <= 1 + 1e-3)).all():
        raise ValueError(f"weights must lie in 0 ... 1. Received: weights from {weights.min()} to {weights.max()}")
    gold = None if gold is None else np.asarray(gold, bool)
    if gold is not None and gold.shape != weights.shape:
        raise ValueError(f"The gold cells are on the grid of the weights, {weights.shape}. Received: gold of shape {gold.shape}")
    return image.clip(0, 255).astype("uint8"), weights, gold
