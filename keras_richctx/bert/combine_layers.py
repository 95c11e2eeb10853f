"""Which layers make the features of a text."""

import keras

WAYS = ("first", "second_to_last", "last", "sum_last_four", "concat_last_four", "sum_all")


def combine_layers(layer_outputs, how="last"):
    r"""Makes one feature vector for each position out of those of all layers, as in the paper's comparison.

    For weights that are learnt, put a `ScalarMix` in its place.

    Args:
        layer_outputs: float tensor of shape `(B, L + 1, T, D)`, from `Bert.layer_outputs`.
        how: string, `"first"` for the embeddings, `"second_to_last"`, `"last"`, `"sum_last_four"`, `"concat_last_four"`, or `"sum_all"` for the sum of all
            layers but the embeddings. Defaults to `"last"`.

    Returns:
        A float tensor of shape `(B, T, D)`, or `(B, T, 4 D)` for `"concat_last_four"`, whose last D are the last layer's.

    Raises:
        ValueError: if there is no such way, or there are fewer than four layers for it.

    Example:
        >>> combine_layers(np.ones((1, 5, 2, 3), "float32"), "concat_last_four").shape
        TensorShape([1, 2, 12])

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), table 7.
    """
    if how not in WAYS:
        raise ValueError(f"Layers are combined in one of these ways: {', '.join(WAYS)}. Received: how={how!r}")
    if "four" in how and layer_outputs.shape[1] < 5:
        raise ValueError(f"There are fewer than four layers. Received: how={how!r}, outputs of {layer_outputs.shape[1] - 1} layers and of the embeddings")
    if how == "concat_last_four":
        return keras.ops.concatenate([layer_outputs[:, i] for i in (-4, -3, -2, -1)], axis=-1)  # (B, T, 4 D)
    if how in ("sum_last_four", "sum_all"):
        return keras.ops.sum(layer_outputs[:, -4:] if how == "sum_last_four" else layer_outputs[:, 1:], axis=1)  # (B, T, D)
    return keras.ops.convert_to_tensor(layer_outputs)[:, {"first": 0, "second_to_last": -2, "last": -1}[how]]
