"""The confusion picture: what is taken for what."""

import matplotlib
import numpy as np

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.style import colours, ink_on, is_dark

MOST = 20  # labels, up to which there is room for the counts


def confusion(counts, labels, ax=None, title=None, dark=None, colorbar=True):
    """Draws how often each label was predicted where each was due: a row for each gold label, a column for each predicted one.

    The colour of a cell is its share of its row, from 0 to 1, so that rare labels can be seen; the number in it is the count, where there are up to 20 labels
    and the count is not 0. The diagonal is what was right.

    Args:
        counts: integer array of shape `(K, K)`, as the second value of `krc.metrics.confusion`.
        labels: list of `K` strings, the first value.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.
        colorbar: bool, whether to draw the scale. Defaults to `True`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        TypeError: if the labels are not a list of strings.
        ValueError: if the counts are not of shape `(K, K)`, or one is negative or no number.

    Example:
        >>> labels, counts = krc.metrics.confusion([["NOUN", "VERB", "NOUN"]], [["NOUN", "NOUN", "VERB"]])
        >>> axes = confusion(counts, labels, title="Parts of speech")
        >>> axes.figure.savefig("confusion.png")  # doctest: +SKIP
    """
    check_tokens(labels=labels)
    counts = np.asarray(counts)
    if counts.shape != (len(labels), len(labels)):
        raise ValueError(f"counts must be of shape (labels, labels) = {(len(labels),) * 2}. Received: counts of shape {counts.shape}")
    if not (counts >= 0).all() or not np.isfinite(counts).all():
        raise ValueError(f"A count is a number of at least 0. Received: {counts[~(counts >= 0) | ~np.isfinite(counts)][0]}")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)  # (K, K)
    if dark is None:
        dark = is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())
    ax = alignment(shares, labels, labels, ax=ax, title=title, dark=dark, colorbar=colorbar)
    ax.set_xlabel("predicted")
    ax.set_ylabel("gold")
    if colorbar:
        ax.images[0].colorbar.set_label("share of the gold label")
    if len(labels) <= MOST:
        colour_map = matplotlib.colormaps[colours(dark)["map"]]
        for (row, column), count in np.ndenumerate(counts):
            if count:
                ax.text(column, row, f"{count:,}", ha="center", va="center", fontsize=8, color=ink_on(colour_map(shares[row, column])))
    return ax
