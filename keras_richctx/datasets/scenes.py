"""Scenes: small pictures of shapes, made up, with captions of which it is known what each word is about."""

import dataclasses
import operator
import zlib

import numpy as np

from keras_richctx.datasets.captioned_images import CaptionedImages
from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.datasets.shapes import SHAPES, pixels

COLOURS = {
    "red": (220, 40, 40),
    "green": (40, 160, 60),
    "blue": (50, 80, 220),
    "yellow": (240, 215, 50),
    "purple": (140, 60, 170),
    "orange": (245, 140, 30),
    "white": (245, 245, 245),
    "black": (20, 20, 20),
}
# Of each colour there is a shape that no scene shows unless it is asked for.
WITHHELD = {(colour, list(SHAPES)[i % len(SHAPES)]) for i, colour in enumerate(COLOURS)}
KINDS = [(colour, shape) for colour in COLOURS for shape in SHAPES]
RELATIONS = {"left of": "right of", "above": "below"}  # and what is said where the other thing comes first

# A hash of what a scene shows says to which split it belongs, so that no caption is in two splits, whatever the seeds and sizes.
BUCKETS = 20
SPLITS = {"train": range(0, 14), "validation": range(14, 17), "test": range(17, 20)}
NUMBERS = {"train": 6_000, "validation": 300, "test": 300}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Scenes(CaptionedImages):
    """Pictures of shapes with captions, and where in the picture each word's thing is.

    Args:
        images: as in `CaptionedImages`.
        captions: list of N lists of strings: for two things, one caption that begins with the one and one that begins with the other.
        names: `None`.
        things: uint8 array of shape `(N, H, W)`, the number of the thing that a pixel shows, 0 for the ground.
        about: list of N lists, beside the captions, of tuples: for each word the number of the thing that it names or describes, 0 for the others.
    """

    things: np.ndarray = None
    about: list = None

    def regions(self, place, caption=0, grid=(6, 6)):
        """Says where in a picture each word of a caption is at home, on a grid of cells.

        Args:
            place: integer, which picture.
            caption: integer, which of its captions. Defaults to `0`.
            grid: pair of integers, the cells down and across, which divide the height and width of the picture. Defaults to `(6, 6)`.

        Returns:
            A boolean array of shape `(T, *grid)`, for each of the T words the cells in which its thing has a pixel; none for "a", "left" and the like.

        Raises:
            ValueError: if the grid is none, or does not divide the picture.
        """
        if np.shape(grid) != (2,) or not all(isinstance(side, int | np.integer) and side > 0 for side in grid):
            raise ValueError(f"A grid is a pair of positive integers, the cells down and across. Received: grid={grid!r}")
        height, width = self.things.shape[1:]
        if height % grid[0] or width % grid[1]:
            raise ValueError(f"The cells of a grid are of one size. Received: grid={grid!r} for pictures of {height} x {width} pixels")
        shown = self.things[place].reshape(grid[0], height // grid[0], grid[1], width // grid[1])  # (rows, pixels, columns, pixels)
        return np.stack([((shown == thing) & (thing > 0)).any(axis=(1, 3)) for thing in self.about[place][caption]])


def scenes(n, seed=0, side=48, withheld=False):
    """Makes scenes of one or two shapes, in eight colours, with all captions that are true of them.

    Three scenes of four have two things, left and right or above and below each other: "a red circle left of a blue square" and "a blue square right of a
    red circle" are said of the same scene. The ground, the shades, the places and the sizes vary. Of each colour, one of the six shapes is withheld, so that
    it can be asked whether a model that has never seen a red circle, but other red things and other circles, says "a red circle".

    Args:
        n: integer, how many scenes. Fewer are the beginning of more.
        seed: integer. Defaults to `0`.
        side: integer, the height and width in pixels, 32 at least. Defaults to `48`.
        withheld: boolean, whether each scene shows a withheld combination, instead of none. Defaults to `False`.

    Returns:
        `Scenes`.

    Raises:
        ValueError: if `n` or `seed` is negative, `side` too small, or `withheld` not a boolean.

    Example:
        >>> made = scenes(2, seed=18)
        >>> made.captions[0]
        ['a red cross above a blue cross', 'a blue cross below a red cross']
        >>> made.about[0][0], made.regions(0).shape
        ((0, 1, 1, 0, 0, 2, 2), (7, 6, 6))
    """
    return _collect(n, seed, side, withheld, range(BUCKETS))


def load_scenes(split="train", size=None, seed=0, side=48, withheld=False):
    """Loads one split of the scenes. No caption is in two splits, whatever the other arguments.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        size: integer, the number of scenes, or `None` for 6,000 in the training split and 300 in the others. Defaults to `None`.
        seed: integer, as in `scenes`. Defaults to `0`.
        side: integer, as in `scenes`. Defaults to `48`.
        withheld: boolean, as in `scenes`. Defaults to `False`.

    Returns:
        `Scenes`.

    Raises:
        ValueError: if there is no such split, and where `scenes` raises it.

    Example:
        >>> len(load_scenes("test", size=10))
        10
    """
    if split not in SPLITS:
        raise ValueError(f"The scenes have the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    return _collect(NUMBERS[split] if size is None else size, seed, side, withheld, SPLITS[split])


def _collect(n, seed, side, withheld, buckets):
    """Makes `n` scenes whose first caption, in the order of the alphabet, hashes into `buckets`."""
    if operator.index(n) < 0 or operator.index(side) < 32:
        raise ValueError(f"There are no fewer than no scenes, of 32 pixels a side at least. Received: n={n}, side={side}.")
    check_naturals(seed=seed)
    if not isinstance(withheld, bool | np.bool_):
        raise ValueError(f"Either each scene shows a withheld combination, or none does: a boolean. Received: withheld={withheld!r}")
    rng, made = np.random.default_rng(seed), []
    while len(made) < n:
        things = _choose(rng, withheld)
        captions, about = _describe(things)
        if zlib.crc32(min(captions).encode()) % BUCKETS in buckets:
            made.append((*_draw(things, rng, side), captions, about))
    images, shown, captions, about = zip(*made) if made else ((), (), (), ())
    images, shown = np.array(images, "uint8").reshape(n, side, side, 3), np.array(shown, "uint8").reshape(n, side, side)
    return Scenes(images, list(captions), things=shown, about=list(about))


def _choose(rng, withheld):
    """Draws what a scene shows: the kinds of one or two things, and the relation of the first to the second."""
    kinds = [KINDS[i] for i in rng.permutation(len(KINDS))[: 1 if rng.random() < 0.25 else 2]]
    if any(kind in WITHHELD for kind in kinds) != withheld:
        return _choose(rng, withheld)
    return kinds, list(RELATIONS)[rng.integers(2)] if len(kinds) == 2 else None


def _describe(things):
    """Returns all captions of a scene, and for each the number of the thing that each word is about."""
    kinds, relation = things
    first, *second = [f"{'an' if colour == 'orange' else 'a'} {colour} {shape}" for colour, shape in kinds]
    if not second:
        return [first], [(0, 1, 1)]
    between = (0,) * len(relation.split())
    captions = [f"{first} {relation} {second[0]}", f"{second[0]} {RELATIONS[relation]} {first}"]
    return captions, [(0, 1, 1, *between, 0, 2, 2), (0, 2, 2, *between, 0, 1, 1)]


def _draw(things, rng, side):
    """Draws a scene: the picture, `(side, side, 3)`, and the number of the thing at each pixel, `(side, side)`."""
    kinds, relation = things
    ground = rng.uniform(90, 190) + rng.normal(0, 12, size=3)
    image, shown = ground + rng.normal(0, 5, size=(side, side, 3)), np.zeros((side, side), "uint8")
    for number, ((colour, shape), (centre, radius)) in enumerate(zip(kinds, _places(relation, rng, side)), start=1):
        here = pixels(shape, centre, radius, side)
        image[here] = COLOURS[colour] + rng.normal(0, 8, size=3) + rng.normal(0, 5, size=(here.sum(), 3))
        shown[here] = number
    return image.clip(0, 255).astype("uint8"), shown


def _places(relation, rng, side):
    """Draws a centre and a radius for each thing, such that none reaches out of the picture, none hides another, and the relation is plain to see."""
    while True:
        radii = rng.uniform(0.11, 0.18, size=1 if relation is None else 2) * side
        centres = [rng.uniform(radius + 1, side - radius - 2, size=2) for radius in radii]
        if relation is None:
            return list(zip(centres, radii))
        down, across = centres[1] - centres[0]
        along, aside = (across, down) if relation == "left of" else (down, across)
        if along > radii.sum() + 2 and along > 2 * abs(aside):
            return list(zip(centres, radii))
