"""Encodings of positions, and how alike they are."""

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.style import colours, is_dark, style


def position_products(encodings, cosine=False):
    r"""Computes the dot product of each two positions, $p_s^\top p_t$: what a head sees of them before it has learnt anything.

    Args:
        encodings: array of shape `(T, D)`.
        cosine: bool, whether vectors are divided by their length first. Defaults to `False`.

    Returns:
        A float64 array of shape `(T, T)`; with `cosine`, a vector of zeros has the product 0 with all.

    Example:
        >>> position_products([[1.0, 0.0], [3.0, 4.0]], cosine=True).round(3).tolist()
        [[1.0, 0.6], [0.6, 1.0]]
    """
    p = _check(encodings)
    if cosine:
        lengths = np.linalg.norm(p, axis=1, keepdims=True)
        p = p / np.where(lengths > 0, lengths, 1.0)
    return p @ p.T


def position_encodings(encodings, cosine=False, title=None, dark=None):
    """Draws the vectors of positions: what they hold, how alike each two are, and how likeness falls with the distance.

    On the left a row for each position, from the first on top; in the middle the dot products; on the right their mean at each distance, with a band from the
    smallest to the largest: a line where only the distance counts, as it is for sinusoids.

    Args:
        encodings: array of shape `(T, D)`, such as `krc.layers.LearnedPositions` holds or sinusoids are.
        cosine: bool, whether vectors are divided by their length before they are compared. Defaults to `False`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if the encodings are of another rank, empty, or not finite.

    Example:
        >>> picture = position_encodings(np.cos(np.arange(20)[:, None] / 10 ** np.linspace(0, 3, 16)))
        >>> picture.savefig("positions.png")  # doctest: +SKIP

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5; [Wang and Chen, 2020](https://arxiv.org/abs/2010.04903), for learnt ones.
    """
    encodings = _check(encodings)
    products = position_products(encodings, cosine)
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    name = "cosine" if cosine else "dot product"
    with style(dark):
        figure = Picture(figsize=(11.0, 3.7), layout="constrained")
        values_ax, products_ax, distance_ax = (figure.add_subplot(1, 3, place, axes_class=PictureAxes) for place in (1, 2, 3))
        panels = ((values_ax, encodings, "value", "feature", "The encodings"), (products_ax, products, name, "position", "How alike they are"))
        for ax, values, label, x, heading in panels:
            largest = float(np.abs(values).max()) or 1.0
            image = ax.imshow(values, cmap=colour["diverging"], vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
            ax.set(xlabel=x, ylabel="position", title=heading)
            ax.spines[:].set_visible(False)
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
            ax.yaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
            figure.colorbar(image, ax=ax, label=label, location="bottom", fraction=0.06).outline.set_visible(False)
        mean, low, high = by_distance(products)
        distances = np.arange(len(mean))
        distance_ax.plot(distances, mean, marker="o" if len(mean) == 1 else None, label="mean")
        distance_ax.fill_between(distances, low, high, alpha=0.25, lw=0, label="smallest to largest")
        distance_ax.axhline(0, color=colour["faint"], lw=0.8, zorder=0)
        distance_ax.set(xlabel="distance", ylabel=name, title="By distance")
        distance_ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
        distance_ax.legend(fontsize=9)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, parse_math=False, usetex=False)
    return figure


def by_distance(products):
    """Gathers the products of positions by their distance.

    Args:
        products: array of shape `(T, T)`, symmetric.

    Returns:
        Three arrays of shape `(T,)`: the mean, the smallest and the largest product at each distance from 0.
    """
    diagonals = [np.diagonal(products, distance) for distance in range(len(products))]
    return tuple(np.array([of(diagonal) for diagonal in diagonals]) for of in (np.mean, np.min, np.max))


def _check(encodings):
    """Returns the encodings as float64 `(T, D)`, or raises where they are none."""
    encodings = np.asarray(encodings).astype("float64")
    if encodings.ndim != 2 or not encodings.size:
        hint = "Take one row of the batch, encodings[0]. " if encodings.ndim == 3 else ""
        raise ValueError(f"encodings are of shape (positions, width). {hint}Received: encodings of shape {encodings.shape}")
    wrong = np.argwhere(~np.isfinite(encodings))
    if len(wrong):
        position, feature = wrong[0]
        raise ValueError(f"encodings must be finite. Received: {encodings[position, feature]} at position {position}, feature {feature}")
    return encodings
