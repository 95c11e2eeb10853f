"""All heads of all layers in one picture: a row of small maps for each layer, on one scale."""

import matplotlib
import numpy as np
from matplotlib.patches import Rectangle

from keras_richctx.viz import layout
from keras_richctx.viz.alignment import GOLD
from keras_richctx.viz.attention_layers import attention_layers, check_weights
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.layout import GAP, LINE, MARGIN
from keras_richctx.viz.scale import BAR, Scale, draw_scale, scale_width
from keras_richctx.viz.style import colours, is_dark, style

WIDEST, SMALLEST, LARGEST = 11.0, 0.55, 1.7  # inches: of a row of maps, and of the side of one
SHARE = 0.9  # of the distance between two maps, how much a map takes


def head_grid(weights, marked=None, title=None, dark=None):
    """Draws the attention of all heads of a model for one example: a row of maps for each layer, from the first layer on top; in each map keys run on x and
    queries on y from top to bottom.

    The colours always span 0 ... 1, so that heads, layers and pictures can be compared. Maps are square, and without tokens, for which `heads` has room. Where
    a map has more positions than pixels, a pixel shows the largest weight that falls on it, so that a line never vanishes.

    Args:
        weights: dict from the names of layers to arrays of shape `(H, T, S)`, or `(1, H, T, S)`, such as `krc.attention_maps` gives for one example; or a list
            of them. Layers may differ in heads, queries and keys.
        marked: iterable of pairs `(layer, head)`, both counted from 1, whose maps are outlined; or `None`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no layer, there are several examples, a weight is not in 0 ... 1, or a marked head is outside.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> layers = {f"block_{k}": krc.ops.masked_softmax(3 * rng.normal(size=(4, 7, 7))) for k in range(2)}
        >>> picture = head_grid(layers, title="Untrained")
        >>> picture.savefig("grid.png")  # doctest: +SKIP

    References:
        [Vig, 2019](https://arxiv.org/abs/1906.05714), figure 3, the model view.
    """
    layers = {name: check_weights(values)[0][0] for name, values in attention_layers(weights, one=True).items()}
    marked = _check_marked(marked, list(layers.values()))
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    (title, *names), families = drawable([title or "", *map(visible, layers)])
    most = max(len(values) for values in layers.values())
    side = min(max(WIDEST / most, SMALLEST), LARGEST)
    left = MARGIN + LINE + max(layout.text_widths(names, families, 10)) + GAP
    bottom, top = MARGIN + LINE + BAR + 2 * GAP, MARGIN + 2 * LINE + (1.3 * LINE if title else 0.0)
    width = max(left + most * side + MARGIN, left + scale_width("weight") + MARGIN, 2 * MARGIN + layout.text_widths([title], families, 11)[0])
    height = top + len(layers) * side + bottom
    with style(dark):
        figure = Picture(figsize=(width, height))
        place = (left / width, bottom / height, most * side / width, len(layers) * side / height)
        ax = figure.add_axes(PictureAxes(figure, place))
        for row, values in enumerate(layers.values()):
            for head, of_head in enumerate(values):
                shown = largest_of_blocks(of_head, int(side * SHARE * layout.DOTS))
                _draw_map(ax, shown, row, head, colour, (row + 1, head + 1) in marked)
        _label(ax, names, families, most)
        draw_scale(figure, (left, MARGIN + LINE), Scale(0.0, 1.0, colour["map"]), "weight")
        if title:
            text = {"va": "top", "fontsize": 11, "family": families, "parse_math": False, "usetex": False}
            figure.text(MARGIN / width, 1 - MARGIN / height, title, **text)
    return figure


def largest_of_blocks(values, most):
    """Shrinks a map to at most so many rows and columns; each entry is the largest of those that it stands for.

    Args:
        values: array of shape `(T, S)`.
        most: integer.

    Returns:
        An array of shape `(T', S')`.
    """
    for axis in (0, 1):
        length = values.shape[axis]
        if length > most:
            starts = np.arange(most) * length // most  # each block begins where the one before ends
            values = np.maximum.reduceat(values, starts, axis=axis)
    return values


def _draw_map(ax, values, row, head, colour, is_marked):
    """Draws one map into the square at its row and column."""
    extent = (head, head + SHARE, row + SHARE, row)
    ax.imshow(values, cmap=colour["map"], vmin=0, vmax=1, extent=extent, aspect="auto", interpolation="nearest")
    edge = {"edgecolor": GOLD, "linewidth": 2.0} if is_marked else {"edgecolor": colour["faint"], "linewidth": 0.6}
    ax.add_patch(Rectangle((head, row), SHARE, SHARE, fill=False, **edge))


def _label(ax, names, families, most):
    """Puts the layers beside the maps and the heads above them."""
    text = {"fontsize": 10, "parse_math": False, "usetex": False}
    ax.set(xlim=(-0.03, most), ylim=(len(names), -0.03), xlabel="head", ylabel="layer")
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xticks(np.arange(most) + SHARE / 2, range(1, most + 1), **text)
    ax.set_yticks(np.arange(len(names)) + SHARE / 2, names, family=families, **text)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _check_marked(marked, layers):
    """Returns the marked heads as a set, or raises where one is outside."""
    marked = {tuple(map(int, pair)) for pair in marked or ()}
    for pair in sorted(marked):
        if len(pair) != 2 or not (1 <= pair[0] <= len(layers) and 1 <= pair[1] <= len(layers[pair[0] - 1])):
            raise ValueError(f"marked heads are pairs (layer, head), counted from 1, of {len(layers)} layers. Received: {pair}")
    return marked
