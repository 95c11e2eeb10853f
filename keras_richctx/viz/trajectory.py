"""The path of a hidden state through its space, seen from where it is widest."""

from itertools import cycle, pairwise

import matplotlib
import numpy as np
from matplotlib import patheffects
from matplotlib.colors import to_hex

from keras_richctx.viz import layout
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, visible
from keras_richctx.viz.style import colours, is_dark, style

STYLES = ("-", "--", "-.", ":")
SIZE = 10


def principal_directions(points):
    r"""Finds the two directions in which points spread most: the first two right singular vectors of the centred points.

    Args:
        points: array of shape `(N, U)`.

    Returns:
        A tuple: the centre, `(U,)`; the directions, `(2, U)`, of length 1, each with its largest entry positive (zero where there is no second
        direction); and the share of the variance along each, `(2,)`.
    """
    centre = points.mean(axis=0)
    _, singular, directions = np.linalg.svd(points - centre, full_matrices=False)
    directions, singular = np.concatenate([directions, np.zeros((2, points.shape[1]))])[:2], np.concatenate([singular, np.zeros(2)])
    largest = np.take_along_axis(directions, np.argmax(np.abs(directions), axis=1)[:, None], axis=1)  # (2, 1)
    signs = np.where(largest < 0, -1.0, 1.0)  # a singular vector is given up to its sign
    return centre, directions * signs, singular[:2] ** 2 / max(np.sum(singular**2), np.finfo("float64").tiny)


def trajectory(hidden, tokens, mask=None, ax=None, title=None, dark=None):
    """Draws the path of hidden states in the plane in which they spread most, the token that was read at each step beside it.

    The plane is that of the first two principal directions of all states drawn, so that several texts can be compared in one picture. Each axis says
    which share of the variance it shows: the rest cannot be seen. A ring marks the first step. Masked steps are left out.

    Args:
        hidden: array of shape `(T, U)`; or a list of such arrays, one for each text; or one of shape `(B, T, U)`.
        tokens: list of `T` strings, or a string of `T` characters; for several texts, a list of these.
        mask: boolean array of shape `(T,)`, for several texts `(B, T)`, `True` at real steps, or `None` for all. Defaults to `None`.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to
            `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        TypeError: if the tokens of a text are neither a string nor a list of strings.
        ValueError: if there is not one state for each token, or a state is not finite.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> layer = krc.layers.SimpleRNN(5, return_sequences=True)
        >>> axes = trajectory(layer(np.random.normal(size=(1, 4, 2)))[0], ["to", "be", "or", "not"])
        >>> axes.figure.savefig("trajectory.png")  # doctest: +SKIP

    References:
        [Elman, 1991](https://doi.org/10.1007/BF00114844), whose figures show the states of a network while it reads sentences.
    """
    paths, texts = _check(hidden, tokens, mask)
    centre, directions, shares = principal_directions(np.concatenate(paths))
    if dark is None:
        dark = is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())
    colour = colours(dark)
    (title, *labels), families = drawable([title or "", *("↵" if token == "\n" else visible(token) for text in texts for token in text)])
    with style(dark):
        if ax is None:
            figure = Picture(figsize=(7.0, 5.0), layout="constrained")
            ax = figure.add_subplot(axes_class=PictureAxes)
        ax.axhline(0, color=colour["faint"], lw=0.8, zorder=0)
        ax.axvline(0, color=colour["faint"], lw=0.8, zorder=0)
        places = [(path - centre) @ directions.T for path in paths]  # (T, 2) each
        line_colours = [to_hex(f"C{k % 5}") for k in range(len(places))]  # now: a name such as C0 would be looked up again when the picture is drawn
        for place, line_colour, line_style in zip(places, line_colours, cycle(STYLES)):
            _draw_path(ax, place, line_colour, line_style)
        ax.margins(0.09)
        ax.autoscale_view()
        ax.set_xlabel(f"first principal direction ({shares[0]:.0%} of the variance)", color=colour["ink"])
        ax.set_ylabel(f"second ({shares[1]:.0%})", color=colour["ink"])
        if title:
            ax.set_title(title, loc="left", color=colour["ink"], family=families, parse_math=False, usetex=False)
        label_colours = [line_colour for place, line_colour in zip(places, line_colours) for _ in place]
        draw_point_labels(ax, np.concatenate(places), labels, label_colours, families, colour["page"])
    return ax


