"""How far the weights of each layer have moved between two states of a model, such as before and after fine-tuning."""

import re
from collections.abc import Mapping

import keras
import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from keras_richctx.viz.attention_layers import short_names
from keras_richctx.viz.figure import Picture, PictureAxes
from keras_richctx.viz.labels import drawable, visible
from keras_richctx.viz.style import colours, is_dark, style


def weight_changes(before, after, groups=None):
    r"""Measures how far the weights of each layer have moved.

    All weights of a layer count as one vector $w$, which was $w_0$ before:

    $$\frac{\lVert w - w_0 \rVert}{\lVert w_0 \rVert}, \qquad \cos(w, w_0) = \frac{w^\top w_0}{\lVert w \rVert\, \lVert w_0 \rVert}$$

    Args:
        before: built `keras.Model`; or its weights as they were: the list of `model.get_weights()`, or a dict from paths to arrays.
        after: the same of the other state. One of the two is a model or a dict, so that the weights have names.
        groups: function from the path of a weight, such as `"bert/encoder/block_0/output/kernel"`, to the name of its group, or to `None` to leave it out; or
            `None` for a group for each block (the first part of a path, after the model's name, that ends in a number), and each layer outside of blocks.
            Defaults to `None`.

    Returns:
        A dict from groups, in the order of the model, to pairs of floats: the relative change, infinite where all was zero and is not; and the cosine, NaN
        where all is zero.

    Raises:
        TypeError: if neither state has names.
        ValueError: if the two states differ in number, names or shapes of their weights, or nothing is left of them.

    Example:
        >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, name="first"), keras.layers.Dense(2, name="second")])
        >>> before = model.get_weights()
        >>> after = [*before[:2], 1.5 * before[2], before[3]]  # the second kernel, in its own direction
        >>> {name: (round(change, 3), round(cosine, 3)) for name, (change, cosine) in weight_changes(model, after).items()}
        {'first': (0.0, 1.0), 'second': (0.5, 1.0)}

    References:
        [Merchant et al., 2020](https://arxiv.org/abs/2004.14448); [Hao et al., 2019](https://arxiv.org/abs/1908.05620).
    """
    pairs = _pairs(before, after)
    group_of = {path: _block(path) if groups is None else groups(path) for path in pairs}
    sums = {}
    for path, (old, new) in pairs.items():
        if group_of[path] is not None:
            parts = np.array([np.sum((new - old) ** 2), np.sum(old**2), np.sum(new**2), np.sum(new * old)])
            sums[group_of[path]] = sums.get(group_of[path], 0.0) + parts
    if not sums:
        raise ValueError("Nothing is left: there are no weights, or every one of them was left out by groups.")
    names = list(sums)
    if groups is None:
        ends = [path.rpartition("/")[2] for path in sums]
        names = ends if len(set(ends)) == len(ends) else short_names(names)
    return {name: _change(*parts) for name, parts in zip(names, sums.values())}


