"""A look at a part of an image: sharp in the middle, coarser around it."""

import keras


def glimpse(images, centres, size=8, scales=1):
    r"""Reads foveated patches: around one centre, several squares, each twice as wide as the one before it, and all of the same number of pixels.

    $$\rho_k(I, l) = F_y\, I\, F_x^\top, \qquad
    F_y[i, a] = \frac{1}{2^k} \sum_{j=1}^{2^k} \max\left(0,\, 1 - \left| y_{ij} - a \right|\right)$$

    where $y_{ij}$ are the $2^k$ rows that row $i$ of the patch stands for, and $F_x$ is made of the columns likewise: bilinear interpolation, and the mean of
    $2^k \times 2^k$ pixels. Outside of the image all is zero. Where rows and columns meet those of the image, the patch is a plain crop of it.

    It has a derivative by the images, and one by the centres, as far as pixels differ from their neighbours: a model may learn by it where to look, or stop it.

    Args:
        images: tensor of shape `(B, H, W, C)`; integers are read as floats.
        centres: float tensor of shape `(B, 2)`, row and column, from -1, the upper and left edge, to 1, the lower and right edge; they may lie outside.
        size: integer, P, the number of rows and columns of each patch. Defaults to `8`.
        scales: integer, S, the number of patches; the last one covers $2^{S-1} P$ rows and columns. Defaults to `1`.

    Returns:
        A float tensor of shape `(B, S, P, P, C)` and of the dtype of `images`, the sharpest patch first. Positions are computed in float32.

    Raises:
        ValueError: if a shape or a number is not what it has to be.

    Example:
        >>> image = np.arange(16.0).reshape(1, 4, 4, 1)
        >>> glimpse(image, np.zeros((1, 2)), size=2).numpy()[0, 0, ..., 0]
        array([[ 5.,  6.],
               [ 9., 10.]])
        >>> glimpse(image, np.zeros((1, 2)), size=2, scales=2).numpy()[0, 1, ..., 0]
        array([[ 2.5,  4.5],
               [10.5, 12.5]])

    References:
        [Mnih et al., 2014](https://arxiv.org/abs/1406.6247), section 3; the interpolation:
        [Jaderberg et al., 2015](https://arxiv.org/abs/1506.02025), equation 5.
    """
    images = keras.ops.convert_to_tensor(images)
    if not keras.backend.is_float_dtype(images.dtype):
        images = keras.ops.cast(images, keras.backend.floatx())  # weights are less than one
    centres = keras.ops.cast(centres, "float32")
    ranks, numbers = (len(images.shape), len(centres.shape)), centres.shape[-1:]
    if ranks != (4, 2) or tuple(numbers) != (2,) or (None not in (images.shape[0], centres.shape[0]) and images.shape[0] != centres.shape[0]):
        raise ValueError(
            "Images have the shape (batch, rows, columns, channels), and there is a centre of two numbers for each. "
            f"Received: images of shape {tuple(images.shape)}, centres of shape {tuple(centres.shape)}"
        )
    for name, number in (("size", size), ("scales", scales)):
        if not isinstance(number, int) or number < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
    height, width = images.shape[1:3]
    patches = []
    for scale in range(scales):
        rows = keras.ops.cast(_filters(centres[:, 0], size, 2**scale, height), images.dtype)  # (B, P, H)
        columns = keras.ops.cast(_filters(centres[:, 1], size, 2**scale, width), images.dtype)  # (B, P, W)
        # F_y I F_x^T
        read = keras.ops.einsum("bih,bhwc->biwc", rows, images)  # (B, P, W, C)
        patches.append(keras.ops.einsum("bjw,biwc->bijc", columns, read))  # (B, P, P, C)
    return keras.ops.stack(patches, axis=1)  # (B, S, P, P, C)


def _filters(centres, size, step, length):
    """Returns what each pixel along one side of an image, `(B,)` centres, weighs in each of the patch, `(B, size, length)`; a pixel there is `step` wide."""
    middle = (centres + 1) / 2 * length - 0.5  # in pixels, the first at 0
    offsets = keras.ops.arange(size * step, dtype="float32") - (size * step - 1) / 2
    places = middle[:, None] + offsets  # (B, size * step)
    # max(0, 1 - |y - a|)
    weights = keras.ops.relu(1 - keras.ops.abs(places[..., None] - keras.ops.arange(length, dtype="float32")))  # (B, size * step, length)
    return keras.ops.mean(keras.ops.reshape(weights, (-1, size, step, length)), axis=2)