def _draw_path(ax, places, line_colour, line_style):
    """Draws one path, `(T, 2)`, an arrow in the middle of each step."""
    ax.plot(*places.T, color=line_colour, ls=line_style, lw=1.2, alpha=0.75, zorder=1)
    ax.scatter(*places.T, s=14, color=line_colour, zorder=2)
    ax.scatter(*places[:1].T, s=80, facecolors="none", edgecolors=line_colour, linewidths=1.4, zorder=2)
    for start, end in pairwise(places):
        middle = start + 0.55 * (end - start)
        look = {"arrowstyle": "-|>", "color": line_colour, "lw": 0, "mutation_scale": 14, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", middle, start + 0.5 * (end - start), arrowprops=look, zorder=1)


def draw_point_labels(ax, places, labels, label_colours, families, page):
    """Writes each label beside its point, on the side where it covers least of what is there already."""
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()  # the layout decides where points lie
    dots = figure.dpi
    points = ax.transData.transform(places)  # (N, 2)
    widths = np.array(layout.text_widths(labels, families, SIZE)) * dots
    height = SIZE / 72 * dots * 1.1
    taken = [(x - 2, y - 2, x + 2, y + 2) for x, y in points]
    frame = ax.get_window_extent()
    outline = [patheffects.withStroke(linewidth=2.2, foreground=page)]
    for (x, y), width, label, label_colour in zip(points, widths, labels, label_colours):
        box, offset = min((_box(x, y, width, height, side) for side in _SIDES), key=lambda pair: _cost(pair[0], taken, frame))
        taken.append(box)
        text = {"family": families, "fontsize": SIZE, "color": label_colour, "parse_math": False, "usetex": False, "path_effects": outline, "zorder": 3}
        away = np.array(offset) * 72 / dots
        ax.annotate(label, ax.transData.inverted().transform((x, y)), away, textcoords="offset points", ha="center", va="center", **text)


_SIDES = [(np.cos(angle), np.sin(angle)) for angle in np.pi / 4 * np.array([1, 3, 7, 5, 2, 6, 0, 4])]


def _box(x, y, width, height, side):
    """Returns the box of a label on one side of a point, and the offset of its middle from the point, in pixels."""
    dx, dy = side[0] * (width / 2 + 5), side[1] * (height / 2 + 5)
    return (x + dx - width / 2, y + dy - height / 2, x + dx + width / 2, y + dy + height / 2), (dx, dy)


def _cost(box, taken, frame):
    """Returns how much area of other labels and points a box covers, and how much of it lies outside the axes, which counts more."""
    covered = sum(max(0, min(box[2], other[2]) - max(box[0], other[0])) * max(0, min(box[3], other[3]) - max(box[1], other[1])) for other in taken)
    inside = max(0, min(box[2], frame.x1) - max(box[0], frame.x0)) * max(0, min(box[3], frame.y1) - max(box[1], frame.y0))
    return covered + 3 * ((box[2] - box[0]) * (box[3] - box[1]) - inside)


def _check(hidden, tokens, mask):
    """Returns the real states, `(T, U)`, and the tokens of each text, or raises where the two do not belong together."""
    several = np.ndim(hidden[0]) == 2
    hidden, tokens, masks = (hidden, tokens, mask) if several else ([hidden], [tokens], None if mask is None else [mask])
    if len(hidden) != len(tokens):
        raise ValueError(f"There must be one list of tokens for each text. Received: states of {len(hidden)} texts, tokens of {len(tokens)}")
    paths, texts = [], []
    for k, (states, text) in enumerate(zip(hidden, tokens)):
        text = list(text) if isinstance(text, str) else text
        check_tokens(tokens=text)
        states = np.asarray(states).astype("float64")
        if states.ndim != 2 or len(states) != len(text) or not len(text):
            raise ValueError(f"hidden must be of shape (tokens, units), with {len(text)} tokens. Received: hidden of shape {states.shape}")
        real = np.ones(len(text), bool) if masks is None else np.asarray(masks[k]).astype(bool)
        states = states[real]
        if not np.isfinite(states).all():
            raise ValueError(f"hidden must be finite. Received: {states[~np.isfinite(states)][0]} in text {k}")
        paths.append(states)
        texts.append([token for token, is_real in zip(text, real) if is_real])
    return paths, texts
