"""Attention through all layers at once: flow, which lets no layer carry more than its weights."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from keras_richctx.viz.attention_rollout import self_attention_layers, with_residual

UNIT = 2**30  # of capacity: the search counts in integers of 32 bits


def attention_flow(weights, residual=0.5, queries=None):
    r"""Computes the largest flow from each position after each layer down to each input position, through a graph of pipes that are as wide as the weights.

    A node for each position before the first layer and after each; a pipe from position $i$ after layer $l$ to position $j$ after layer $l - 1$, as wide as
    $\tilde A_l[i, j] = \rho\, [i = j] + (1 - \rho)\, \frac1H \sum_h A_l^h[i, j]$. Each pair is a search of its own, so the flows of one position do not sum to
    one. They are exact to about $10^{-8}$. For all positions of 20 tokens and 12 layers it takes some seconds; `queries` asks for fewer.

    Args:
        weights: dict from the names of layers, first to last, to arrays of shape `(H, T, T)` or `(1, H, T, T)`, such as `krc.attention_maps` gives for one
            example; or a list of them.
        residual: float, $\rho$, the share of the way around each layer, from 0 to below 1. Defaults to `0.5`.
        queries: list of positions from which to start, or `None` for all. Defaults to `None`.

    Returns:
        An array of shape `(L, Q, T)`; `flow[l, q, j]` is the flow from position `queries[q]` after layer `l + 1` to input `j`.

    Raises:
        ValueError: if a layer is not self-attention of one example, a weight is not in 0 ... 1, `residual` is not in 0 ... 1, or a query is outside.

    Example:
        >>> layer = np.array([[[1.0, 0.0], [0.5, 0.5]]])  # one head: the second position looks at both
        >>> attention_flow([layer, layer], queries=[1])[-1].round(3).tolist()  # to the first: 0.25 directly, and 0.25 by way of the second
        [[0.5, 0.75]]

    References:
        [Abnar and Zuidema, 2020](https://arxiv.org/abs/2005.00928), section 3.
    """
    layers = [with_residual(values, residual) for values in self_attention_layers(weights, residual, one=True)]  # (T, T) each
    length = layers[0].shape[0]
    queries = range(length) if queries is None else queries
    for query in queries:
        if not 0 <= query < length:
            raise ValueError(f"queries are positions from 0 to {length - 1}. Received: {query}")
    graph = capacities(layers)
    flow = np.zeros((len(layers), len(queries), length))
    for level, place, target in np.ndindex(flow.shape):
        found = maximum_flow(graph, (level + 1) * length + queries[place], target)
        flow[level, place, target] = found.flow_value / UNIT
    return flow


def capacities(layers):
    """Makes the graph of pipes, from each layer down to the one before.

    Args:
        layers: list of L arrays of shape `(T, T)`.

    Returns:
        A sparse matrix of 32-bit integers, `((L + 1) T, (L + 1) T)`: node `l * T + i` is position `i` after layer `l`, the inputs first.
    """
    length, nodes = layers[0].shape[0], (len(layers) + 1) * layers[0].shape[0]
    rows, columns, widths = [], [], []
    for level, mixed in enumerate(layers):
        here, there = np.nonzero(mixed)
        rows.append((level + 1) * length + here)
        columns.append(level * length + there)
        widths.append(np.round(mixed[here, there] * UNIT))
    entries = np.concatenate(widths).astype("int32"), (np.concatenate(rows), np.concatenate(columns))
    return csr_array(entries, shape=(nodes, nodes), dtype="int32")
