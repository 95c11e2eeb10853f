"""Images in pictures: bright on dark for a dark page, dark on light for a light one."""

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from keras_richctx.viz.style import colours, is_dark


def page_is_dark(dark, ax):
    """Whether to draw for a dark page: as asked for, or as the figure of `ax` is, or as matplotlib's current figure colour says."""
    if dark is not None:
        return dark
    return is_dark(matplotlib.rcParams["figure.facecolor"] if ax is None else ax.get_figure(root=True).get_facecolor())


def check_image(image, name="image"):
    """Returns an image as a float array, `(H, W)` of one channel or `(H, W, 3)`, or raises where it is none."""
    image = np.asarray(image).astype("float64")
    image = image[..., 0] if image.ndim == 3 and image.shape[-1] == 1 else image
    if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[-1] != 3) or 0 in image.shape:
        raise ValueError(f"{name} must be of shape (rows, columns), with one channel or three besides. Received: {name} of shape {image.shape}")
    if not np.isfinite(image).all():
        raise ValueError(f"{name} must be finite. Received: {image[~np.isfinite(image)][0]}")
    if image.min() < -1e-3 or image.max() > 1 + 1e-3:
        raise ValueError(f"{name} must be of numbers from 0 to 1; divide bytes by 255. Received: {name} from {image.min():.3g} to {image.max():.3g}")
    return image


def show_image(ax, image, dark, highest=1.0):
    """Draws an image of numbers from 0 to `highest`: 0 is the page, the highest is the ink; colours are as they are."""
    colour = colours(dark)
    ink = LinearSegmentedColormap.from_list("ink", [colour["page"], colour["ink"]])
    ax.imshow(np.clip(image / highest, 0, 1), cmap=ink, vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=colour["faint"])
