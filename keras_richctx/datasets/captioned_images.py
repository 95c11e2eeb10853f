"""Pictures and what people say of them: what every reader of captions gives and every captioning pipeline takes."""

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True, eq=False)
class CaptionedImages:
    """Pictures with one caption each, or several.

    `len`, and a slice gives `CaptionedImages`; an index gives `(image, captions)`.

    Args:
        images: uint8 array of shape `(N, H, W, 3)`, or what gives such arrays when it is indexed by a slice or by an array of integers, such as `ImageFiles`;
            or float array `(N, h, w, D)`, features of pictures that were computed before.
        captions: list of N lists of strings.
        names: list of N strings, what the pictures are called, or `None`. Defaults to `None`.

    Raises:
        ValueError: if there is not a list of captions for each picture, or one is empty.

    Example:
        >>> pictures = CaptionedImages(np.zeros((2, 8, 8, 3), "uint8"), [["a dark room", "darkness"], ["a black cat"]])
        >>> pictures
        <CaptionedImages: 2 pictures with 3 captions>
        >>> pictures[1][1], len(pictures[1:])
        (['a black cat'], 1)
    """

    images: Sequence
    captions: list
    names: list | None = None

    def __post_init__(self):
        if len(self.images) != len(self.captions) or (self.names is not None and len(self.names) != len(self.captions)):
            names = "" if self.names is None else f" and {len(self.names)} names"
            raise ValueError(f"Each picture has its list of captions. Received: {len(self.images)} pictures, {len(self.captions)} lists of captions{names}.")
        for i, captions in enumerate(self.captions):
            if isinstance(captions, str) or not captions or not all(isinstance(caption, str) for caption in captions):
                raise ValueError(f"The captions of a picture are a list of strings, one at least. Received: captions[{i}]={captions!r}")

    def __len__(self):
        return len(self.captions)

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return self.images[index], self.captions[index]
        return dataclasses.replace(self, **{field.name: self._part(field.name, index) for field in dataclasses.fields(self)})

    def _part(self, name, index):
        value = getattr(self, name)
        return None if value is None else value[index]

    def __repr__(self):
        return f"<{type(self).__name__}: {len(self):,} pictures with {sum(map(len, self.captions)):,} captions>"
