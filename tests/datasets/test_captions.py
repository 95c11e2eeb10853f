"""Pictures with captions from files, and their batches."""

import keras
import numpy as np
import pytest

from keras_richctx.datasets import CaptionedImages, ImageFiles, caption_batches, load
from keras_richctx.datasets.stamps import without_number
from keras_richctx.text import WordTokenizer

CAPTIONS = [["a dog runs", "a brown dog on a green field"], ["snow"], ["two dogs", "dogs", "two brown dogs"]]
IMAGES = np.arange(3 * 4 * 5 * 3).reshape(3, 4, 5, 3).astype("uint8")


@pytest.fixture(scope="module")
def pictures():
    return CaptionedImages(IMAGES, CAPTIONS, ["one", "two", "three"])


@pytest.fixture(scope="module")
def tokenizer():
    return WordTokenizer.train([caption for captions in CAPTIONS for caption in captions], vocab_size=50)


def test_a_part_of_the_pictures_has_its_captions_and_names(pictures):
    part = pictures[1:]
    assert (part.captions, part.names, len(part)) == (CAPTIONS[1:], ["two", "three"], 2)
    np.testing.assert_array_equal(part.images, IMAGES[1:])
    np.testing.assert_array_equal(pictures[2][0], IMAGES[2])
    assert repr(pictures) == "<CaptionedImages: 3 pictures with 6 captions>"


@pytest.mark.parametrize(
    "captions, names, message",
    [
        (CAPTIONS[:2], None, r"Received: 3 pictures, 2 lists of captions\."),
        (CAPTIONS, ["one"], r"3 lists of captions and 1 names"),
        ([["a"], [], ["b"]], None, r"Received: captions\[1\]=\[\]"),
        (["a", "b", "c"], None, r"Received: captions\[0\]='a'"),
    ],
)
def test_pictures_without_captions_are_refused(captions, names, message):
    with pytest.raises(ValueError, match=message):
        CaptionedImages(IMAGES, captions, names)


def test_a_batch_written_out_by_hand(pictures, tokenizer):
    inputs, labels, weights = next(iter(caption_batches(pictures, tokenizer, batch_size=3, shuffle=False, pad_to_multiple=1)))
    np.testing.assert_array_equal(inputs["images"], IMAGES[[0, 0, 1]])
    assert [tokenizer.pieces(row) for row in labels.numpy().tolist()] == [
        ["a", "dog", "runs", "[EOS]", *["[PAD]"] * 4],
        ["a", "brown", "dog", "on", "a", "green", "field", "[EOS]"],
        ["snow", "[EOS]", *["[PAD]"] * 6],
    ]
    np.testing.assert_array_equal(inputs["token_ids"][:, 0], [tokenizer.bos_id] * 3)
    np.testing.assert_array_equal(inputs["token_ids"][1, 1:], labels[1, :-1])
    np.testing.assert_array_equal(inputs["padding_mask"], labels != tokenizer.pad_id)
    np.testing.assert_array_equal(weights, inputs["padding_mask"].numpy().astype("float32"))


def test_each_caption_occurs_once_in_a_pass_beside_its_picture(pictures, tokenizer):
    batches = caption_batches(pictures, tokenizer, batch_size=4)
    assert int(batches.cardinality()) == 2
    of_caption = {caption: i for i, captions in enumerate(CAPTIONS) for caption in captions}
    orders = []
    for _ in range(4):
        said = []
        for inputs, labels, _ in batches:
            assert labels.shape[1] % 4 == 0
            for image, row in zip(inputs["images"].numpy(), labels.numpy().tolist()):
                said.append(tokenizer.decode(row[: row.index(tokenizer.eos_id)]))
                np.testing.assert_array_equal(image, IMAGES[of_caption[said[-1]]])
        assert sorted(said) == sorted(of_caption)
        orders.append(said)
    assert len({tuple(said) for said in orders}) > 1
    # a run that was stopped goes on at its very step
    rest = [labels.numpy().tolist() for _, labels, _ in caption_batches(pictures, tokenizer, batch_size=4).repeat().skip(3).take(2)]
    assert rest == [labels.numpy().tolist() for _, labels, _ in caption_batches(pictures, tokenizer, batch_size=4).repeat(3)][3:5]


def test_batches_of_nothing_are_refused(pictures, tokenizer):
    with pytest.raises(ValueError, match="at least one picture"):
        caption_batches(pictures[:0], tokenizer)
    with pytest.raises(ValueError, match="Received: seed=-1"):
        caption_batches(pictures, tokenizer, seed=-1)
    with pytest.raises(ValueError, match="Received: batch_size=0"):
        caption_batches(pictures, tokenizer, batch_size=0)


