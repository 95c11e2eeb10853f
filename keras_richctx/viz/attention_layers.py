"""The attention of all layers as arrays of one form: what every picture and measure of several layers begins with."""

from collections.abc import Mapping

import numpy as np


def attention_layers(weights, one=False):
    """Brings the attention of several layers into one form.

    Args:
        weights: dict from the names of layers to arrays of shape `(B, H, T, S)`, such as `krc.attention_maps` gives, or `(H, T, S)` for one example; or a list
            of such arrays, whose layers are numbered from 1.
        one: bool, whether there must be one example only, and the axis of the batch is left away. Defaults to `False`.

    Returns:
        A dict from names, without what all have in common, to float64 arrays of shape `(B, H, T, S)`, with `one` of shape `(H, T, S)`.

    Raises:
        ValueError: if there is no layer, an array is of another rank or empty, or batches differ in size; with `one`, if there are several examples.
    """
    named = weights if isinstance(weights, Mapping) else {f"layer {number}": values for number, values in enumerate(weights, 1)}
    if not named:
        raise ValueError("There is no layer. Received: weights without an array")
    layers = {}
    for (name, values), short in zip(named.items(), short_names(list(named))):
        values = np.asarray(values).astype("float64")
        if values.ndim not in (3, 4) or not values.size:
            hint = "Put that of one layer into a list, [weights]. " if not isinstance(weights, Mapping) else ""
            raise ValueError(f"The attention of a layer is of shape (batch, heads, queries, keys). {hint}Received: {name!r} of shape {values.shape}")
        layers[short] = values if values.ndim == 4 else values[None]  # (B, H, T, S)
    sizes = {len(values) for values in layers.values()}
    if len(sizes) > 1:
        raise ValueError(f"All layers are of one batch. Received: batches of {sorted(sizes)} examples")
    if not one:
        return layers
    if sizes != {1}:
        raise ValueError(f"The picture is of one example. Pass those of one row, {{name: values[row] for ...}}. Received: a batch of {sizes.pop()}")
    return {name: values[0] for name, values in layers.items()}


def check_weights(weights, mask=None):
    """Returns the weights of one layer with the queries that count, or raises where these are no weights.

    Args:
        weights: array of shape `(B, H, T, S)` or `(H, T, S)`.
        mask: boolean array of shape `(B, T)` or `(T,)`, `True` at real queries, or `None` for all.

    Returns:
        A pair: the weights, float64 of shape `(B, H, T, S)`, zero at masked queries; and the queries that count, boolean of shape `(B, T)`.

    Raises:
        ValueError: if the weights are of another rank, the mask does not fit, or a weight of a real query is not in 0 ... 1.
    """
    weights = np.asarray(weights).astype("float64")
    if weights.ndim not in (3, 4):
        raise ValueError(f"weights are of shape (batch, heads, queries, keys) or (heads, queries, keys). Received: weights of shape {weights.shape}")
    weights = weights if weights.ndim == 4 else weights[None]  # (B, H, T, S)
    size = (weights.shape[0], weights.shape[2])
    real = np.ones(size, bool) if mask is None else np.atleast_2d(np.asarray(mask)).astype(bool)
    if real.shape != size:
        raise ValueError(f"mask is of shape (batch, queries) = {size}. Received: mask of shape {real.shape}")
    weights = np.where(real[:, None, :, None], weights, 0.0)  # whatever stands at pads
    wrong = np.argwhere(~((weights >= 0) & (weights <= 1 + 1e-3)))
    if len(wrong):
        raise ValueError(f"weights must lie in 0 ... 1. Received: {weights[tuple(wrong[0])]} at (row, head, query, key) = {tuple(map(int, wrong[0]))}")
    return weights, real


def mean_over_queries(values, counts):
    """Returns the mean of each head over the queries that count: NaN where none does.

    Args:
        values: array of shape `(B, H, T)`.
        counts: boolean array of shape `(B, H, T)` or one that broadcasts to it.

    Returns:
        An array of shape `(H,)`.
    """
    counts = np.broadcast_to(counts, values.shape)
    number = counts.sum(axis=(0, 2))  # (H,)
    return np.where(number > 0, np.where(counts, values, 0.0).sum(axis=(0, 2)) / np.maximum(number, 1), np.nan)


def short_names(names):
    """Takes away what all names have in common at their ends, in whole parts between slashes.

    Args:
        names: list of strings.

    Returns:
        A list of strings.

    Example:
        >>> short_names(["bert/encoder/block_0/attention", "bert/encoder/block_1/attention"])
        ['block_0', 'block_1']
    """
    parts = [name.split("/") for name in names]
    if len(names) == 1:
        return [parts[0][-1]]
    shortest = min(map(len, parts))
    start = next((k for k in range(shortest) if len({part[k] for part in parts}) > 1), shortest)
    end = next((k for k in range(shortest - start) if len({part[-1 - k] for part in parts}) > 1), 0)
    cut = ["/".join(part[start : len(part) - end]) for part in parts]
    return cut if all(cut) and len(set(cut)) == len(cut) else list(names)
