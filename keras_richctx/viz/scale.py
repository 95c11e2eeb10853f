"""Which colours stand for which values: gates from 0 to 1, signed values around 0."""

from dataclasses import dataclass

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from keras_richctx.viz.labels import BASE_FAMILY
from keras_richctx.viz.layout import text_widths

BAR_LENGTH, BAR = 2.0, 0.13  # inches


@dataclass(frozen=True)
class Scale:
    """The colours of one range of values.

    Args:
        low: float, the value at the lower end.
        high: float, the value at the upper end.
        colour_map: string, the name of a matplotlib colour map.
    """

    low: float
    high: float
    colour_map: str

    def mappable(self):
        """Returns what a matplotlib colour bar is drawn from."""
        return ScalarMappable(Normalize(self.low, self.high), self.colour_map)


def scale_of(name, values, colour):
    """Returns the scale of one array of a trace.

    A gate lies in 0 ... 1 and goes by the sequential map. A candidate or a hidden state lies in -1 ... 1, a cell where it likes: the diverging map, 0 in
    its middle, to 1 at least.

    Args:
        name: string, the name of the array; those that end in `_gate` are gates.
        values: array of any shape; NaN where nothing is known.
        colour: dict, the page's `colours`.

    Returns:
        A `Scale`.
    """
    if name.endswith("_gate"):
        return Scale(0.0, 1.0, colour["map"])
    largest = max(1.0, float(np.nanmax(np.abs(values), initial=0.0)))
    return Scale(-largest, largest, colour["diverging"])


def scale_width(label):
    """Returns how wide `draw_scale` draws, in inches.

    Args:
        label: string.
    """
    return BAR + BAR_LENGTH + 0.2 + text_widths([label], [BASE_FAMILY], 10)[0]


def draw_scale(figure, place, scale, label):
    """Draws a scale as a bar that lies along the bottom of a figure, its label to the right of it.

    Args:
        figure: a matplotlib figure.
        place: pair of floats, the bar's lower left corner, in inches.
        scale: a `Scale`.
        label: string.
    """
    width, height = figure.get_size_inches()
    bar = figure.add_axes(((place[0] + BAR) / width, place[1] / height, BAR_LENGTH / width, BAR / height))
    bar_ticks = [scale.low, (scale.low + scale.high) / 2, scale.high]
    colorbar = figure.colorbar(scale.mappable(), cax=bar, orientation="horizontal", ticks=bar_ticks)
    colorbar.ax.set_xticklabels([f"{tick:.2g}" for tick in bar_ticks], fontsize=9)
    colorbar.outline.set_visible(False)
    bar.annotate(label, (1, 0.5), (10, 0), xycoords="axes fraction", textcoords="offset points", va="center", fontsize=10)
