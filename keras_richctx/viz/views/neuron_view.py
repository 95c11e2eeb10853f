"""One head in full: query, keys, products, softmax."""

import math

import numpy as np

from keras_richctx.viz.views.example import make_example
from keras_richctx.viz.views.page import make_page
from keras_richctx.viz.views.quantise import pack, quantise_signed


def neuron_view(weights, queries, keys, tokens=None, target_tokens=None, title=None, scale=None, dark=None):
    r"""Shows how one head comes to its weights: the vector of a query, those of all keys, their products number by number, the scores and the softmax.

    $$\alpha_{ts} = \operatorname{softmax}_s \Big( c \sum_k q_{tk}\, k_{sk} \Big), \qquad c = \frac{1}{\sqrt{K}}$$

    The reader picks a layer and a head and points at a query; pointing at a key says its score, its weight and which numbers made it. Vectors are kept to
    1/65,534 of the largest number of their layer. Where the softmax of the products is not the weights, over the keys that have any, the page says by how much
    it is off: the layer adds something to its scores, such as a bias for positions, or scales them otherwise.

    Args:
        weights: dict from the names of layers to arrays of shape `(H, T, S)`, from 0 to 1, of one example.
        queries: dict from names to arrays of shape `(H, T, K)`. Layers that are not in it are left out.
        keys: dict from the same names to arrays of shape `(H, S, K)`, or of fewer heads that each serve as many heads of queries.
        tokens: as of `head_view`. Defaults to `None`.
        target_tokens: as of `head_view`. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        scale: float, what products are multiplied by, or `None` for $1 / \sqrt{K}$. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if no layer has queries and keys, shapes do not fit, a vector is not finite, or a weight is not in 0 ... 1.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> q, k = rng.normal(size=(2, 4, 5, 8))  # of 4 heads and 5 tokens
        >>> weights = krc.ops.masked_softmax(q @ k.swapaxes(1, 2) / np.sqrt(8))
        >>> view = neuron_view({"layer": weights}, {"layer": q}, {"layer": k}, ["the", "cat", "sat", "there", "."])
        >>> view.save("neurons.html")  # doctest: +SKIP

    References:
        [Vig, 2019](https://arxiv.org/abs/1906.05714), the neuron view.
    """
    names = [name for name in weights if name in queries and name in keys]
    if not names:
        raise ValueError(f"No layer has weights, queries and keys. Received: weights of {list(weights)}, queries of {list(queries)}, keys of {list(keys)}")
    layers, data = make_example({name: weights[name] for name in names}, tokens, target_tokens)
    for name, values, written in zip(names, layers.values(), data["layers"]):
        q, k = _vectors(name, queries[name], keys[name], values.shape)
        c = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
        written |= {"scale": c, "off": _off(values, q, k, c), "vectors": {"query": _write(q), "key": _write(k)}}
    return make_page("neuron", data, ["text"], title, "One head in full", dark, height=560)


def _vectors(name, queries, keys, shape):
    """Returns the queries `(H, T, K)` and the keys `(H, S, K)` of a layer, or raises where they do not fit its weights."""
    heads, rows, columns = shape
    q, k = (np.asarray(vectors).astype("float64") for vectors in (queries, keys))
    q, k = (vectors[0] if vectors.ndim == 4 and len(vectors) == 1 else vectors for vectors in (q, k))
    if q.ndim != 3 or k.ndim != 3 or q.shape[:2] != (heads, rows) or k.shape[1:] != (columns, q.shape[2]) or heads % max(len(k), 1) or not len(k):
        raise ValueError(
            f"Of weights of shape {shape}, queries are of shape ({heads}, {rows}, K) and keys of shape ({heads}, {columns}, K). "
            f"Received: {name!r} with queries of shape {q.shape}, keys of shape {k.shape}"
        )
    if not (np.isfinite(q).all() and np.isfinite(k).all()):
        raise ValueError(f"Queries and keys must be finite. Received: {name!r} with a number that is not")
    return q, np.repeat(k, heads // len(k), axis=0)


def _off(weights, queries, keys, scale):
    """Returns how far the weights are, at most, from the softmax of the products over the keys that have any weight."""
    scores = np.where(weights > 0, scale * queries @ keys.swapaxes(1, 2), -np.inf)  # (H, T, S)
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = exponentials.sum(axis=-1, keepdims=True)
    return float(np.abs(exponentials / np.where(total > 0, total, 1.0) - weights).max())


def _write(vectors):
    """Writes vectors as what the script reads."""
    codes, step = quantise_signed(vectors)
    return {"shape": list(codes.shape), "step": step, "codes": pack(codes)}
