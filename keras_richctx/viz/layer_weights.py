"""Which layers of a reader the tasks chose: the weights of a scalar mix, task by task."""

from collections.abc import Mapping

import keras
import matplotlib
import numpy as np

from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.style import colours, ink_on, is_dark, style


def layer_weights(weights, layers=None, title=None, dark=None):
    """Draws the weights that tasks gave to the layers of one reader, such as ELMo: a column for each task, a row for each layer, the lowest at the bottom.

    The numbers stand in the cells. The colours span 0 ... 1; weights of one column sum to 1, so that with three layers a third is no preference.

    Args:
        weights: dict from tasks to arrays of shape `(L + 1,)`, or to what has such as `weights_of_layers`, a `krc.layers.ScalarMix`. Or a dict of such dicts,
            by the place of the mix, such as `{"input": {...}, "output": {...}}`: a panel for each.
        layers: list of `L + 1` strings, the names of the layers, lowest first, or `None` to number them from 0. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        ValueError: if there is no task, tasks differ in their number of layers, the names do not fit, a weight is negative, or weights do not sum to 1.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> picture = layer_weights({"tagging": [0.2, 0.7, 0.1], "questions": [0.2, 0.4, 0.4]}, ["words", "first LSTM", "second LSTM"])
        >>> picture.savefig("mix.png")  # doctest: +SKIP

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), figure 2.
    """
    panels = weights if any(isinstance(values, Mapping) for values in weights.values()) else {"": weights}
    tables = {place: weight_table(tasks) for place, tasks in panels.items()}  # (L + 1, tasks) each
    sizes = {len(table) for table in tables.values()}
    if len(sizes) != 1:
        raise ValueError(f"All mixes are of the same layers. Received: mixes of {sorted(sizes)} layers")
    count = sizes.pop()
    layers = [str(number) for number in range(count)] if layers is None else list(layers)
    if len(layers) != count:
        raise ValueError(f"There must be a name for each of the {count} layers. Received: layers={layers}")
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    tasks = [task for of_place in panels.values() for task in of_place]
    labels, families = drawable([title or "", *map(visible, layers), *map(visible, tasks), *map(visible, panels)])
    text = {"family": families, "fontsize": 9, "parse_math": False, "usetex": False}
    turned = max(map(len, labels[1 + count : 1 + count + len(tasks)])) > 8
    with style(dark):
        figure = Picture(figsize=(2.2 + 0.75 * len(tasks), 1.4 + 0.45 * count + 0.5 * turned), layout="constrained")
        grid = figure.add_gridspec(1, len(tables), width_ratios=[table.shape[1] for table in tables.values()])
        axes, names = [], iter(labels[1 + count :])
        for place, (of_place, table) in enumerate(tables.items()):
            ax = figure.add_subplot(grid[place], axes_class=PictureAxes)
            image = ax.imshow(table, cmap=colours(dark)["map"], vmin=0, vmax=1, aspect="auto", interpolation="nearest", origin="lower")
            for (row, column), value in np.ndenumerate(table):
                ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=9, color=ink_on(image.cmap(value)))
            look = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if turned else {}
            ax.set_xticks(range(table.shape[1]), [next(names) for _ in range(table.shape[1])], **text, **look)
            ax.set_yticks(range(count), labels[1 : 1 + count] if place == 0 else [], **text)
            ax.set_title(of_place, loc="left", family=families, parse_math=False, usetex=False)
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            axes.append(ax)
        axes[0].set_ylabel("layer")
        figure.colorbar(image, ax=axes, label="weight", ticks=[0, 0.5, 1]).outline.set_visible(False)
        if labels[0]:
            figure.suptitle(labels[0], x=0.01, ha="left", fontsize=11, family=families, parse_math=False, usetex=False)
    return figure


def weight_table(tasks):
    """Puts the weights of several tasks side by side.

    Args:
        tasks: dict from tasks to arrays of shape `(L + 1,)`, or to what has such as `weights_of_layers`.

    Returns:
        A float64 array of shape `(L + 1, tasks)`.

    Raises:
        ValueError: if there is no task, tasks differ in their number of layers, a weight is negative, or weights do not sum to 1.
    """
    if not tasks:
        raise ValueError(f"There is no task. Received: weights={tasks}")
    columns = {}
    for task, values in tasks.items():
        values = keras.ops.convert_to_numpy(getattr(values, "weights_of_layers", values)).astype("float64")
        if values.ndim != 1 or not (values >= 0).all() or not abs(values.sum() - 1) < 1e-3:
            raise ValueError(f"The weights of a mix are of shape (layers,), none negative, and sum to 1. Received: {task!r}: {values}. Take their softmax")
        columns[task] = values
    lengths = {task: len(values) for task, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"All tasks mix the same layers. Received: {lengths}")
    return np.stack(list(columns.values()), axis=1)
