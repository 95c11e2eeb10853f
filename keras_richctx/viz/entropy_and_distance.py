"""How widely each head spreads its attention, and how far it looks: by layer."""

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from keras_richctx.viz.attention_layers import attention_layers, check_weights, mean_over_queries
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.head_measures import even_attention
from keras_richctx.viz.layer_axis import draw_heads, label_layers
from keras_richctx.viz.style import colours, is_dark, style


def attention_entropy(weights, mask=None):
    r"""Computes the entropy of each head's attention in bits: 0 where it looks at one key, $\log_2 S$ where at all $S$ alike. The mean over queries.

    $$-\sum_s \alpha_{ts} \log_2 \alpha_{ts}$$

    A row is taken as it is divided by its sum. Rows of zeros, of queries that may look at nothing, do not count.

    Args:
        weights: array of shape `(B, H, T, S)` or `(H, T, S)`.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.

    Returns:
        An array of shape `(H,)`, NaN where no query counts.

    Raises:
        ValueError: if the mask does not fit, or a weight is not in 0 ... 1.

    Example:
        >>> attention_entropy(np.array([[[1.0, 0.0], [0.5, 0.5]]])).tolist()  # 0 bits and 1 bit
        [0.5]

    References:
        [Clark et al., 2019](https://arxiv.org/abs/1906.04341), section 3.3, in nats there.
    """
    p, counts = _distributions(weights, mask)
    # -sum alpha log2 alpha, where 0 log 0 = 0
    return mean_over_queries(-np.sum(p * np.log2(np.where(p > 0, p, 1.0)), axis=-1), counts)


def attention_distance(weights, mask=None):
    r"""Computes how far each head looks: the mean distance of the keys, each counted by its weight. The mean over queries.

    $$\sum_s \alpha_{ts}\, |t - s|$$

    It means something where queries and keys are the same positions. A row is taken as it is divided by its sum; rows of zeros do not count.

    Args:
        weights: array of shape `(B, H, T, T)` or `(H, T, T)`.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.

    Returns:
        An array of shape `(H,)`, NaN where no query counts.

    Raises:
        ValueError: if there are not as many keys as queries, the mask does not fit, or a weight is not in 0 ... 1.

    Example:
        >>> attention_distance(np.array([[[0.0, 1.0], [0.5, 0.5]]])).tolist()  # 1 and 0.5
        [0.75]

    References:
        [Vig and Belinkov, 2019](https://arxiv.org/abs/1906.04284), section 4.2.
    """
    p, counts = _distributions(weights, mask)
    queries, keys = p.shape[-2:]
    if queries != keys:
        raise ValueError(f"Distances are those within one sequence. Received: weights of {queries} queries on {keys} keys")
    # sum alpha |t - s|
    distances = np.abs(np.arange(queries)[:, None] - np.arange(keys))  # (T, T)
    return mean_over_queries(np.einsum("bhts,ts->bht", p, distances), counts)


def entropy_and_distance(weights, mask=None, title=None, dark=None):
    """Draws the entropy and the mean distance of each head's attention, layer by layer: a dot for each head, a line through the means of the layers.

    The dashed line is what the same queries would have if they looked evenly at all keys that have any weight.

    Args:
        weights: dict from the names of layers to arrays of shape `(B, H, T, T)`, such as `krc.attention_maps` gives, or a list of them.
        mask: boolean array of shape `(B, T)`, `True` at real positions, or `None` for all. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no layer, one has not as many keys as queries, the mask does not fit, or a weight is not in 0 ... 1.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> layers = [krc.ops.masked_softmax(size * rng.normal(size=(2, 4, 9, 9))) for size in (0.1, 1.0, 10.0)]
        >>> picture = entropy_and_distance(layers)
        >>> picture.savefig("entropy.png")  # doctest: +SKIP

    References:
        [Clark et al., 2019](https://arxiv.org/abs/1906.04341), figure 4; [Vig and Belinkov, 2019](https://arxiv.org/abs/1906.04284), figure 8.
    """
    layers = attention_layers(weights)
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    with style(dark):
        figure = Picture(figsize=(9.5, 3.6), layout="constrained")
        panels = ((attention_entropy, "bits", "Entropy"), (attention_distance, "positions", "Mean distance"))
        for place, (measure, unit, name) in enumerate(panels, 1):
            ax = figure.add_subplot(1, 2, place, axes_class=PictureAxes)
            draw_heads(ax, [measure(values, mask) for values in layers.values()], to_hex("C0"), label="a head", of_means="mean of the layer")
            even = [measure(even_attention(values), mask).mean() for values in layers.values()]
            ax.plot(np.arange(1, len(layers) + 1), even, ls="--", marker="_" if len(layers) == 1 else None, color=to_hex("C1"), lw=1.2, label="spread evenly")
            label_layers(ax, list(layers), colours(dark))
            ax.set(ylabel=unit, title=name)
            top = max(ax.dataLim.y1, 0.1)
            ax.set_ylim(-0.03 * top, 1.05 * top)  # 0 can be seen, too
        figure.axes[0].legend(fontsize=9, loc="best")
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, parse_math=False, usetex=False)
    return figure


def _distributions(weights, mask):
    """Returns each row divided by its sum, `(B, H, T, S)`, and which rows count, `(B, H, T)`."""
    weights, real = check_weights(weights, mask)
    total = weights.sum(axis=-1, keepdims=True)  # (B, H, T, 1)
    return weights / np.where(total > 0, total, 1.0), real[:, None] & (total[..., 0] > 0)
