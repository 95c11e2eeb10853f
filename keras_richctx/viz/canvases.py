"""Images on their way from an empty canvas to the last step."""

import numpy as np
from matplotlib.patches import Rectangle

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.image_axes import check_image, page_is_dark, show_image
from keras_richctx.viz.style import colours, style

CELL = 0.8  # inches


def canvases(steps, windows=None, size=5, title=None, dark=None):
    """Draws canvases over the steps of their making: a row for each image, a column for each step.

    Args:
        steps: array of shape `(T, H, W)` or `(T, H, W, C)` with one or three channels, or one with an axis of images before it, from 0 to 1: what
            `DRAW.canvas` gives.
        windows: array of shape `(T, 4)`, or `(N, T, 4)` for N images, the windows that were written through, which are framed: row and column of the middle,
            in pixels, the stride of its points and their deviation, as `DRAW.trace` gives them; or `None`. Defaults to `None`.
        size: integer, the rows and columns of points in a window. Defaults to `5`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        The matplotlib figure, which a notebook shows.

    Raises:
        ValueError: if the canvases are of another shape, not finite or not from 0 to 1, or the windows are not theirs or not finite.

    Example:
        >>> figure = canvases(np.random.uniform(size=(2, 5, 28, 28, 1)), title="Noise, five times")
        >>> figure.savefig("canvases.png")  # doctest: +SKIP

    References:
        [Gregor et al., 2015](https://arxiv.org/abs/1502.04623), figure 7.
    """
    steps = np.asarray(steps)
    one = steps.ndim == 3 or (steps.ndim == 4 and steps.shape[-1] in (1, 3))
    steps = steps[None] if one else steps
    if steps.ndim not in (4, 5) or 0 in steps.shape:
        raise ValueError(f"steps must be of shape (images, steps, rows, columns, channels). Received: steps of shape {steps.shape}")
    if windows is not None:
        windows = np.asarray(windows)[None] if one else np.asarray(windows)
        if windows.shape != (*steps.shape[:2], 4):
            raise ValueError(f"There must be a window of four numbers for each canvas, {(*steps.shape[:2], 4)}. Received: windows of shape {windows.shape}")
        if not np.isfinite(windows).all():
            raise ValueError(f"windows must be finite. Received: {windows[~np.isfinite(windows)][0]}")
        if not isinstance(size, int | np.integer) or size < 1:
            raise ValueError(f"A window has one row of points or more. Received: {size=}")
    dark = page_is_dark(dark, None)
    colour = colours(dark)
    count, length = steps.shape[:2]
    with style(dark):
        figure = Picture(figsize=(CELL * length + 0.1, CELL * count + (0.6 if title else 0.35)), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
        for i in range(count):
            for t in range(length):
                ax = figure.add_subplot(count, length, i * length + t + 1, axes_class=PictureAxes)
                image = check_image(steps[i, t], "a canvas")
                show_image(ax, image, dark)
                if windows is not None:
                    _frame(ax, windows[i, t], size, image.shape)
                if i == 0:
                    ax.set_title(str(t + 1), loc="center", fontsize=9, color=colour["ink"])
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, color=colour["ink"], parse_math=False, usetex=False)
    return figure


def _frame(ax, window, size, shape):
    """Frames the part of an image that a window covers: its points, and a deviation around them."""
    row, column, stride, deviation = window
    half = stride * (size - 1) / 2 + deviation
    ax.add_patch(Rectangle((column - half, row - half), 2 * half, 2 * half, fill=False, edgecolor="C1", lw=1.2))
    ax.set_xlim(-0.5, shape[1] - 0.5)
    ax.set_ylim(shape[0] - 0.5, -0.5)
