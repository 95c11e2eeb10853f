"""Digits somewhere in a larger image, alone or among pieces of others."""

import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.datasets.labelled_images import LabelledImages


def translated_digits(digits, size=60, seed=0):
    """Puts each digit somewhere in a larger black image: `cluttered_digits` without clutter.

    Args:
        digits: `LabelledImages` of shape `(N, H, W, C)`.
        size: integer, the rows and columns of the images made. Defaults to `60`.
        seed: integer. Defaults to `0`.

    Returns:
        `LabelledImages` of shape `(N, size, size, C)`, in the order of the digits.

    Raises:
        ValueError: if a digit does not fit into the image.

    Example:
        >>> digits = krc.datasets.LabelledImages(np.ones((2, 28, 28, 1), "uint8"), np.array([3, 5]))
        >>> translated_digits(digits)
        <LabelledImages: 2 images of 60 x 60 x 1, 2 classes>
    """
    return cluttered_digits(digits, size, pieces=0, seed=seed)


def cluttered_digits(digits, size=60, pieces=4, piece_size=8, seed=0):
    """Puts each digit somewhere in a larger black image, among pieces of other digits, so that one has to look for it.

    Args:
        digits: `LabelledImages` of shape `(N, H, W, C)`.
        size: integer, the rows and columns of the images made. Defaults to `60`.
        pieces: integer, how many squares, cut out of digits at random, are put beside each. Defaults to `4`.
        piece_size: integer, the rows and columns of such a square. Defaults to `8`.
        seed: integer. The same seed gives the same images, and of fewer digits the beginning of those of more, without pieces. Defaults to `0`.

    Returns:
        `LabelledImages` of shape `(N, size, size, C)`, in the order of the digits. Where things meet, the brighter pixel is seen.

    Raises:
        ValueError: if a digit does not fit into the image, or a piece into a digit, or a number is not what it has to be.

    Example:
        >>> digits = krc.datasets.LabelledImages(np.ones((2, 28, 28, 1), "uint8"), np.array([3, 5]))
        >>> int((cluttered_digits(digits, size=100).images > 0).sum()) > int((translated_digits(digits, size=100).images > 0).sum())
        True

    References:
        [Mnih et al., 2014](https://arxiv.org/abs/1406.6247), section 4.1.
    """
    check_naturals(seed=seed)
    for name, number, least in (("size", size, 1), ("pieces", pieces, 0), ("piece_size", piece_size, 1)):
        if not isinstance(number, int | np.integer) or number < least:
            raise ValueError(f"{name} is an integer of at least {least}. Received: {name}={number!r}")
    height, width = digits.images.shape[1:3]
    if max(height, width) > size or (pieces and piece_size > min(height, width)):
        raise ValueError(f"Digits of {height} x {width} pixels must fit into an image, and pieces into them. Received: {size=}, {piece_size=}")
    made = np.zeros((len(digits), size, size, digits.images.shape[3]), digits.images.dtype)
    places, cuts = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    for image, digit in zip(made, digits.images):
        _put(image, digit, places)
        for _ in range(pieces):
            other = digits.images[cuts.integers(len(digits))]
            top, left = cuts.integers(height - piece_size + 1), cuts.integers(width - piece_size + 1)
            _put(image, other[top : top + piece_size, left : left + piece_size], cuts)
    return LabelledImages(made, digits.labels, digits.names)


def _put(image, part, rng):
    """Draws a part somewhere into an image."""
    top, left = (rng.integers(side - width + 1) for side, width in zip(image.shape[:2], part.shape[:2]))
    place = image[top : top + part.shape[0], left : left + part.shape[1]]
    np.maximum(place, part, out=place)
