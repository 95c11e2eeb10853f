"""Where the weights of a Transformer lie when several devices hold one copy of it together."""

import keras

# By head: each device has some of the heads whole, and the rows of the output matrix that take them in.
# By hidden unit: each device has some columns of the first feed-forward matrix, and the same rows of the second.
# So in a block the devices speak to each other twice in a forward pass: to add up what their heads found, and what their units did.
LAYOUT = {
    r".*/(query|key|value)_kernel": (None, "model", None),  # (D, H, K)
    r".*/(query|key|value)_bias": ("model", None),  # (H, K)
    r".*/output_kernel": ("model", None, None),  # (H, V, D)
    r".*/intermediate/kernel": (None, "model"),  # (D, F)
    r".*/intermediate/bias": ("model",),  # (F,)
    r".*/block_\d+/output/kernel": ("model", None),  # (F, D)
}


def model_parallel(devices, parts):
    """Makes the distribution in which every `parts` devices hold one copy of a model, and the copies share each batch.

    The weights of `MultiHeadAttention` are parted by heads, those of the feed-forward layers by hidden units; all others lie whole on each device, embeddings
    among them. The number of heads and of hidden units has to be a multiple of `parts`.

    Args:
        devices: list of the names of devices.
        parts: integer, how many of them hold one copy.

    Returns:
        A `keras.distribution.ModelParallel`.

    Raises:
        ValueError: if the devices cannot be parted so.

    References:
        [Shoeybi et al., 2019](https://arxiv.org/abs/1909.08053), section 3.
    """
    if parts < 1 or len(devices) % parts:
        raise ValueError(f"Each copy of the model lies on as many devices. Received: parts={parts} for {len(devices)} devices.")
    mesh = keras.distribution.DeviceMesh((len(devices) // parts, parts), ("batch", "model"), devices)
    layout = keras.distribution.LayoutMap(mesh)
    for path, axes in LAYOUT.items():
        layout[path] = axes
    return keras.distribution.ModelParallel(layout_map=layout, batch_dim_name="batch")
