"""A stream in chunks is the stream: each token is a target once, and each row goes on where it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.datasets import stream_chunks


@given(length=st.integers(2, 60), batch_size=st.integers(1, 7), chunk=st.integers(1, 30))
def test_read_row_by_row_it_is_the_stream_again(length, batch_size, chunk):
    batch_size = min(batch_size, length - 1)
    stream = np.arange(100, 100 + length)
    inputs, targets, weights = stream_chunks(stream, batch_size, chunk)
    width = targets.shape[1]
    assert width <= chunk

    def rows(array):
        return array.reshape(-1, batch_size, width).swapaxes(0, 1).reshape(batch_size, -1)  # (B, K C)

    real = rows(weights) == 1
    np.testing.assert_array_equal(rows(inputs["token_ids"])[real], stream[:-1])
    np.testing.assert_array_equal(rows(targets)[real], stream[1:])
    assert set(np.unique(weights)) <= {0.0, 1.0}
    sizes = real.sum(axis=1)
    assert sizes.max() - sizes.min() <= 1
    assert not (np.diff(real.astype(int), axis=1) > 0).any()  # pads stand at the end
    assert real.shape[1] - sizes.max() < width  # and are fewer than a chunk
    assert not rows(inputs["token_ids"])[~real].any()
    assert not rows(targets)[~real].any()


def test_rows_begin_in_the_first_batch_alone():
    inputs, targets, _ = stream_chunks(np.arange(20), batch_size=3, chunk=2)
    assert inputs["begins"].tolist() == [True] * 3 + [False] * (len(targets) - 3)


def test_a_chunk_is_no_longer_than_a_row():
    _, targets, weights = stream_chunks(np.arange(13), batch_size=4, chunk=100)
    assert targets.shape == (4, 3)
    assert weights.all()


@pytest.mark.parametrize(
    "stream, batch_size, chunk, message",
    [
        (np.arange(4), 4, 2, r"Each of 4 rows needs a token and its target\. Received: a stream of 4 tokens"),
        (np.zeros((4, 2), int), 1, 2, r"one 1-D array of token ids\. Received: stream of shape \(4, 2\)"),
        (np.arange(4.0), 1, 2, r"dtype float64"),
        ("text", 1, 2, r"one 1-D array of token ids"),
        (np.arange(4), 0, 2, r"batch_size is a positive integer\. Received: batch_size=0"),
        (np.arange(4), 1, -1, r"chunk is a positive integer\. Received: chunk=-1"),
    ],
)
def test_what_cannot_be_cut_is_refused(stream, batch_size, chunk, message):
    with pytest.raises(ValueError, match=message):
        stream_chunks(stream, batch_size, chunk)


def test_half_a_row_is_refused():
    with pytest.raises(TypeError, match="integer"):
        stream_chunks(np.arange(9), 2.5, 3)
