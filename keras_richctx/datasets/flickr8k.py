"""Flickr8k: 8,000 photographs with five captions each, from the files of the official distribution."""

from pathlib import Path

from keras_richctx.datasets.captioned_images import CaptionedImages
from keras_richctx.datasets.image_files import ImageFiles
from keras_richctx.datasets.locate import locate_local
from keras_richctx.datasets.read_pairs import decode_lines

SITE = "https://hockenmaier.cs.illinois.edu/8k-pictures.html"
LISTS = {"train": "Flickr_8k.trainImages.txt", "validation": "Flickr_8k.devImages.txt", "test": "Flickr_8k.testImages.txt"}
CAPTIONS = "Flickr8k.token.txt"
EACH = 5  # captions of a photograph
FOLDERS = ("Flicker8k_Dataset", "Flickr8k_Dataset", "Images", "images", ".")  # the first is how the distribution spells it


def load_flickr8k(split="train", data_dir=None, side=224):
    """Loads one split of Flickr8k: `Flickr8k.token.txt`, the three lists of file names, and the folder of photographs, which are read when they are looked at.

    Args:
        split: `"train"` (6,000 photographs), `"validation"` or `"test"` (1,000 each). Defaults to `"train"`.
        data_dir: string or path of the directory that holds the files, as they are unpacked, or in a folder `flickr8k` or `Flickr8k_text`; or `None` for the
            one that `KERAS_RICHCTX_DATA` names. Defaults to `None`.
        side: integer, the height and width of the pictures, cut from the middle of the photographs. Defaults to `224`.

    Returns:
        `CaptionedImages`, with the names of the files; its `images` are `ImageFiles`.

    Raises:
        FileNotFoundError: if a file or a photograph is not there.
        ValueError: if there is no such split, a list is empty, a line is not a file name with `#`, a number, a tab and a caption, or a photograph does not have
            its five captions.
    """
    if split not in LISTS:
        raise ValueError(f"Flickr8k has the splits {', '.join(LISTS)}. Received: split={split!r}.")
    places = [f"{folder}{CAPTIONS}" for folder in ("", "Flickr8k_text/", "flickr8k/", "flickr8k/Flickr8k_text/")]
    path = locate_local(places, SITE, data_dir)
    captions, listed = read_captions(path), path.with_name(LISTS[split])
    if not listed.is_file():
        raise FileNotFoundError(f"Beside {CAPTIONS} stand the lists of the splits. Received: {str(path.parent)!r}, without {listed.name}. Get it from {SITE}.")
    names = [line.strip() for line in decode_lines(listed.read_bytes(), listed) if line.strip()]
    if not names:
        raise ValueError(f"{listed} names no photograph. Get it from {SITE}.")
    for name in names:
        if name not in captions:
            raise ValueError(f"{listed} names {name!r}, of which {path} has no caption.")
    folder = _photographs(path.parent, names[0])
    paths = [folder / name for name in names]
    missing = [file.name for file in paths if not file.is_file()]
    if missing:
        raise FileNotFoundError(f"{folder} lacks {len(missing):,} of the {len(names):,} photographs of the split, such as {missing[0]}. Get them from {SITE}.")
    for name in names:
        if len(captions[name]) != EACH:
            raise ValueError(f"{path} has {len(captions[name])} captions of {name!r}, where each photograph has {EACH}: it is cut off. Get it from {SITE}.")
    return CaptionedImages(ImageFiles(paths, side), [captions[name] for name in names], names)


def read_captions(path):
    """Reads a file of captions, a line each: the name of the picture, `#`, the number of the caption, a tab, the caption.

    Args:
        path: path.

    Returns:
        A dict from names to lists of captions, in the order of the file.

    Raises:
        ValueError: if a line has another form; the message names it.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "Flickr8k.token.txt")
        >>> _ = path.write_text("1.jpg#0\\tA dog runs .\\n1.jpg#1\\tA brown dog .\\n", encoding="utf-8")
        >>> read_captions(path)
        {'1.jpg': ['A dog runs .', 'A brown dog .']}
    """
    captions = {}
    for number, line in enumerate(decode_lines(Path(path).read_bytes(), path), start=1):
        key, tab, caption = line.partition("\t")
        name, mark, which = key.rpartition("#")
        if not (tab and mark and which.isdigit() and caption.strip()):
            raise ValueError(f"{path}, line {number}: a name, #, a number, a tab and a caption are needed. Received: {line[:80]!r}.")
        captions.setdefault(name, []).append(caption.strip())
    return captions


def _photographs(beside, name):
    """Finds the folder of the photographs: below the folder of the texts, or beside it."""
    folders = [parent / folder for parent in (beside, beside.parent) for folder in FOLDERS]
    for folder in folders:
        if (folder / name).is_file():
            return folder
    raise FileNotFoundError(f"No folder {' or '.join(FOLDERS[:-1])} at {str(beside)!r} or above it holds {name}. Get the photographs from {SITE}.")
