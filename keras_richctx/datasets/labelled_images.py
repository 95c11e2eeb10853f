"""Images with a class each."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images to classify: what the readers of digits give.

    `len`, and a slice, a list of indices or a boolean mask gives `LabelledImages`; an index gives `(image, label)`.

    Args:
        images: array of shape `(N, H, W, C)`, bytes from 0 to 255 or floats from 0 to 1.
        labels: integer array of shape `(N,)`.
        names: tuple of strings, the names of the classes in the order of their ids, or `None`. Defaults to `None`.

    Raises:
        ValueError: if the images are of another shape, or there is not one integer label for each.

    Example:
        >>> digits = LabelledImages(np.zeros((3, 28, 28, 1), "uint8"), np.array([7, 2, 1]))
        >>> digits[digits.labels < 5]
        <LabelledImages: 2 images of 28 x 28 x 1, 2 classes>
        >>> digits.pixels.dtype
        dtype('float32')
    """

    images: np.ndarray
    labels: np.ndarray
    names: tuple | None = None

    def __post_init__(self):
        images, labels = np.shape(self.images), np.asarray(self.labels)
        if len(images) != 4 or labels.shape != images[:1] or labels.dtype.kind not in "iu":
            raise ValueError(
                "Images are of shape (N, H, W, C), with an integer label each. "
                f"Received: images of shape {images}, labels of shape {labels.shape} and type {labels.dtype}"
            )

    @property
    def pixels(self):
        """The images as models take them, float32 from 0 to 1."""
        return self.images.astype("float32") / 255 if self.images.dtype.kind in "iu" else self.images.astype("float32")

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if isinstance(index, int | np.integer):
            return self.images[index], int(self.labels[index])
        return dataclasses.replace(self, images=self.images[index], labels=self.labels[index])

    def __repr__(self):
        shape = " x ".join(str(side) for side in self.images.shape[1:])
        return f"<LabelledImages: {len(self):,} images of {shape}, {len(np.unique(self.labels))} classes>"
