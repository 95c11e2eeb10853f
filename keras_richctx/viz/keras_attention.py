r"""What Keras' own attention layers look at, and those built on them, KerasHub's among them.

Each has one method in which its projected queries meet its keys. There they are read, with the masks that the layer made; the method's result goes on as it is.
"""

import functools
import inspect
import math

import keras

from keras_richctx.ops.masked_softmax import masked_softmax
from keras_richctx.ops.masks import causal_mask, merge_masks

FUSED = "The layer takes the backend's fused attention, which has no weights: they are computed again, from its own queries, keys and masks."
HEADED = (keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention)


def watch_keras(layer):
    """Says how to see what one of Keras' layers attends to.

    Args:
        layer: any layer.

    Returns:
        A function that makes, of a function that is called with what was seen, the attributes of the layer to change while it is watched; or `None` for another
        layer.
    """
    if isinstance(layer, HEADED):
        return functools.partial(_watch_heads, layer)
    if isinstance(layer, keras.layers.Attention):  # AdditiveAttention is one
        return functools.partial(_watch_scores, layer)
    if hasattr(layer, "_compute_attention") and hasattr(layer, "_masked_softmax"):  # KerasHub's Llama, Mistral, Qwen, DeBERTa and others
        return functools.partial(_watch_softmax, layer)
    return None


def _watch_heads(layer, see):
    compute = layer._compute_attention
    signature = inspect.signature(compute)

    def watched(*args, **kwargs):
        output, weights = compute(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        see(**_of_heads(layer, compute, given, weights))
        return output, weights

    return {"_compute_attention": watched}


def _of_heads(layer, compute, given, weights):
    """Reads the attention off a call of `_compute_attention`: its arguments by name, and the weights that it gave, or `None`."""
    query, key, mask = given["query"], given["key"], given.get("attention_mask")
    mask = None if mask is None else keras.ops.cast(mask, "bool")
    note = None
    if weights is None and _has_own(layer):
        weights, note = _weights_again(layer, compute, given)
    if len(query.shape) != 4:  # attention over several axes, or over one of several: its weights are given
        return {"weights": _flat(weights, mask, len(layer.attention_axes))}
    queries, keys = (keras.ops.transpose(x, (0, 2, 1, 3)) for x in (query, key))  # (B, T, H, K) -> (B, H, T, K)
    if weights is None:
        if given.get("use_causal_mask"):
            mask = merge_masks(mask, causal_mask(queries.shape[2], keys.shape[2]))
        # A = softmax(Q K^T / sqrt(d_k))
        scores = keras.ops.matmul(queries * keras.ops.cast(queries.shape[-1] ** -0.5, queries.dtype), keras.ops.transpose(keys, (0, 1, 3, 2)))
        weights, note = masked_softmax(keras.ops.cast(scores, "float32"), _four_axes(mask)), FUSED  # (B, H, T, S)
    return {"weights": _flat(weights, mask, 1), "queries": queries, "keys": keys, **({} if note is None else {"note": note})}


def _has_own(layer):
    """Whether a class built on Keras' computes its attention in a way of its own."""
    return all(type(layer)._compute_attention is not base._compute_attention for base in HEADED)


def _weights_again(layer, compute, given):
    """Asks a class with an attention of its own for the weights, by one more call."""
    try:
        _, weights = compute(**{**given, "return_attention_scores": True})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{type(layer).__name__} has an attention of its own that gives no weights. Received: layer={layer.name}") from error
    return weights, "The layer has an attention of its own, which was asked once more for its weights."


def _four_axes(mask):
    """Gives a mask, `(B, T, S)` or `(B, H, T, S)`, its axis of heads."""
    return mask if mask is None or len(mask.shape) == 4 else keras.ops.expand_dims(mask, -3)


def _flat(weights, mask, axes):
    """Makes weights `(B, ..., H, T..., S...)`, over so many axes of queries and keys, one map `(B, H, T, S)`, with zeros in rows that see nothing."""
    if mask is not None:
        while len(mask.shape) < len(weights.shape):
            mask = keras.ops.expand_dims(mask, -2 * axes - 1)
        weights = keras.ops.where(keras.ops.any(mask, axis=tuple(range(-axes, 0)), keepdims=True), weights, 0)
    batch, *others = weights.shape
    heads, queries, keys = (math.prod(sizes) for sizes in (others[: -2 * axes], others[-2 * axes : -axes], others[-axes:]))
    return keras.ops.reshape(weights, (batch, heads, queries, keys))


def _watch_softmax(layer, see):
    softmax, compute, given = layer._masked_softmax, layer._compute_attention, []

    def watched_softmax(scores, attention_mask=None):
        weights = softmax(scores, attention_mask)
        given.append(1)
        see(weights=_flat(weights, None if attention_mask is None else keras.ops.cast(attention_mask, "bool"), 1))
        return weights

    def watched(*args, **kwargs):
        before = len(given)
        result = compute(*args, **kwargs)
        if len(given) == before:
            raise ValueError(
                f"{type(layer).__name__} took the backend's fused attention, which has no weights, and scales its scores in a way of its own. "
                f"Look at it on a CPU, or with keras.config.disable_flash_attention(). Received: layer={layer.name}"
            )
        return result

    return {"_masked_softmax": watched_softmax, "_compute_attention": watched}


def _watch_scores(layer, see):
    apply_scores = layer._apply_scores

    def watched(scores, value, scores_mask=None, training=False):
        result = apply_scores(scores, value, scores_mask, training)
        mask = scores_mask
        if mask is not None and len(mask.shape) == 2:
            mask = keras.ops.expand_dims(mask, 1)  # (B, S) -> (B, 1, S)
        see(weights=masked_softmax(keras.ops.cast(scores, "float32"), mask)[:, None])  # (B, 1, T, S)
        return result

    return {"_apply_scores": watched}
