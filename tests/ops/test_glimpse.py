"""Glimpses beside crops of the image and SciPy's interpolation; a window of Gaussians beside NumPy."""

import keras
import numpy as np
import pytest
from scipy.ndimage import map_coordinates

import keras_richctx as krc

pytestmark = pytest.mark.backends

B, H, W, C = 3, 13, 9, 2


@pytest.fixture
def images():
    return np.random.default_rng(0).normal(size=(B, H, W, C)).astype("float32")


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


def centre_of(top, left, size):
    """The centre of the patch whose first pixel is at these rows and columns."""
    return np.stack([2 * (np.array(top) + size / 2) / H - 1, 2 * (np.array(left) + size / 2) / W - 1], axis=-1)


def test_between_pixels_it_is_a_crop_of_the_image_with_zeros_around(images):
    top, left, size = [-2, 4, 11], [3, -3, 7], 4
    patches = to_numpy(krc.ops.glimpse(images, centre_of(top, left, size), size))
    padded = np.pad(images, ((0, 0), (10, 10), (10, 10), (0, 0)))
    for image, patch, i, j in zip(padded, patches, top, left):
        np.testing.assert_allclose(patch[0], image[10 + i : 10 + i + size, 10 + j : 10 + j + size], atol=1e-5)


def test_a_coarser_patch_is_the_mean_of_a_wider_crop(images):
    size = 4
    centres = centre_of([3, 5, 4], [2, 1, 3], size)
    patches = to_numpy(krc.ops.glimpse(images, centres, size, scales=3))
    assert patches.shape == (B, 3, size, size, C)
    for scale in (1, 2):
        wide = to_numpy(krc.ops.glimpse(images, centres, size * 2**scale))[:, 0]
        means = wide.reshape(B, size, 2**scale, size, 2**scale, C).mean(axis=(2, 4))
        np.testing.assert_allclose(patches[:, scale], means, atol=1e-5)


def test_anywhere_it_is_scipys_bilinear_interpolation(images):
    size, centres = 5, np.array([[0.13, -0.4], [-0.77, 0.91], [1.2, 0.05]])
    patches = to_numpy(krc.ops.glimpse(images, centres, size))
    for image, patch, (y, x) in zip(images, patches, centres):
        rows = (y + 1) / 2 * H - 0.5 + np.arange(size) - 2
        columns = (x + 1) / 2 * W - 0.5 + np.arange(size) - 2
        for channel in range(C):
            expected = map_coordinates(image[..., channel], np.meshgrid(rows, columns, indexing="ij"), order=1, mode="grid-constant")
            np.testing.assert_allclose(patch[0, ..., channel], expected, atol=1e-5)


def test_the_derivative_by_the_centre_is_the_difference_quotient(images, gradients):
    centre = keras.Variable(np.array([[0.13, -0.4]] * B, "float32"))
    weights = np.random.default_rng(1).normal(size=(B, 2, 3, 3, C)).astype("float32")

    def score():
        return keras.ops.sum(keras.ops.multiply(krc.ops.glimpse(images, centre.value, 3, scales=2), weights))

    (gradient,) = gradients(score, [centre])
    step = np.zeros((B, 2), "float32")
    step[1, 0] = 1e-3
    value = to_numpy(centre.value)
    centre.assign(value + step)
    above = float(to_numpy(score()))
    centre.assign(value - step)
    assert gradient[1, 0] == pytest.approx((above - float(to_numpy(score()))) / 2e-3, abs=2e-2)


def test_half_precision_reads_where_float32_does(images):
    centres = np.array([[0.13, -0.4], [-0.77, 0.91], [1.2, 0.05]])
    half = krc.ops.glimpse(keras.ops.cast(images, "bfloat16"), centres, 5, scales=2)
    assert keras.backend.standardize_dtype(half.dtype) == "bfloat16"
    np.testing.assert_allclose(to_numpy(keras.ops.cast(half, "float32")), to_numpy(krc.ops.glimpse(images, centres, 5, scales=2)), atol=0.05)


def test_the_filters_are_numpys_gaussians_that_sum_to_one():
    g, stride, variance = np.array([4.2, 8.0]), np.array([1.5, 0.7]), np.array([0.9, 2.0])
    filters = to_numpy(krc.ops.gaussian_filters(g, stride, variance, size=5, length=11))
    a = np.arange(1, 12)
    for row, (middle, step, spread) in zip(filters, zip(g, stride, variance)):
        for i in range(5):
            mean = middle + (i + 1 - 2.5 - 0.5) * step
            weights = np.exp(-((a - mean) ** 2) / (2 * spread))
            np.testing.assert_allclose(row[i], weights / weights.sum(), atol=1e-5)


def test_a_filter_far_beside_the_image_is_zero_and_not_nan():
    filters = to_numpy(krc.ops.gaussian_filters(np.array([500.0]), np.array([1.0]), np.array([0.01]), size=3, length=7))
    assert not filters.any()


def test_bytes_are_read_as_their_numbers(images):
    centres = np.array([[0.13, -0.4], [-0.77, 0.91], [1.2, 0.05]])
    pictures = (np.abs(images) * 60).astype("uint8")
    np.testing.assert_allclose(to_numpy(krc.ops.glimpse(pictures, centres, 5, 2)), to_numpy(krc.ops.glimpse(pictures.astype("float32"), centres, 5, 2)))


@pytest.mark.parametrize(
    "shape, centres, size, scales, message",
    [
        ((2, 5, 4), (2, 2), 3, 1, r"Received: images of shape \(2, 5, 4\)"),
        ((2, 5, 4, 1), (3, 2), 3, 1, r"a centre of two numbers for each.*centres of shape \(3, 2\)"),
        ((2, 5, 4, 1), (2, 3), 3, 1, r"centres of shape \(2, 3\)"),
        ((2, 5, 4, 1), (2, 2), 0, 1, "Received: size=0"),
        ((2, 5, 4, 1), (2, 2), 2.5, 1, r"Received: size=2\.5"),
        ((2, 5, 4, 1), (2, 2), 3, 0, "Received: scales=0"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(shape, centres, size, scales, message):
    with pytest.raises(ValueError, match=message):
        krc.ops.glimpse(np.zeros(shape, "float32"), np.zeros(centres), size, scales)
