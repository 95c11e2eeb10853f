"""The measured loss is that of the whole text."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_richctx.language_models import evaluate

pytestmark = pytest.mark.backends


def by_hand(model, ids):
    log = keras.ops.convert_to_numpy(keras.ops.log_softmax(model(ids[None, :-1]), axis=-1))[0].astype("float64")
    return -log[np.arange(len(ids) - 1), ids[1:]]


@settings(max_examples=3 if keras.backend.backend() == "jax" else 8)  # each length is a program there
@given(length=st.integers(2, 40), chunk=st.sampled_from([1, 7, 40]), cell=st.sampled_from(["rnn", "lstm", "gru"]))
def test_one_row_in_chunks_of_any_length_is_one_pass(make, draw, length, chunk, cell):
    model, ids = make(cell), draw(length)
    assert evaluate(model, ids, batch_size=1, chunk=chunk) == pytest.approx(by_hand(model, ids).mean(), rel=1e-5)


def test_several_rows_are_the_mean_over_all_their_tokens(make, draw):
    model, ids = make(), draw(24)  # 23 targets in rows of 6, 6, 6 and 5
    rows = np.concatenate([by_hand(model, ids[first : last + 1]) for first, last in [(0, 6), (6, 12), (12, 18), (18, 23)]])
    assert len(rows) == 23
    assert evaluate(model, ids, batch_size=4, chunk=4) == pytest.approx(rows.mean(), rel=1e-5)


def test_it_leaves_the_model_as_it_is_and_sees_new_weights(make, draw):
    model, ids = make(), draw(24)
    before = evaluate(model, ids, batch_size=2)
    assert not model.compiled
    model.set_weights([2 * weight for weight in model.get_weights()])
    assert evaluate(model, ids, batch_size=2) != pytest.approx(before, rel=1e-3)
    assert evaluate(model, ids, batch_size=2) == evaluate(model, ids, batch_size=2)
