"""Digits: the format read byte by byte, the official files, and digits put into larger images."""

import gzip

import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.datasets.mnist import read_idx


def idx(array):
    return b"\x00\x00\x08" + bytes([array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


@pytest.fixture
def digits():
    return krc.datasets.LabelledImages(np.random.default_rng(0).integers(1, 256, (7, 9, 9, 1), "uint8"), np.arange(7))


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_an_array_comes_back(tmp_path, compress):
    array = np.random.default_rng(0).integers(0, 256, (3, 5, 2), "uint8")
    (tmp_path / "file").write_bytes(compress(idx(array)))
    np.testing.assert_array_equal(read_idx(tmp_path / "file"), array)


@pytest.mark.parametrize(
    "data, fault",
    [
        (idx(np.zeros(4, "uint8"))[:-1], "not whole: it has 3 bytes where its head tells of 4"),
        (b"\x00\x00\x08\xc8" + b"\x00\x00\x00\x01" * 200 + b"a", "no IDX"),
        (b"PK\x03\x04", "no IDX file of bytes. Received: a file that begins with b'PK"),
        (gzip.compress(b"\x00" * 9)[:-3], "damaged"),
    ],
    ids=["short", "axes", "zip", "cut"],
)
def test_a_file_that_is_not_whole_is_named(tmp_path, data, fault):
    (tmp_path / "digits").write_bytes(data)
    with pytest.raises(ValueError, match=f"digits is .*{fault}"):
        read_idx(tmp_path / "digits")


def test_the_official_digits_are_read_whole(data_dir):
    test = krc.datasets.load("mnist", "test", data_dir=data_dir)
    assert test.images.shape == (10_000, 28, 28, 1)
    assert np.bincount(test.labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]  # as the page of the data set counts them
    assert test.labels[:5].tolist() == [7, 2, 1, 0, 4]
    assert 0.13 < test.pixels.mean() < 0.134


def test_other_files_and_splits_are_refused(tmp_path):
    (tmp_path / "mnist").mkdir()
    for kind, array in {"images-idx3": np.zeros((3, 8, 8), "uint8"), "labels-idx1": np.zeros(3, "uint8")}.items():
        (tmp_path / "mnist" / f"t10k-{kind}-ubyte").write_bytes(idx(array))
    with pytest.raises(ValueError, match=r"not the files of MNIST.*Received: arrays \(3, 8, 8\) and \(3,\)"):
        krc.datasets.load("mnist", "test", data_dir=tmp_path)
    with pytest.raises(ValueError, match=r"train, validation, test\. Received: split='dev'"):
        krc.datasets.load("mnist", "dev")


def test_each_digit_is_whole_somewhere_and_nothing_else_is(digits):
    moved = krc.datasets.translated_digits(digits, size=20, seed=3)
    assert len({tuple(np.argwhere(image[..., 0])[0]) for image in moved.images}) > 3
    for image, digit, label in zip(moved.images, digits.images, moved.labels):
        rows, columns = np.nonzero(image[..., 0])
        np.testing.assert_array_equal(image[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1], digit)
        assert digits.labels[label] == label


def test_clutter_is_of_pieces_beside_the_same_digit(digits):
    alone = krc.datasets.translated_digits(digits, size=30, seed=3).images
    among = krc.datasets.cluttered_digits(digits, size=30, pieces=2, piece_size=3, seed=3).images
    assert (among >= alone).all()
    assert 0 < ((among > 0) & (alone == 0)).sum(axis=(1, 2, 3)).max() <= 2 * 3 * 3
    np.testing.assert_array_equal(among, krc.datasets.cluttered_digits(digits, size=30, pieces=2, piece_size=3, seed=3).images)
    assert (among != krc.datasets.cluttered_digits(digits, size=30, pieces=2, piece_size=3, seed=4).images).any()


def test_what_does_not_fit_is_refused(digits):
    with pytest.raises(ValueError, match=r"9 x 9 pixels must fit .*Received: size=8"):
        krc.datasets.translated_digits(digits, size=8)
    for option, value in (("size", 20.5), ("pieces", -1), ("piece_size", 0), ("seed", -1)):
        with pytest.raises(ValueError, match=f"Received: {option}={value}"):
            krc.datasets.cluttered_digits(digits, **{"size": 20, "piece_size": 3, option: value})
    with pytest.raises(ValueError, match="Received: size=20, piece_size=10"):
        krc.datasets.cluttered_digits(digits, size=20, piece_size=10)


def test_digits_smaller_than_a_piece_are_moved_without_any():
    small = krc.datasets.LabelledImages(np.ones((2, 5, 5, 1), "uint8"), np.array([0, 1]))
    assert (krc.datasets.translated_digits(small, size=9).images.sum(axis=(1, 2, 3)) == 25).all()


def test_images_without_labels_of_their_own_are_refused(digits):
    for images, labels in ((digits.images, np.arange(3)), (digits.images[..., 0], np.arange(7)), (digits.images, np.arange(7) / 2)):
        with pytest.raises(ValueError, match="with an integer label each"):
            krc.datasets.LabelledImages(images, labels)
    wide = krc.datasets.LabelledImages(digits.images.astype("int64"), digits.labels)
    np.testing.assert_array_equal(wide.pixels, digits.pixels)  # numbers up to 255, whatever integers they are


def test_parts_of_a_set_are_sets(digits):
    assert digits[digits.labels < 3].labels.tolist() == [0, 1, 2]
    image, label = digits[5]
    assert label == 5
    np.testing.assert_array_equal(image, digits.images[5])
    np.testing.assert_allclose(digits.pixels * 255, digits.images, atol=1e-4)
