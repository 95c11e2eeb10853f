"""Where a model looked at an image, glimpse by glimpse."""

import numpy as np
from matplotlib import patheffects
from matplotlib.patches import Rectangle

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.image_axes import check_image, page_is_dark, show_image
from keras_richctx.viz.style import colours, style


def glimpses(image, centres, size, scales=1, ax=None, title=None, dark=None):
    """Draws an image with the squares that were looked at, numbered in their order, and the way from each to the next.

    Squares of coarser scales, each twice as wide as the one before, are dotted.

    Args:
        image: array of shape `(H, W)`, `(H, W, 1)` or `(H, W, 3)`, from 0 to 1.
        centres: array of shape `(T, 2)`, row and column from -1, the upper and left edge, to 1, as `GlimpseClassifier.trace` gives them.
        size: integer, the rows and columns of the finest patch, in pixels.
        scales: integer, how many patches a glimpse has. Defaults to `1`.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        ValueError: if the image or the centres are of another shape, or not finite, the image is not from 0 to 1, or a number is not positive.

    Example:
        >>> axes = glimpses(np.eye(28), [[0.0, 0.0], [-0.4, 0.3]], size=8, title="Two looks")
        >>> axes.figure.savefig("glimpses.png")  # doctest: +SKIP

    References:
        [Mnih et al., 2014](https://arxiv.org/abs/1406.6247), figure 3.
    """
    image = check_image(image)
    centres = np.asarray(centres).astype("float64")
    if centres.ndim != 2 or centres.shape[1] != 2 or not np.isfinite(centres).all():
        raise ValueError(f"centres must be finite and of shape (glimpses, 2). Received: centres of shape {centres.shape}")
    if not 0 < size < float("inf") or not isinstance(scales, int | np.integer) or scales < 1:
        raise ValueError(f"A patch has a positive size, and a glimpse one patch or more. Received: {size=}, {scales=}")
    dark = page_is_dark(dark, ax)
    colour = colours(dark)
    with style(dark):
        if ax is None:
            figure = Picture(figsize=(3.2, 3.4 if title else 3.2), layout="constrained")
            ax = figure.add_subplot(axes_class=PictureAxes)
        show_image(ax, image, dark)
        places = (centres + 1) / 2 * np.array(image.shape[:2]) - 0.5  # (T, 2), pixels from 0
        outline = [patheffects.withStroke(linewidth=2.5, foreground=colour["page"])]
        line = "C1"
        ax.plot(places[:, 1], places[:, 0], color=line, lw=1.2, alpha=0.9, path_effects=outline)
        for number, (row, column) in enumerate(places, start=1):
            for scale in range(scales):
                side = size * 2**scale
                look = {"lw": 1.6, "ls": "-"} if scale == 0 else {"lw": 0.8, "ls": ":"}
                ax.add_patch(Rectangle((column - side / 2, row - side / 2), side, side, fill=False, edgecolor=line, **look))
            ax.text(column, row, str(number), ha="center", va="center", color=line, fontsize=9, weight="bold", path_effects=outline)
        ax.set_xlim(-0.5, image.shape[1] - 0.5)
        ax.set_ylim(image.shape[0] - 0.5, -0.5)
        if title:
            ax.set_title(title, loc="left", color=colour["ink"], parse_math=False, usetex=False)
    return ax
