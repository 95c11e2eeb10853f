"""Pictures of any size, as one array."""

import keras
import numpy as np


def prepare_images(images, image_shape):
    """Puts pictures into one array of the shape that a model takes.

    Args:
        images: array of shape `(B, H, W, C)`, or a list of arrays `(H, W, C)`, of values from 0 to 255. Pictures of another height or width are stretched.
            With more than four channels they are no pictures but features, of any finite values.
        image_shape: tuple of three integers, the height, width and channels to have.

    Returns:
        An array of shape `(B, *image_shape)`; uint8 where the pictures are of that type and size.

    Raises:
        ValueError: if a picture has other axes or channels, no pixels, or values that are not from 0 to 255, or seem to lie between 0 and 1.

    Example:
        >>> prepare_images([np.zeros((10, 20, 3), "uint8"), np.zeros((8, 8, 3), "uint8")], (8, 8, 3)).shape
        (2, 8, 8, 3)
    """
    rows = []
    for i, image in enumerate(images):
        image = np.asarray(image)
        if image.ndim != 3 or image.shape[-1] != image_shape[-1] or 0 in image.shape:
            raise ValueError(f"A picture has the shape (height, width, {image_shape[-1]}). Received: images[{i}] of shape {image.shape}")
        check_values(image, f"images[{i}]")
        if image.shape != tuple(image_shape):
            image = keras.ops.convert_to_numpy(keras.ops.image.resize(image.astype("float32"), image_shape[:2], antialias=True))
        rows.append(image)
    return np.stack(rows) if rows else np.zeros((0, *image_shape), "uint8")


def check_values(image, name):
    """Raises where an array of up to four channels is no picture of values from 0 to 255, or one of more has values that are not finite."""
    if image.dtype == np.uint8:
        return
    if image.dtype.kind not in "fiu":
        raise ValueError(f"The values of a picture are numbers from 0 to 255. Received: {name} of type {image.dtype}")
    low, high = float(image.min()), float(image.max())  # NaN where there is one
    if image.shape[-1] > 4:
        if not np.isfinite([low, high]).all():
            raise ValueError(f"Features are finite. Received: {name} with values from {low} to {high}")
    elif image.dtype.kind == "f" and 0 < high <= 1:
        raise ValueError(f"The values of a picture go from 0 to 255. Received: {name} with values up to {high:.3g}. Multiply them by 255.")
    elif not 0 <= low <= high <= 255:
        raise ValueError(f"The values of a picture go from 0 to 255. Received: {name} with values from {low:.3g} to {high:.3g}. Clip them.")
