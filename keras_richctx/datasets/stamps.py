"""The stamps of Tux Paint: 538 pictures with a caption each in English and in French."""

import re
import zipfile
import zlib

import numpy as np

from keras_richctx.datasets.captioned_images import CaptionedImages
from keras_richctx.datasets.locate import locate_local

SITE = "https://tuxpaint.org/stamps/"
# A hash of the name says to which split a picture belongs.
BUCKETS = 20
SPLITS = {"train": range(0, 15), "validation": range(15, 17), "test": range(17, 20)}
LANGUAGES = ("en", "fr")


def load_stamps(split="train", data_dir=None, language="en"):
    """Loads one split of Tux Paint's stamps: animals, plants, food, houses, tools, each with a caption by a human, most of them a noun that no other has.

    No name is in two splits, and names that differ in their number alone, as `frog` and `frog-1`, are one.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        data_dir: string or path of the directory that holds `tuxpaint_stamps.npz`, or `None` for the one that `KERAS_RICHCTX_DATA` names: a NumPy archive of
            `images`, uint8 `(N, 96, 96, 3)`, and `caption_en`, `caption_fr` and `name`, arrays of N strings. Defaults to `None`.
        language: `"en"` or `"fr"`. Defaults to `"en"`.

    Returns:
        `CaptionedImages` with names.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if there is no such split or language, or the file is no such archive.
    """
    if split not in SPLITS:
        raise ValueError(f"The stamps have the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    if language not in LANGUAGES:
        raise ValueError(f"The captions are in the languages {', '.join(LANGUAGES)}. Received: language={language!r}.")
    path = locate_local(["tuxpaint_stamps.npz"], SITE, data_dir)
    try:
        with np.load(path, allow_pickle=False) as archive:
            images, captions, names = (archive[key] for key in ("images", f"caption_{language}", "name"))
    except (AttributeError, EOFError, KeyError, OSError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is no archive of images, caption_en, caption_fr and name: {error}") from error
    kinds = (images.dtype, captions.dtype.kind, names.dtype.kind)
    if images.ndim != 4 or not captions.shape == names.shape == images.shape[:1] or kinds != (np.uint8, "U", "U"):
        what = ", ".join(f"{array.dtype} of shape {array.shape}" for array in (images, captions, names))
        raise ValueError(f"{path} is no archive of pictures with a caption and a name each. Received: {what}. Get it again.")
    kept = [i for i, name in enumerate(names) if zlib.crc32(without_number(str(name)).encode()) % BUCKETS in SPLITS[split]]
    return CaptionedImages(images[kept], [[str(captions[i])] for i in kept], [str(names[i]) for i in kept])


def without_number(name):
    """Returns the last part of a name without the number at its end, by which the variants of a picture are told apart.

    Args:
        name: string, such as `"animals/amphibians/frog-1"`.

    Returns:
        A string.

    Example:
        >>> without_number("animals/amphibians/frog-1")
        'frog'
    """
    return re.sub(r"[-_]?\d+$", "", name.rpartition("/")[2])
