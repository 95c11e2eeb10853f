import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.text.pad_rows import pad_rows, row_mask


@given(st.lists(st.lists(st.integers(0, 99), max_size=7), min_size=1, max_size=5), st.integers(1, 4), st.integers(-1, 9))
def test_rows_stand_at_their_beginnings_and_the_mask_gives_them_back(rows, multiple, value):
    array, mask = pad_rows(rows, value, multiple), row_mask(rows, multiple)
    assert array.dtype == "int32"
    assert array.shape == mask.shape
    assert array.shape[1] % multiple == 0
    assert 0 <= array.shape[1] - max(map(len, rows)) < multiple
    assert [of_row[real].tolist() for of_row, real in zip(array, mask)] == rows
    assert np.all(array[~mask] == value)
