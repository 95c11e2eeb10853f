"""Numbered passes, on a dataset of which the elements say what they are."""

import pytest

from keras_richctx.datasets.passes import numbered_passes


@pytest.fixture
def dataset():
    """Pass `k` holds `10 k`, `10 k + 1`, `10 k + 2`."""
    import tensorflow as tf

    return numbered_passes(lambda numbers: numbers.flat_map(lambda k: tf.data.Dataset.range(10 * k, 10 * k + 3)), cardinality=3)


def elements(dataset):
    return [int(element) for element in dataset]


WHOLE = [0, 1, 2, 10, 11, 12, 20, 21, 22]


def test_each_iteration_is_the_next_pass(dataset):
    assert elements(dataset) + elements(dataset) + elements(dataset) == WHOLE


def test_repeat_begins_with_the_first_pass_whatever_was_iterated_before(dataset):
    next(iter(dataset))  # as a trainer does, to see the shapes
    elements(dataset)
    for _ in range(2):
        assert elements(dataset.repeat(3)) == WHOLE


@pytest.mark.parametrize("done", [0, 1, 3, 5, 8, 9])
def test_skipping_what_was_done_gives_the_rest(dataset, done):
    assert elements(dataset.repeat(3).skip(done)) == WHOLE[done:]
    assert elements(dataset.repeat().skip(done).take(4))[: 9 - done] == WHOLE[done : done + 4]


def test_a_transformed_dataset_counts_on(dataset):
    assert elements(dataset.prefetch(1).repeat(3)) == WHOLE
    assert elements(dataset.prefetch(1).repeat(1)) == [30, 31, 32]


def test_cardinality_is_known(dataset):
    forever = [dataset.repeat(), dataset.repeat(-1)]
    assert [int(d.cardinality()) for d in (dataset, dataset.repeat(3), dataset.repeat(0), *forever)] == [3, 9, 0, -1, -1]
    assert elements(dataset.repeat(0)) == []
