import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from keras_richctx.metrics import hard_alignment

WEIGHTS = arrays("float32", array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1, width=32))


@given(WEIGHTS)
def test_every_row_with_weight_has_one_link_to_a_largest_weight(weights):
    links = hard_alignment(weights)
    assert sorted(target for _, target in links) == np.flatnonzero(weights.any(axis=1)).tolist()
    assert all(weights[target, source] == weights[target].max() for source, target in links)


@given(WEIGHTS, st.integers(0, 3), st.integers(0, 3))
def test_padding_with_zeros_changes_nothing(weights, rows, columns):
    assert hard_alignment(np.pad(weights, [(0, rows), (0, columns)])) == hard_alignment(weights)


@given(WEIGHTS, st.floats(0, 1, width=32))
def test_a_threshold_keeps_exactly_the_links_that_reach_it(weights, threshold):
    kept = {(source, target) for source, target in hard_alignment(weights) if weights[target, source] >= threshold}
    assert hard_alignment(weights, threshold) == kept


def test_links_are_source_first_of_plain_ints_and_the_first_of_equals_wins():
    links = hard_alignment(np.array([[0.2, 0.4, 0.4], [0.0, 0.0, 1.0]]))
    assert links == {(1, 0), (2, 1)}
    assert {type(index) for link in links for index in link} == {int}


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_words_have_no_links(shape):
    assert hard_alignment(np.zeros(shape)) == set()


@pytest.mark.parametrize(
    "weights, message",
    [
        (np.zeros((2, 3, 4)), r"of shape \(target, source\). Received: weights of shape \(2, 3, 4\)"),
        (np.zeros(3), r"shape \(3,\)"),
        ([[0.5, -0.5]], r"from -0.5 to 0.5"),
        ([[0.5, np.nan]], r"finite and not negative"),
        ([[0.5, np.inf]], r"to inf"),
    ],
)
def test_what_are_no_weights_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        hard_alignment(weights)
