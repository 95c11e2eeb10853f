"""How large a heat map is, so that its labels can be read: all lengths in inches."""

import functools
import math

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

LARGEST = 40.0  # of the map, without its labels
MARGIN, GAP, LINE = 0.15, 0.08, 0.22  # around the figure; between a map and what stands beside it; a line of text
DOTS = 100  # per inch, as `theme` draws: letters are fitted to pixels, so that widths depend on it a little
SLANT = math.radians(45)


def cell_size(rows, columns):
    """Returns the side of a square cell: large in a small map, never below 0.22 unless the map would exceed 40 inches.

    Args:
        rows: int.
        columns: int.

    Returns:
        A float.
    """
    longest = max(rows, columns)
    return min(max(6.0 / longest, 0.22), 0.45, LARGEST / longest)


def font_size(cell):
    """Returns the size in points of the labels of cells of a given side.

    Args:
        cell: float.

    Returns:
        An int.
    """
    return 10 if cell >= 0.3 else 9


def text_widths(texts, families, size):
    """Measures lines of text.

    Args:
        texts: list of strings.
        families: list of font families.
        size: float, in points.

    Returns:
        A list of floats.
    """
    font = FontProperties(family=families, size=size)
    width = {text: _renderer().get_text_width_height_descent(text, font, False)[0] / DOTS for text in set(texts)}
    return [width[text] for text in texts]


@functools.cache
def _renderer():
    """Returns a renderer to measure with."""
    return RendererAgg(1, 1, DOTS)


def label_slant(widths, cell):
    """Returns by how much the labels of columns are turned: not at all if each fits its cell, otherwise by 45 degrees.

    Args:
        widths: list of floats, of the labels.
        cell: float, the width of a column.

    Returns:
        A float, in radians.
    """
    return 0.0 if max(widths) + 0.06 <= cell else SLANT


def label_step(cell, size, slant=0.0):
    """Returns that every how many-th row or column is labelled, so that lines of text do not overlap.

    Args:
        cell: float, the height of a row or the width of a column.
        size: float, in points.
        slant: float, in radians, of the labels of columns. Defaults to `0.0`, for rows.

    Returns:
        An int, 1 for all.
    """
    needed = 1.15 * size / 72 / (math.sin(slant) or 1.0)
    return math.ceil(needed / cell - 1e-9)


def overhang(widths, cell, slant):
    """Returns how far the turned labels of columns reach beyond the right edge of the last column.

    Args:
        widths: list of floats, of the labels from left to right.
        cell: float, the width of a column.
        slant: float, in radians.

    Returns:
        A float, 0 if none does.
    """
    if not slant:
        return 0.0
    return max(0.0, *((column + 0.5 - len(widths)) * cell + width * math.cos(slant) for column, width in enumerate(widths)))
