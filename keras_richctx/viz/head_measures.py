r"""What a head does, as a number: the share of its attention that goes where a rule says.

A rule is an array of links, `True` where query $t$ is linked with key $s$: the word before, a delimiter, the same word, whatever stood behind the same word, or
links that somebody has marked. One measure serves them all.
"""

import numpy as np

from keras_richctx.viz.attention_layers import check_weights, mean_over_queries


def weight_on_links(weights, links, mask=None):
    r"""Computes the share of each head's attention that goes along some links, the mean over the queries that have one.

    $$\frac{1}{|Q|} \sum_{t \in Q} \sum_{s} l_{ts}\, \alpha_{ts}, \qquad Q = \{t : \textstyle\sum_s l_{ts} > 0\}$$

    What it is worth is seen beside that of attention which is spread evenly, `even_attention`.

    Args:
        weights: array of shape `(B, H, T, S)` or `(H, T, S)`.
        links: boolean array of shape `(B, T, S)` or `(T, S)`.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.

    Returns:
        An array of shape `(H,)`, NaN where no query has a link.

    Raises:
        ValueError: if the links do not fit the weights, or a weight is not in 0 ... 1.

    Example:
        >>> weights = np.array([[[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]])  # one head
        >>> weight_on_links(weights, offset_links(3, 3, -1)).tolist()  # on the word before: 0.75 and 0.5
        [0.625]
    """
    weights, counts, links = _linked(weights, links, mask)
    # sum over s of l_ts alpha_ts
    return mean_over_queries(np.einsum("bhts,bts->bht", weights, links), counts[:, None])


def hits_on_links(weights, links, mask=None):
    """Computes how often a query's largest weight lies on a link: the share of the queries that have one.

    Where several weights are the largest, the first of them counts.

    Args:
        weights: array of shape `(B, H, T, S)` or `(H, T, S)`.
        links: boolean array of shape `(B, T, S)` or `(T, S)`.
        mask: boolean array of shape `(B, T)`, `True` at real queries, or `None` for all. Defaults to `None`.

    Returns:
        An array of shape `(H,)`, NaN where no query has a link.

    Raises:
        ValueError: if the links do not fit the weights, or a weight is not in 0 ... 1.

    Example:
        >>> weights = np.array([[[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.0, 0.4, 0.6]]])
        >>> hits_on_links(weights, offset_links(3, 3, -1)).tolist()
        [0.5]

    References:
        [Clark et al., 2019](https://arxiv.org/abs/1906.04341), section 4.1, whose measure of syntax and coreference it is.
    """
    weights, counts, links = _linked(weights, links, mask)
    largest = np.eye(weights.shape[-1], dtype=bool)[weights.argmax(axis=-1)]  # (B, H, T, S)
    return mean_over_queries((largest & links[:, None]).any(axis=-1).astype("float64"), counts[:, None])


def even_attention(weights):
    """Spreads each query's attention evenly over the keys that have any: the head that knows nothing, for comparison.

    Args:
        weights: array of shape `(..., T, S)`.

    Returns:
        A float64 array of the same shape; a row of zeros stays one.

    Example:
        >>> even_attention(np.array([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0]])).tolist()
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    some = (np.asarray(weights) > 0).astype("float64")
    return some / np.maximum(some.sum(axis=-1, keepdims=True), 1)


def offset_links(queries, keys, offset):
    """Links each query with the key at a fixed distance: `-1` the one before, `1` the one after, `0` itself.

    Args:
        queries: integer, T.
        keys: integer, S.
        offset: integer.

    Returns:
        A boolean array of shape `(T, S)`.
    """
    return np.eye(queries, keys, offset, dtype=bool)


def token_links(tokens, wanted, queries=None):
    """Links every query with the keys that hold certain tokens, such as delimiters.

    Args:
        tokens: list of `S` strings, or a list of B such lists.
        wanted: collection of strings, such as `["[CLS]", "[SEP]"]`.
        queries: integer, T, or `None` where queries are the same tokens. Defaults to `None`.

    Returns:
        A boolean array of shape `(T, S)`, for several lists `(B, T, S)`.

    Raises:
        TypeError: if `wanted` is a string.
    """
    if isinstance(wanted, str):
        raise TypeError(f"wanted is a collection of tokens. Put one into a list. Received: wanted={wanted!r}")
    found = np.isin(np.asarray(tokens), list(wanted))  # (S,) or (B, S)
    queries = found.shape[-1] if queries is None else queries
    return np.broadcast_to(found[..., None, :], (*found.shape[:-1], queries, found.shape[-1]))


def same_token_links(tokens):
    """Links each query with the other places at which the same token stands.

    Args:
        tokens: list of `T` strings or integers, or array of shape `(B, T)`.

    Returns:
        A boolean array of shape `(T, T)` or `(B, T, T)`.
    """
    tokens = np.asarray(tokens)
    return (tokens[..., :, None] == tokens[..., None, :]) & ~np.eye(tokens.shape[-1], dtype=bool)


def induction_links(tokens):
    """Links each query with what stood behind earlier places of the same token: what a head looks at that goes on with a repetition.

    Args:
        tokens: list of `T` strings or integers, or array of shape `(B, T)`.

    Returns:
        A boolean array of shape `(T, T)` or `(B, T, T)`.

    Example:
        >>> np.argwhere(induction_links(["a", "b", "c", "a"])).tolist()  # the second a with the b behind the first one
        [[3, 1]]

    References:
        [Olsson et al., 2022](https://arxiv.org/abs/2209.11895).
    """
    earlier = np.tril(same_token_links(tokens), -1)
    links = np.zeros_like(earlier)
    links[..., :, 1:] = earlier[..., :, :-1]
    return links


def _linked(weights, links, mask):
    """Returns the weights `(B, H, T, S)`, the queries that have a link and count `(B, T)`, and the links `(B, T, S)`."""
    weights, real = check_weights(weights, mask)
    batch, _, queries, keys = weights.shape
    links = np.asarray(links)
    if links.dtype != bool:
        raise ValueError(f"links are boolean, True where a query is linked with a key. Received: links of dtype {links.dtype}")
    if links.shape not in ((queries, keys), (batch, queries, keys)):
        raise ValueError(f"links are of shape (batch, queries, keys) = {(batch, queries, keys)}, or without the batch. Received: links of shape {links.shape}")
    links = np.broadcast_to(links, (batch, queries, keys))
    return weights, real & links.any(axis=-1), links
