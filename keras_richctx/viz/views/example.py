"""One example for a view: its layers, and the tokens at both sides of each."""

from collections.abc import Mapping

import numpy as np

from keras_richctx.viz.attention_layers import attention_layers
from keras_richctx.viz.entropy_and_distance import attention_distance, attention_entropy
from keras_richctx.viz.labels import check_tokens, is_right_to_left, visible
from keras_richctx.viz.views.quantise import FINE, pack_codes, quantise
from keras_richctx.viz.views.words import frames_text, join_words


def make_example(weights, tokens=None, target_tokens=None, segments=None):
    """Writes the attention of one example, with its tokens, as what the scripts read.

    Args:
        weights: as of `head_view`.
        tokens: as of `head_view`.
        target_tokens: as of `head_view`.
        segments: as of `head_view`.

    Returns:
        A pair: the layers, a dict from names to arrays `(H, T, S)`; and the data, a dictionary of `sides` and `layers`.

    Raises:
        TypeError: if tokens are not lists of strings.
        ValueError: if they or the segments do not fit the weights, or a weight is not in 0 ... 1.
    """
    named = weights if isinstance(weights, Mapping) else None
    layers = attention_layers(weights, one=True)
    for name, values in layers.items():
        check_range(name, values)
    names = list(layers if named is None else named)  # by which tokens may be given
    sides, written = [], []
    fine = sum(values.size for values in layers.values()) <= FINE
    for name, (short, values) in zip(names, layers.items()):
        queries, keys = _tokens_of(name, values.shape, _for_layer(tokens, name), _for_layer(target_tokens, name))
        own = keys is queries
        if segments is not None and own:
            _check_segments(segments, keys)
        parts = segments if own else None
        written.append(_layer(short, values, fine, _place(sides, queries, parts), _place(sides, keys, parts), own))
    if segments is not None and not any(layer["distance"] for layer in written):
        raise ValueError("segments tell the two sentences of one sequence apart; no layer here attends within one. Pass segments=None")
    return layers, {"sides": [side_data(list(of_side), of_parts) for of_side, of_parts in sides], "layers": written}


def side_data(tokens, segments=None):
    """Writes the tokens of one side as what the scripts read.

    Args:
        tokens: list of strings.
        segments: list of as many integers, or `None`.

    Returns:
        A dictionary: `labels`; `frames`, the places of tokens such as `[CLS]`; `segments`; `words`, pairs of a label and a number of tokens, or `None`; `rtl`.
    """
    return {
        "labels": [visible(token) for token in tokens],
        "frames": [place for place, token in enumerate(tokens) if frames_text(token)],
        "segments": segments,
        "words": join_words(tokens),
        "rtl": is_right_to_left(tokens),
    }


def check_range(name, values, axes="(head, query, key)"):
    """Raises where a weight is not in 0 ... 1."""
    wrong = np.argwhere(~((values >= 0) & (values <= 1 + 1e-3)))
    if len(wrong):
        place = tuple(map(int, wrong[0]))
        raise ValueError(f"weights must lie in 0 ... 1. Received: {values[place]} in {name!r} at {axes} = {place}")


def _for_layer(tokens, name):
    """Returns the tokens of a layer, where they are given layer by layer."""
    if not isinstance(tokens, Mapping):
        return tokens
    if name not in tokens:
        raise ValueError(f"Tokens that are given layer by layer are given for each. There are none for {name!r}. Received: tokens of {sorted(tokens)}")
    return tokens[name]


def _tokens_of(name, shape, tokens, target_tokens):
    """Returns the tokens at the queries and at the keys of a layer, the same list where it attends within one sequence."""
    _, rows, columns = shape
    if tokens is None and target_tokens is None:
        keys = [str(place) for place in range(columns)]
        return (keys if rows == columns else [str(place) for place in range(rows)]), keys
    for label, given in (("tokens", tokens), ("target_tokens", target_tokens)):
        if given is not None:
            check_tokens(**{label: given})
    keys = [str(place) for place in range(columns)] if tokens is None else tokens
    pairs = [(keys, keys)] if target_tokens is None else [(target_tokens, keys), (keys, keys), (target_tokens, target_tokens)]
    for of_queries, of_keys in pairs:
        if (len(of_queries), len(of_keys)) == (rows, columns):
            return of_queries, of_keys
    wanted = " or ".join(dict.fromkeys(f"({len(q)}, {len(k)})" for q, k in pairs))
    raise ValueError(
        f"The weights of a layer are of shape (heads, target tokens, tokens): the last two are {wanted}. Received: {name!r} of shape {shape}. "
        "Of decoding step by step, or of layers with tokens of their own, pass a dict from the names of layers to tokens"
    )


def _check_segments(segments, tokens):
    """Raises where segments are not one number, 0 or 1, a token."""
    if not isinstance(segments, list | tuple | np.ndarray) or len(segments) != len(tokens) or not all(part in (0, 1) for part in segments):
        raise ValueError(f"segments are a 0 (sentence A) or 1 (sentence B) for each of the {len(tokens)} tokens. Received: segments={segments!r}")


def _place(sides, tokens, segments):
    """Returns the number of a side, which is new or was seen before."""
    side = (tuple(tokens), None if segments is None else [int(part) for part in segments])
    if side not in sides:
        sides.append(side)
    return sides.index(side)


def _layer(name, values, fine, queries, keys, own):
    """Writes one layer."""
    codes, steps = quantise(values, fine)
    return {
        "name": name,
        "queries": queries,
        "keys": keys,
        "shape": list(values.shape),
        "steps": steps.tolist(),
        "entropy": _numbers(attention_entropy(values)),
        "distance": _numbers(attention_distance(values)) if own else None,
        **pack_codes(codes),
    }


def _numbers(values):
    """Returns numbers for JSON, `None` for NaN."""
    return [None if np.isnan(value) else float(f"{value:.6g}") for value in values]
