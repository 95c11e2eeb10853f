import numpy as np
import pytest

from keras_richctx.viz import caption_maps

IMAGE = np.arange(12 * 8 * 3).reshape(12, 8, 3).astype("uint8")
WORDS = ["a", "red", "ring"]
WEIGHTS = np.zeros((3, 3, 2))
WEIGHTS[0], WEIGHTS[1, 0, 1], WEIGHTS[2, 2, 0] = 1 / 6, 0.5, 1.0


@pytest.mark.parametrize("dark", [False, True])
def test_each_word_has_its_picture_and_what_was_looked_at_shows(dark):
    figure = caption_maps(IMAGE, WORDS, WEIGHTS, dark=dark, title="A ring")
    assert [ax.get_title("left") for ax in figure.axes] == ["", *WORDS]
    for ax, weights in zip(figure.axes[1:], WEIGHTS):
        picture, veil = (image.get_array() for image in ax.images)
        np.testing.assert_array_equal(picture, IMAGE)
        np.testing.assert_allclose(veil[..., 3], 0.88 * (1 - weights), atol=1e-6)
        assert len({tuple(colour) for colour in veil[..., :3].reshape(-1, 3)}) == 1
    assert len(figure.axes[0].images) == 1
    assert "a weight of 1.00" in figure.texts[-1].get_text()


def test_maps_are_on_one_scale():
    figure = caption_maps(IMAGE, WORDS[:2], WEIGHTS[:2])
    assert figure.axes[2].images[1].get_array()[0, 1, 3] == 0
    np.testing.assert_allclose(figure.axes[1].images[1].get_array()[0, 0, 3], 0.88 * (1 - 1 / 3))


def test_gold_cells_are_outlined_once():
    gold = np.zeros(WEIGHTS.shape, bool)
    gold[1, 0, 1] = gold[1, 1, 1] = True
    figure = caption_maps(IMAGE, WORDS, WEIGHTS, gold=gold)
    assert [len(ax.lines) for ax in figure.axes] == [0, 0, 6, 0]  # a border of six edges around two cells
    ends = {tuple(np.ravel(line.get_xydata()).round(3)) for line in figure.axes[2].lines}
    assert (0.5, 0.0, 0.5, 0.333) in ends
    assert (0.5, 0.667, 1.0, 0.667) in ends
    assert "outlined: gold" in figure.texts[-1].get_text()


def test_pictures_keep_their_shape_and_their_places():
    figure = caption_maps(IMAGE, ["word"] * 9, np.full((9, 3, 2), 1 / 6), columns=4, title="A long title " * 20)
    boxes = [ax.get_position() for ax in figure.axes]
    across, down = figure.get_size_inches()
    for box in boxes:
        np.testing.assert_allclose(box.height * down / (box.width * across), 12 / 8)
        assert 0 <= box.x0 < box.x1 <= 1
        assert 0 <= box.y0 < box.y1 <= 1
    assert len({round(box.y0, 4) for box in boxes}) == 3
    assert boxes[0].y0 == boxes[3].y0 > boxes[4].y0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"image": IMAGE[..., 0]}, r"an image of shape \(12, 8\)"),
        ({"image": IMAGE[:0]}, r"an image of shape \(0, 8, 3\)"),
        ({"image": IMAGE / 255.0}, r"multiply those from 0 to 1 by it\. Received: an image from 0 to 1"),
        ({"image": np.full(IMAGE.shape, np.nan)}, r"Received: an image from nan"),
        ({"image": IMAGE.astype("int32") * 2}, r"Received: an image from 0 to 510"),
        ({"columns": 0}, r"Received: columns=0"),
        ({"columns": 1.5}, r"Received: columns=1\.5"),
        ({"weights": WEIGHTS[:2]}, r"each of the 3 words.*Received: weights of shape \(2, 3, 2\)"),
        ({"weights": WEIGHTS.reshape(3, 6)}, r"Received: weights of shape \(3, 6\)"),
        ({"weights": WEIGHTS - 0.1}, r"Received: weights from -0\.1"),
        ({"gold": WEIGHTS[0] > 0}, r"Received: gold of shape \(3, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        caption_maps(**{"image": IMAGE, "words": WORDS, "weights": WEIGHTS, **change})
    with pytest.raises(TypeError, match="list of strings"):
        caption_maps(IMAGE, "a red ring", WEIGHTS)
