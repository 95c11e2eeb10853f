"""Flat shapes, drawn without a library: which pixels of a picture each covers."""

import numpy as np


def pixels(shape, centre, radius, side):
    """Says which pixels of a square picture a shape covers.

    Args:
        shape: string, one of `SHAPES`.
        centre: pair of numbers, the row and the column.
        radius: number, half of the width of the shape, in pixels.
        side: integer, the height and width of the picture.

    Returns:
        A boolean array of shape `(side, side)`.

    Example:
        >>> print("\\n".join("".join("-#"[p] for p in row) for row in pixels("triangle", (3, 3), 3, 7).astype(int)))
        -------
        ---#---
        ---#---
        --###--
        --###--
        -#####-
        -------
    """
    y, x = np.mgrid[:side, :side]
    return SHAPES[shape]((y - centre[0]) / radius, (x - centre[1]) / radius)


# Which points a shape of radius 1 around the origin covers; y points down.
SHAPES = {
    "circle": lambda y, x: y**2 + x**2 <= 0.9,
    "square": lambda y, x: np.maximum(abs(y), abs(x)) <= 0.8,
    "triangle": lambda y, x: (y <= 0.75) & (2 * abs(x) <= 0.95 + y),
    "cross": lambda y, x: (np.minimum(abs(y), abs(x)) <= 0.3) & (np.maximum(abs(y), abs(x)) <= 0.95),
    "diamond": lambda y, x: abs(y) + abs(x) <= 1,
    "ring": lambda y, x: (y**2 + x**2 <= 0.95) & (y**2 + x**2 >= 0.3),
}
