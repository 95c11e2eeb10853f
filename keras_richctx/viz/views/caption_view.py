"""Where in a picture each word of a caption looked."""

import base64
import io

import numpy as np
from matplotlib.image import imsave

from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.views.example import check_range, side_data
from keras_richctx.viz.views.page import make_page
from keras_richctx.viz.views.quantise import pack_codes, quantise


def caption_view(image, words, weights, title=None, dark=None):
    """Shows a picture, its caption, and over the picture where each word looked.

    The reader points at a word, goes through the caption with the arrows or lets it play, and sees the weights over the picture, as light or as colours; or
    points at the picture and sees which words looked there. Each word's colours span 0 to its largest weight, which is said: over a grid of many places all
    weights are small.

    Args:
        image: array of shape `(height, width)`, `(height, width, 1)`, `(height, width, 3)` or `(height, width, 4)`: uint8, or floats from 0 to 1.
        words: list of `T` strings.
        weights: array of shape `(T, rows, columns)`, from 0 to 1: how much word `t` attended to each part of the picture.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if the words are no list of strings.
        ValueError: if the image is none, the weights do not fit the words, or a weight is not in 0 ... 1.

    Example:
        >>> image = np.zeros((28, 56, 3), "uint8")
        >>> view = caption_view(image, ["a", "dark", "square"], np.full((3, 4, 8), 1 / 32))
        >>> view.save("caption.html")  # doctest: +SKIP

    References:
        [Xu et al., 2015](https://arxiv.org/abs/1502.03044), figure 3.
    """
    check_tokens(words=words)
    weights = np.asarray(weights).astype("float64")
    if weights.ndim != 3 or not weights.size or len(weights) != len(words):
        raise ValueError(f"weights are of shape (words, rows, columns), here ({len(words)}, rows, columns). Received: weights of shape {weights.shape}")
    check_range("weights", weights, "(word, row, column)")
    pixels = _pixels(image)
    codes, steps = quantise(weights)  # each word has steps of its own
    data = {
        "sides": [side_data(list(words))],
        "layers": [{"name": "caption", "queries": 0, "keys": 0, "shape": list(codes.shape), "steps": steps.tolist(), **pack_codes(codes)}],
        "image": {"source": _as_url(pixels), "height": pixels.shape[0], "width": pixels.shape[1]},
    }
    return make_page("caption", data, ["text"], title, "Where in a picture each word looked", dark, height=620)


def _pixels(image):
    """Returns an image as uint8 of shape `(height, width, 1, 3 or 4)`, or raises where it is none."""
    image = np.asarray(image)
    pixels = image[..., None] if image.ndim == 2 else image
    if pixels.ndim != 3 or pixels.shape[-1] not in (1, 3, 4) or not pixels.size:
        raise ValueError(f"image is of shape (height, width), or (height, width, channels) with 1, 3 or 4 channels. Received: image of shape {image.shape}")
    if pixels.dtype == "uint8":
        return pixels
    if not np.issubdtype(pixels.dtype, np.floating) or not (pixels.min() >= 0 and pixels.max() <= 1):
        raise ValueError(
            f"image is uint8, or floats from 0 to 1. Received: image of dtype {pixels.dtype}, from {pixels.min()} to {pixels.max()}. "
            "Undo what prepared it for a network"
        )
    return np.rint(255 * pixels).astype("uint8")


def _as_url(pixels):
    """Returns an image as an address that holds it, as PNG: nothing is lost."""
    buffer = io.BytesIO()
    imsave(buffer, np.repeat(pixels, 3, axis=-1) if pixels.shape[-1] == 1 else pixels, format="png")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