def weight_change(before, after, groups=None, title=None, dark=None):
    """Draws how far the weights of each layer have moved: how far relative to their length, and by which angle they have turned.

    Args:
        before: built `keras.Model`; or its weights as they were: the list of `model.get_weights()`, or a dict from paths to arrays. For several runs of one
            start, one state serves them all.
        after: the same of the other state; or a dict from the names of runs to such states, which are drawn beside one another.
        groups: function from the path of a weight to the name of its group, or `None` for each block, and each layer outside of blocks: see `weight_changes`.
            Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        TypeError: if neither state has names.
        ValueError: if two states differ in number, names or shapes of their weights.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> before = {"model/block_0/kernel": np.ones((2, 2)), "model/head/kernel": np.ones(2)}
        >>> after = {"model/block_0/kernel": np.full((2, 2), 1.1), "model/head/kernel": np.array([0.5, 1.0])}
        >>> picture = weight_change(before, after)
        >>> picture.savefig("change.png")  # doctest: +SKIP
    """
    runs = after if isinstance(after, Mapping) and not all(hasattr(values, "shape") for values in after.values()) else {"": after}
    measured = {run: weight_changes(before, state, groups) for run, state in runs.items()}
    names = list(next(iter(measured.values())))
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    (title, *labels), families = drawable([title or "", *map(visible, names), *map(visible, measured)])
    text = {"family": families, "parse_math": False, "usetex": False}
    with style(dark):
        figure = Picture(figsize=(9.5, 1.6 + 0.28 * len(names)), layout="constrained")
        left, right = (figure.add_subplot(1, 2, place, axes_class=PictureAxes) for place in (1, 2))
        height = 0.8 / len(measured)
        for k, (run, label) in enumerate(zip(measured, labels[len(names) :])):
            relative, cosine = np.array([measured[run][name] for name in names]).T  # (groups,) each
            places = np.arange(len(names)) + height * (k - (len(measured) - 1) / 2)
            look = {"height": 0.92 * height, "color": to_hex(f"C{k % 5}"), "label": label or None}
            left.barh(places, np.where(np.isfinite(relative), relative, 0.0), **look)
            right.barh(places, np.degrees(np.arccos(np.clip(np.nan_to_num(cosine, nan=1.0), -1, 1))), **look)
            for place, value in zip(places, relative):
                if not np.isfinite(value):
                    left.annotate("was all zero", (0, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
        left.set_yticks(range(len(names)), labels[: len(names)], fontsize=9, **text)
        right.set_yticks(range(len(names)), [])
        left.set(xlabel="length of the change, over that of the weights")
        right.set(xlabel="angle, in degrees")
        for ax in (left, right):
            ax.set(ylim=(-0.6, len(names) - 0.4), xlim=(0, None))
            ax.grid(axis="x", color=colours(dark)["faint"], lw=0.6)
            ax.set_axisbelow(True)
        if any(measured):
            for entry in right.legend(fontsize=9, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2).get_texts():
                entry.set(family=families, parse_math=False)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, **text)
    return figure


def _change(moved, old, new, product):
    """Returns the relative change and the cosine, from the sums of squares and products."""
    relative = np.sqrt(moved / old) if old > 0 else np.inf if moved > 0 else 0.0
    return float(relative), float(product / np.sqrt(old * new)) if old > 0 and new > 0 else float("nan")


def _block(path):
    """Returns the path of the block that holds a weight, or else of its layer."""
    parts = path.split("/")
    numbered = (place for place, part in enumerate(parts[:-1]) if place and re.search(r"_\d+$", part))
    return "/".join(parts[: next(numbered, max(len(parts) - 2, 0)) + 1])


def _pairs(before, after):
    """Returns both states of each weight, by its path, or raises where they do not fit each other."""
    named = [isinstance(state, keras.Model | keras.layers.Layer | Mapping) for state in (before, after)]
    if not any(named):
        raise TypeError(f"One of the two states is a model or a dict, so that weights have names. Received: {type(before).__name__} and {type(after).__name__}")
    arrays = [_arrays(state) for state in (before, after)]
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if set(before) != set(after):
            raise ValueError(f"Both states have the same weights. Received, in one of them only: {sorted(set(before) ^ set(after))[:3]}")
        arrays[1] = {path: arrays[1][path] for path in arrays[0]}
    if len(arrays[0]) != len(arrays[1]):
        raise ValueError(f"Both states have the same weights. Received: {len(arrays[0])} and {len(arrays[1])} of them")
    paths = arrays[0] if named[0] else arrays[1]
    pairs = dict(zip(paths, zip(arrays[0].values(), arrays[1].values())))
    for path, (old, new) in pairs.items():
        if old.shape != new.shape:
            raise ValueError(f"Both states have weights of one shape. Received: {path!r} of shape {old.shape} and {new.shape}")
    return pairs


def _arrays(state):
    """Returns the float weights of a state, in order, by path or by number: not the seeds of dropout, which are no weights."""
    if isinstance(state, Mapping):
        named = {path: keras.ops.convert_to_numpy(values) for path, values in state.items()}
    elif isinstance(state, list | tuple):
        named = {str(number): keras.ops.convert_to_numpy(values) for number, values in enumerate(state)}
    else:
        named = {weight.path: keras.ops.convert_to_numpy(weight) for weight in state.weights}
    return {path: values.astype("float64") for path, values in named.items() if values.dtype.kind not in "biu"}
