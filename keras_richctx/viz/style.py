"""One look for every picture: text and axes legible on a light and on a dark page, colours that the colour-blind can tell apart."""

import matplotlib
from matplotlib.colors import to_rgba

# page, ink (text and axes), faint (grids), colour map of weights: 0 is nearly the page, 1 stands out most. Both maps are perceptually uniform.
# Of a diverging map the middle is nearly the page; orange or red is below it and purple or blue above, which the colour-blind can tell apart.
LIGHT = {"page": "#ffffff", "ink": "#1a1a1a", "faint": "#d4d4d4", "map": "magma_r", "diverging": "PuOr"}
DARK = {"page": "#15171c", "ink": "#e8e8e8", "faint": "#41464f", "map": "magma", "diverging": "berlin_r"}

# After Okabe and Ito's palette, the purple darker on the light page, green and purple lighter on the dark one: each line stands out 3 to 1.
_LINES = ["#0072b2", "#d55e00", "#009e73", "#b4598b", "#1a1a1a"]
_LINES_ON_DARK = ["#56b4e9", "#e69f00", "#2fc39b", "#e29bc4", "#f0e442"]


def colours(dark=False):
    """Returns the colours of a page: `page`, `ink`, `faint`, and the names of the colour `map` of weights and of the `diverging` one of signed values.

    Args:
        dark: bool, whether the page is dark. Defaults to `False`.

    Returns:
        A dictionary from names to colours.
    """
    return dict(DARK if dark else LIGHT)


def theme(dark=False):
    """Returns the matplotlib settings of every picture here, for `matplotlib.rcParams.update` or `matplotlib.rc_context`.

    Args:
        dark: bool, whether the page is dark. Defaults to `False`.

    Returns:
        A dictionary of rc parameters.

    Example:
        >>> theme(dark=True)["figure.facecolor"]
        '#15171c'

    References:
        [Okabe and Ito, 2008](https://jfly.uni-koeln.de/color/), the line colours.
    """
    colour = colours(dark)
    return {
        "axes.edgecolor": colour["ink"],
        "axes.facecolor": colour["page"],
        "axes.grid": False,
        "axes.labelcolor": colour["ink"],
        "axes.prop_cycle": matplotlib.cycler(color=_LINES_ON_DARK if dark else _LINES),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "figure.dpi": 100,
        "figure.facecolor": colour["page"],
        "font.family": ["DejaVu Sans"],  # comes with matplotlib, so that a picture is the same everywhere
        "font.size": 10,
        "grid.color": colour["faint"],
        "image.cmap": colour["map"],
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "savefig.facecolor": "auto",
        "text.color": colour["ink"],
        "text.usetex": False,
        "xtick.color": colour["ink"],
        "ytick.color": colour["ink"],
    }


def style(dark=False):
    """Returns a context in which pictures are drawn with `theme`.

    Args:
        dark: bool, whether the page is dark. Defaults to `False`.

    Returns:
        A context manager.

    Example:
        >>> from matplotlib.figure import Figure
        >>> with style(dark=True):
        ...     axes = Figure().add_subplot()
        >>> axes.xaxis.label.get_color()
        '#e8e8e8'
    """
    return matplotlib.rc_context(theme(dark))


def is_dark(colour):
    """Returns whether a page colour is dark, so that light ink belongs on it. A transparent page counts as light.

    Args:
        colour: a matplotlib colour.

    Returns:
        A boolean.
    """
    red, green, blue, alpha = to_rgba(colour)
    return alpha > 0 and 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def ink_on(colour):
    """Returns the ink that stands out most on a colour, `"black"` or `"white"`.

    Args:
        colour: a matplotlib colour.

    Returns:
        A string.

    References:
        [WCAG 2.2](https://www.w3.org/TR/WCAG22/), the contrast ratio.
    """
    channels = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgba(colour)[:3])
    luminance = sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels))
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"
