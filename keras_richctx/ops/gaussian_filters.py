"""A grid of blurred points, laid over an image to read it or to write on it."""

import keras


def gaussian_filters(centres, strides, variances, size, length):
    r"""Computes the filters along one side of an image of a window of Gaussians, evenly spaced.

    $$\mu^i = g + (i - N / 2 - 0.5)\, \delta \quad (19, 20), \qquad
    F[i, a] = \frac{1}{Z_i} \exp\left(-\frac{(a - \mu^i)^2}{2 \sigma^2}\right), \quad \sum_a F[i, a] = 1 \quad (25, 26)$$

    for $i = 1, \dots, N$ and $a = 1, \dots, A$; the numbers are those of the paper. With the filters $F_Y$ along the rows and $F_X$ along the columns,
    $F_Y\, x\, F_X^\top$ reads $N \times N$ numbers out of an image, and $F_Y^\top w\, F_X$ writes as many on it. A filter that lies beside the image, with no
    weight on it, is zero.

    Args:
        centres: float tensor of shape `(B,)`, $g$, in pixels, the first at 1.
        strides: float tensor of shape `(B,)`, $\delta$, in pixels.
        variances: float tensor of shape `(B,)`, $\sigma^2$, in pixels squared.
        size: integer, N.
        length: integer, A, the pixels of this side.

    Returns:
        A float32 tensor of shape `(B, N, A)`.

    Example:
        >>> gaussian_filters(np.array([2.0]), np.array([1.0]), np.array([1.0]), size=1, length=3).numpy().round(3)
        array([[[0.274, 0.452, 0.274]]], dtype=float32)

    References:
        [Gregor et al., 2015](https://arxiv.org/abs/1502.04623), section 3.2.
    """
    g, stride, variance = (keras.ops.cast(values, "float32")[:, None] for values in (centres, strides, variances))  # (B, 1) each
    # mu^i = g + (i - N / 2 - 0.5) delta
    means = g + (keras.ops.arange(1, size + 1, dtype="float32") - size / 2 - 0.5) * stride  # (B, N)
    pixels = keras.ops.arange(1, length + 1, dtype="float32")
    # exp(-(a - mu^i)^2 / 2 sigma^2) / Z_i
    weights = keras.ops.exp(-keras.ops.square(pixels - means[..., None]) / (2 * variance[..., None]))  # (B, N, A)
    return weights / keras.ops.maximum(keras.ops.sum(weights, axis=-1, keepdims=True), 1e-8)
