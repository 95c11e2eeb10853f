import keras
import numpy as np
import pytest

from keras_richctx.ops import as_mask, causal_mask, merge_masks, padding_mask

pytestmark = pytest.mark.backends

to_numpy = keras.ops.convert_to_numpy


def test_padding_is_told_by_its_id():
    ids = np.array([[5, 0, 3], [9, 9, 0]])
    np.testing.assert_array_equal(to_numpy(padding_mask(ids)), ids != 0)
    np.testing.assert_array_equal(to_numpy(padding_mask(ids, pad_id=9)), ids != 9)


@pytest.mark.parametrize("target, source", [(1, 1), (5, 5), (3, 7), (1, 4)])
def test_the_last_query_sees_all_and_each_one_before_it_one_less(target, source):
    mask = to_numpy(causal_mask(target, source))
    np.testing.assert_array_equal(mask, np.tri(target, source, source - target, dtype=bool))
    assert mask.any(axis=-1).all()


def test_by_default_there_are_as_many_keys_as_queries():
    np.testing.assert_array_equal(to_numpy(causal_mask(4)), np.tri(4, dtype=bool))


def test_fewer_keys_than_queries_are_refused():
    with pytest.raises(ValueError, match=r"at least as many keys as queries.*Received: target_length=3, source_length=2"):
        causal_mask(3, 2)


def test_merged_masks_allow_what_each_of_them_allows():
    padding, causal = np.array([[True, True, False], [True, False, False]])[:, None], np.tri(3, dtype=bool)
    np.testing.assert_array_equal(to_numpy(merge_masks(None, padding, causal, None)), padding & causal)
    np.testing.assert_array_equal(to_numpy(merge_masks(padding)), padding)
    assert merge_masks() is None
    assert merge_masks(None, None) is None


def test_numbers_other_than_zero_are_real():
    mask = as_mask(np.array([2, 0, 1, -1]))
    assert keras.backend.standardize_dtype(mask.dtype) == "bool"
    np.testing.assert_array_equal(to_numpy(mask), [True, False, True, True])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_a_mask_of_floats_is_refused_by_name(dtype):
    floats = keras.ops.zeros((1, 3), dtype=dtype)
    with pytest.raises(ValueError, match=rf"True where a position is real.*Received: value_mask of dtype {dtype}"):
        as_mask(floats, name="value_mask")
    with pytest.raises(ValueError, match=rf"Received: masks\[1\] of dtype {dtype}"):
        merge_masks(np.ones((1, 3), bool), floats)


@pytest.mark.parametrize("additive", [[[0.0, 0.0, -1e9]], [0.0, float("-inf")]])
def test_a_list_of_floats_is_refused_as_an_array_is(additive):
    with pytest.raises(ValueError, match=r"additive mask"):
        as_mask(additive)


def test_a_list_of_truth_values_is_a_mask():
    np.testing.assert_array_equal(to_numpy(as_mask([[True, False], [True, True]])), [[True, False], [True, True]])
    np.testing.assert_array_equal(to_numpy(as_mask([2, 0])), [True, False])


@pytest.mark.parametrize("lengths, message", [((np.int64(3), np.int64(2)), "at least as many keys"), ((2.5,), r"whole positions. Received: target_length=2.5")])
def test_lengths_that_make_no_causal_mask_are_refused(lengths, message):
    with pytest.raises(ValueError, match=message):
        causal_mask(*lengths)
