"""Figures that belong to nobody: no pyplot, no window, nothing to close, and a picture in a notebook all the same."""

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure


class Picture(Figure):
    """A matplotlib figure that a notebook shows though pyplot does not know it.

    It works without a display, is freed with its last reference, and is saved with `savefig` as any figure.
    """

    def _repr_png_(self):
        """Returns the picture as PNG bytes: what Jupyter asks for."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


class PictureAxes(Axes):
    """The axes of a `Picture`. As the last value of a notebook cell they show the whole picture."""

    def _repr_png_(self):
        """Returns the figure's picture."""
        return self.get_figure(root=True)._repr_png_()