@pytest.fixture(scope="module")
def flickr(tmp_path_factory):
    """Flickr8k as its two archives are unpacked, with three photographs."""
    folder = tmp_path_factory.mktemp("flickr")
    texts, photographs = folder / "Flickr8k_text", folder / "Flicker8k_Dataset"
    texts.mkdir()
    photographs.mkdir()
    lines = [f"{i}_ab.jpg#{k}\tPicture {i} says {k} ." for i in range(3) for k in range(5)]
    lines.append("2258277193_586949ec62.jpg.1#0\tThis name is in no list .")  # as in the official file
    (texts / "Flickr8k.token.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for split, names in (("train", "1_ab.jpg\n0_ab.jpg\n"), ("dev", "2_ab.jpg\n"), ("test", "7_ab.jpg\n")):
        (texts / f"Flickr_8k.{split}Images.txt").write_text(names, encoding="utf-8")
    for i in range(3):
        image = np.zeros((20, 40, 3)) + 80 * i
        image[:, :10] = image[:, 30:] = 255  # what is cut off
        keras.utils.save_img(photographs / f"{i}_ab.jpg", image, scale=False)
    return folder


def test_the_official_layout_of_flickr8k_is_read(flickr):
    train = load("flickr8k", "train", data_dir=flickr, side=16)
    assert train.names == ["1_ab.jpg", "0_ab.jpg"]
    assert train.captions[0] == [f"Picture 1 says {k} ." for k in range(5)]
    assert train.images[:].shape == (2, 16, 16, 3)
    np.testing.assert_allclose(train.images[[0, 1]][:, :, 2:-2].mean(axis=(1, 2, 3)), [80, 0], atol=3)  # the middle, in the order of the list
    assert len(load("flickr8k", "validation", data_dir=flickr)) == 1


def test_what_flickr8k_lacks_is_named(flickr, tmp_path):
    with pytest.raises(ValueError, match=r"names '7_ab\.jpg', of which .* has no caption"):
        load("flickr8k", "test", data_dir=flickr)
    with pytest.raises(FileNotFoundError, match=r"Flickr8k\.token\.txt"):
        load("flickr8k", data_dir=tmp_path)
    (tmp_path / "Flickr8k.token.txt").write_text("1.jpg#0\tA dog .\n2.jpg#0\tA cat .\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"without Flickr_8k\.trainImages\.txt"):
        load("flickr8k", data_dir=tmp_path)
    (tmp_path / "Flickr_8k.trainImages.txt").write_text("1.jpg\n2.jpg\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"holds 1\.jpg"):
        load("flickr8k", data_dir=tmp_path)
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    with pytest.raises(FileNotFoundError, match=r"lacks 1 of the 2 photographs of the split, such as 2\.jpg"):
        load("flickr8k", data_dir=tmp_path)
    with pytest.raises(ValueError, match=r"1\.jpg cannot be read as a picture"):
        ImageFiles([tmp_path / "1.jpg"])[0]
    with pytest.raises(TypeError, match=r"a list of paths\. Received: paths='1\.jpg'"):
        ImageFiles("1.jpg")
    for side in (0, 1.5):
        with pytest.raises(ValueError, match=f"Received: side={side}"):
            ImageFiles([], side)
    keras.utils.save_img(tmp_path / "1.jpg", np.zeros((9, 9, 3)), scale=False)
    keras.utils.save_img(tmp_path / "2.jpg", np.zeros((9, 9, 3)), scale=False)
    with pytest.raises(ValueError, match=r"has 1 captions of '1\.jpg', where each photograph has 5: it is cut off"):
        load("flickr8k", data_dir=tmp_path)
    (tmp_path / "Flickr_8k.trainImages.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"trainImages\.txt names no photograph"):
        load("flickr8k", data_dir=tmp_path)
    (tmp_path / "Flickr8k.token.txt").write_text("1.jpg#0\tA dog .\n1.jpg A dog .\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2: .*Received: '1\.jpg A dog \.'"):
        load("flickr8k", data_dir=tmp_path)


def test_the_stamps_are_split_by_name(data_dir):
    splits = [load("stamps", split, data_dir=data_dir) for split in ("train", "validation", "test")]
    assert sum(map(len, splits)) == 538
    names = [{without_number(name) for name in split.names} for split in splits]
    assert len(set.union(*names)) == sum(map(len, names))
    assert splits[0].images.shape[1:] == (96, 96, 3)
    french = load("stamps", "test", data_dir=data_dir, language="fr")
    assert french.names == splits[2].names
    assert french.captions != splits[2].captions


def test_an_archive_that_is_not_the_stamps_is_refused(tmp_path):
    np.savez(tmp_path / "tuxpaint_stamps.npz", images=IMAGES)
    with pytest.raises(ValueError, match="is no archive of images"):
        load("stamps", data_dir=tmp_path)
    np.savez(tmp_path / "tuxpaint_stamps.npz", images=IMAGES, caption_en=np.array([{}, 1], object), name=np.array(["a"]))
    with pytest.raises(ValueError, match="is no archive of images"):  # no pickle is executed
        load("stamps", data_dir=tmp_path)
    names = np.array([f"x{letter}" for letter in "abcdefghij"])
    whole = {"images": np.zeros((10, 4, 4, 3), "uint8"), "caption_en": names, "name": names}
    for change in ({"images": whole["images"][:3]}, {"caption_en": names[:3]}, {"images": whole["images"] / 255}, {"caption_en": np.arange(10)}):
        np.savez(tmp_path / "tuxpaint_stamps.npz", **{**whole, **change})
        with pytest.raises(ValueError, match="is no archive of pictures with a caption and a name each"):
            load("stamps", data_dir=tmp_path)
    np.savez_compressed(tmp_path / "tuxpaint_stamps.npz", **whole)
    data = (tmp_path / "tuxpaint_stamps.npz").read_bytes()
    for damaged in (b"", data[: len(data) // 2], data[:60] + bytes(20) + data[80:]):
        (tmp_path / "tuxpaint_stamps.npz").write_bytes(damaged)
        with pytest.raises(ValueError, match="is no archive of images"):
            load("stamps", data_dir=tmp_path)
    with pytest.raises(ValueError, match="Received: language='de'"):
        load("stamps", language="de")
