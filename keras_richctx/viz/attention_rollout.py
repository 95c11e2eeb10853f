"""Attention through all layers at once: rollout, which multiplies them."""

import numpy as np

from keras_richctx.viz.attention_layers import attention_layers, check_weights


def with_residual(weights, residual=0.5):
    r"""Averages the heads of a layer and adds the way around it: what a position hands on is its own vector and what it attended to.

    $$\tilde A = \rho I + (1 - \rho)\, \frac1H \sum_h A^h$$

    each row divided by its sum, which is 1 already but where a row of $A$ is zero.

    Args:
        weights: array of shape `(..., H, T, T)`.
        residual: float, $\rho$, from 0 to below 1. Defaults to `0.5`.

    Returns:
        An array of shape `(..., T, T)`.
    """
    # rho I + (1 - rho) mean of the heads
    mixed = residual * np.eye(weights.shape[-1]) + (1 - residual) * weights.mean(axis=-3)  # (..., T, T)
    return mixed / np.maximum(mixed.sum(axis=-1, keepdims=True), np.finfo("float64").tiny)


def attention_rollout(weights, residual=0.5):
    r"""Computes how much of each input position arrives at each position after each layer, if attention were all that mixes them.

    $$R_l = \tilde A_l\, R_{l-1}, \qquad R_0 = I, \qquad \tilde A_l = \rho I + (1 - \rho)\, \frac1H \sum_h A_l^h$$

    Each row of $R_l$ sums to one. It knows nothing of the values, of the output projection, of normalisation and feed-forward layers: it is a model of the
    flow of information by the weights alone, not a proof of it.

    Args:
        weights: dict from the names of layers, first to last, to arrays of shape `(B, H, T, T)` or `(H, T, T)`, such as `krc.attention_maps` gives; or a list
            of them. They must be self-attention, each on top of the one before.
        residual: float, $\rho$, the share of the way around each layer, from 0 to below 1. Defaults to `0.5`.

    Returns:
        An array of shape `(L, B, T, T)`; `rollout[l, b, i, j]` says how much of input `j` is in position `i` after layer `l + 1`.

    Raises:
        ValueError: if a layer is not of shape `(B, H, T, T)` with the same B and T in all, a weight is not in 0 ... 1, or `residual` is not in 0 ... 1.

    Example:
        >>> layer = np.array([[[1.0, 0.0], [0.5, 0.5]]])  # one head: the second position looks at both
        >>> attention_rollout([layer, layer])[-1, 0].tolist()
        [[1.0, 0.0], [0.4375, 0.5625]]

    References:
        [Abnar and Zuidema, 2020](https://arxiv.org/abs/2005.00928), section 3.
    """
    rolled, before = [], None
    for values in self_attention_layers(weights, residual):
        mixed = with_residual(values, residual)  # (B, T, T)
        # R_l = A_l R_(l-1)
        before = mixed if before is None else mixed @ before
        rolled.append(before)
    return np.stack(rolled)


def self_attention_layers(weights, residual, one=False):
    """Returns the layers as a list of arrays `(B, H, T, T)`, with `one` `(H, T, T)`, or raises where they are not layers of self-attention on one another."""
    if not 0 <= residual < 1:
        raise ValueError(f"residual is a share, from 0 to below 1. Received: residual={residual!r}")
    layers = attention_layers(weights, one)
    for name, values in layers.items():
        if values.shape[-1] != values.shape[-2]:
            raise ValueError(f"The layers are those of self-attention, with as many keys as queries. Received: {name!r} of shape {values.shape}. Leave it out")
    lengths = {values.shape[-1] for values in layers.values()}
    if len(lengths) > 1:
        raise ValueError(f"The layers stand on one another, over the same positions. Received: layers of {sorted(lengths)} positions")
    return [check_weights(values)[0][0] if one else check_weights(values)[0] for values in layers.values()]
