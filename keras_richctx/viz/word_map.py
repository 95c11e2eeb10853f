"""Words as points of a plane: which lie together, and which steps are alike."""

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import check_tokens, drawable, visible
from keras_richctx.viz.style import colours, is_dark, style
from keras_richctx.viz.trajectory import draw_point_labels, principal_directions

METHODS = ("pca", "tsne")


def word_map(vectors, words, method="pca", groups=None, links=(), seed=0, ax=None, title=None, dark=None):
    """Draws the vectors of words in a plane, each word beside its point.

    `"pca"` looks at them from where they spread most: steps and distances that lie in that plane are true, and each axis says how much of the variance it
    shows. `"tsne"` bends space so that neighbours stay neighbours: who is beside whom can be read, distances and directions cannot.

    Args:
        vectors: array of shape `(N, D)`.
        words: list of N strings.
        method: string, `"pca"` or `"tsne"`. Defaults to `"pca"`.
        groups: list of N integers, which words have one colour and one marker, or `None` for all. Defaults to `None`.
        links: iterable of pairs of words to draw arrows between, from the first to the second, such as those of an analogy. Defaults to `()`.
        seed: integer, of t-SNE. Defaults to `0`.
        ax: matplotlib axes to draw into, or `None` for a figure of their own, of which pyplot knows nothing and which a notebook shows. Defaults to
            `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow `ax`, or matplotlib's current figure colour without one. Defaults to `None`.

    Returns:
        The matplotlib axes; their figure is `axes.figure`.

    Raises:
        TypeError: if the words are not a list of strings.
        ValueError: if there is not one finite vector, and one group, for each word, the method is unknown, t-SNE has nothing to tell apart, or a link is of a
            word that is not drawn.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> axes = word_map(np.random.normal(size=(3, 5)), ["cat", "dog", "car"], groups=[0, 0, 1], links=[("cat", "dog")])
        >>> axes.figure.savefig("words.png")  # doctest: +SKIP

    References:
        [van der Maaten and Hinton, 2008](https://jmlr.org/papers/v9/vandermaaten08a.html).
    """
    vectors, groups = _check(vectors, words, method, groups)
    places, names = _plane(vectors, method, seed)
    if dark is None:
        dark = is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())
    colour = colours(dark)
    (title, *labels), families = drawable([title or "", *map(visible, words)])
    with style(dark):
        if ax is None:
            ax = Picture(figsize=(7.0, 5.0), layout="constrained").add_subplot(axes_class=PictureAxes)
        kinds = {group: k for k, group in enumerate(dict.fromkeys(groups))}
        point_colours = [to_hex(f"C{kinds[group] % 5}") for group in groups]  # now: a name such as C0 would be looked up again when the picture is drawn
        for group, k in kinds.items():
            inside = [i for i, other in enumerate(groups) if other == group]
            ax.scatter(*places[inside].T, s=22, marker="os^Dv"[k % 5], color=point_colours[inside[0]], zorder=2)
        for start, end in _link_places(links, words, places):
            ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour["ink"], "lw": 0.9, "alpha": 0.6, "shrinkA": 4, "shrinkB": 4}, zorder=1)
        ax.margins(0.12)
        ax.autoscale_view()
        for set_label, name in zip((ax.set_xlabel, ax.set_ylabel), names):
            set_label(name, color=colour["ink"])
        if method == "tsne":
            ax.set_xticks([])
            ax.set_yticks([])
        if title:
            ax.set_title(title, loc="left", color=colour["ink"], family=families, parse_math=False, usetex=False)
        draw_point_labels(ax, places, labels, point_colours, families, colour["page"])
    return ax


def _plane(vectors, method, seed):
    """Returns the places of the vectors, `(N, 2)`, and the names of the axes."""
    if method == "pca":
        centre, directions, shares = principal_directions(vectors)
        return (vectors - centre) @ directions.T, [f"first principal direction ({shares[0]:.0%} of the variance)", f"second ({shares[1]:.0%})"]
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(vectors) - 1) / 3)
    return TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(vectors), [f"t-SNE, perplexity {perplexity:.3g}", ""]


def _link_places(links, words, places):
    """Yields the ends of each link."""
    index = {word: i for i, word in enumerate(words)}
    for link in links:
        if len(link) != 2 or not all(word in index for word in link):
            raise ValueError(f"A link is a pair of words that are drawn. Received: {link!r}")
        yield places[index[link[0]]], places[index[link[1]]]


def _check(vectors, words, method, groups):
    """Returns the vectors as float64 and the groups as a list, or raises where they do not belong together."""
    check_tokens(words=words)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}. Received: method={method!r}")
    vectors = np.asarray(vectors).astype("float64")
    if vectors.ndim != 2 or len(vectors) != len(words) or len(words) < 2 or not np.isfinite(vectors).all():
        raise ValueError(f"There is one finite vector for each of two or more words. Received: {len(words)} words, vectors of shape {vectors.shape}")
    if vectors.shape[1] < (2 if method == "tsne" else 1) or (method == "tsne" and (vectors == vectors[0]).all()):
        need = "two numbers or more for t-SNE, and not all the same, and of one or more otherwise"
        raise ValueError(f"Vectors are of {need}. Received: vectors of shape {vectors.shape}, {method=}")
    groups = [0] * len(words) if groups is None else list(groups)
    if len(groups) != len(words):
        raise ValueError(f"There is one group for each word. Received: {len(words)} words, {len(groups)} groups")
    return vectors, groups
