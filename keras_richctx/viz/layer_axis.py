"""Axes whose x are the layers of a model, and a dot for each head above them."""

import numpy as np

from keras_richctx.viz.labels import drawable, visible

WIDTH = 0.5  # over which the dots of one layer are spread, so that like ones do not cover one another


def draw_heads(ax, values, colour, label, of_means, marker="o"):
    """Draws the values of the heads of each layer, and a line through the means.

    Args:
        ax: matplotlib axes.
        values: list of arrays of shape `(H,)`, one for each layer; NaN where nothing is known.
        colour: matplotlib colour.
        label: string, what a dot is called in the legend, or `None`.
        of_means: string, what the line is called, or `None`.
        marker: string, that of the dots. Defaults to `"o"`.
    """
    x = np.concatenate([number + WIDTH * (np.arange(len(heads)) - (len(heads) - 1) / 2) / max(len(heads), 2) for number, heads in enumerate(values, 1)])
    ax.plot(x, np.concatenate(values), marker, color=colour, ms=4, alpha=0.6, mew=0, label=label)
    means = [np.mean(heads[np.isfinite(heads)]) if np.isfinite(heads).any() else np.nan for heads in values]
    ax.plot(np.arange(1, len(values) + 1), means, color=colour, marker="_" if len(values) == 1 else None, ms=16, label=of_means)


def label_layers(ax, names, colour):
    """Puts the names of the layers under the axes, every so many-th where there are many.

    Args:
        ax: matplotlib axes.
        names: list of strings.
        colour: dict, the page's `colours`.
    """
    count = len(names)
    numbered = [name.removeprefix("layer ") for name in names] if all(name == f"layer {number}" for number, name in enumerate(names, 1)) else None
    step = -(-count // 24)
    labels, families = drawable([visible(name) for name in numbered or names])
    turned = {} if numbered or max(map(len, labels)) * count < 45 else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(1, count + 1, step), labels[::step], family=families, parse_math=False, usetex=False, fontsize=9, **turned)
    ax.set_xlim(0.4, count + 0.6)
    ax.set_xlabel("layer")
    ax.grid(axis="y", color=colour["faint"], lw=0.6)
