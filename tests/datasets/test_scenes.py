import collections

import numpy as np
import pytest

from keras_richctx.datasets import load, scenes
from keras_richctx.datasets.scenes import COLOURS, WITHHELD
from keras_richctx.datasets.shapes import SHAPES, pixels
from keras_richctx.text import WordTokenizer

SIDE = 48


@pytest.fixture(scope="module")
def made():
    return scenes(300, seed=4)


def read(caption):
    """The kinds that a caption names, and the relation between them."""
    words = caption.split()
    kinds = [(words[i + 1], words[i + 2]) for i, word in enumerate(words) if word in ("a", "an")]
    return kinds, " ".join(words[3:-3])


def test_a_caption_is_true_of_its_picture(made):
    for i, captions in enumerate(made.captions):
        for caption, about in zip(captions, made.about[i]):
            kinds, relation = read(caption)
            middles = []
            for (colour, shape), number in zip(kinds, dict.fromkeys(n for n in about if n)):
                here = made.things[i] == number
                rows, columns = np.nonzero(here)
                middles.append((rows.mean(), columns.mean()))
                named = np.abs(np.array(list(COLOURS.values())) - made.images[i][here].mean(axis=0)).sum(axis=1).argmin()
                assert list(COLOURS)[named] == colour
                # of all shapes drawn around the same pixels, the named one covers them best
                centre, radius = ((rows.max() + rows.min()) / 2, (columns.max() + columns.min()) / 2), (columns.max() - columns.min() + 1) / 2
                overlap = {s: max((pixels(s, centre, radius * k, SIDE) == here).sum() for k in (0.95, 1.0, 1.1, 1.2)) for s in SHAPES}
                assert overlap[shape] >= max(overlap.values()) - 12, (i, caption, overlap)
            if relation:
                (y1, x1), (y2, x2) = middles
                assert {"left of": x1 < x2, "right of": x1 > x2, "above": y1 < y2, "below": y1 > y2}[relation]


def test_each_word_is_about_its_thing(made):
    tokenizer = WordTokenizer.train([caption for captions in made.captions for caption in captions], vocab_size=50)
    for i, captions in enumerate(made.captions):
        for k, caption in enumerate(captions):
            words = tokenizer.words(caption)
            regions = made.regions(i, k)
            assert regions.shape == (len(words), 6, 6)
            content = [word in COLOURS or word in SHAPES for word in words]
            np.testing.assert_array_equal(regions.any(axis=(1, 2)), content)
            # a colour and its shape are in one place, and two things in two
            numbers = [n for n, is_content in zip(made.about[i][k], content) if is_content]
            assert numbers in ([1, 1], [1, 1, 2, 2], [2, 2, 1, 1])


def test_a_region_is_where_the_thing_has_a_pixel(made):
    for grid in ((6, 6), (12, 4), (1, 1), (48, 48)):
        region = made.regions(7, 0, grid)[1]
        rows, columns = np.nonzero(made.things[7] == made.about[7][0][1])
        expected = np.zeros(grid, bool)
        expected[rows * grid[0] // SIDE, columns * grid[1] // SIDE] = True
        np.testing.assert_array_equal(region, expected)
    with pytest.raises(ValueError, match=r"Received: grid=\(5, 6\) for pictures of 48 x 48"):
        made.regions(0, 0, (5, 6))


def test_fewer_are_the_beginning_of_more_and_the_seed_is_all(made):
    first, again, other = scenes(9, seed=4), made[:9], scenes(9, seed=5)
    np.testing.assert_array_equal(first.images, again.images)
    assert (first.captions, first.about) == (again.captions, again.about)
    assert first.captions != other.captions
    assert isinstance(again, type(first))
    assert len(scenes(0)) == 0


def test_no_caption_is_in_two_splits_whatever_the_seeds():
    said = []
    for split in ("train", "validation", "test"):
        made = [load("scenes", split, size=150, seed=seed) for seed in (0, 1)]
        said.append({caption for part in made for captions in part.captions for caption in captions})
    assert len(set.union(*said)) == sum(map(len, said))


def test_what_is_withheld_is_shown_only_where_it_is_asked_for(made):
    assert len(WITHHELD) == len(COLOURS)
    shown = collections.Counter(kind for captions in made.captions for kind in read(captions[0])[0])
    assert not WITHHELD & set(shown)
    assert len(shown) == 40
    asked = load("scenes", "test", size=60, withheld=True)
    assert all(WITHHELD & set(read(captions[0])[0]) for captions in asked.captions)


def test_pictures_have_other_sizes():
    made = scenes(2, side=64)
    assert (made.images.shape, made.things.shape) == ((2, 64, 64, 3), (2, 64, 64))


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="Received: n=-1"):
        scenes(-1)
    for option, value in (("seed", -1), ("seed", None), ("withheld", "no"), ("withheld", None)):
        with pytest.raises(ValueError, match=f"Received: {option}={value!r}"):
            scenes(1, **{option: value})
    for grid in ((0, 6), (-6, 6), 6, (6.0, 6)):
        with pytest.raises(ValueError, match="a pair of positive integers"):
            scenes(1).regions(0, grid=grid)
    with pytest.raises(ValueError, match="side=16"):
        scenes(1, side=16)
    with pytest.raises(ValueError, match="Received: split='dev'"):
        load("scenes", "dev")
