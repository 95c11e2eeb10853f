import numpy as np
import pytest

from keras_richctx import metrics
from keras_richctx.viz import confusion

LABELS = ["B-THE", "I-THE", "O"]
COUNTS = np.array([[3, 1, 0], [0, 0, 0], [2, 0, 1200]])


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_shares_of_rows_and_numbers_are_counts(dark):
    axes = confusion(COUNTS, LABELS, title="Components", dark=dark)
    (image,) = axes.images
    np.testing.assert_allclose(image.get_array(), [[0.75, 0.25, 0], [0, 0, 0], [2 / 1202, 0, 1200 / 1202]])
    assert image.get_clim() == (0, 1)
    assert {text.get_position(): text.get_text() for text in axes.texts} == {(0, 0): "3", (1, 0): "1", (0, 2): "2", (2, 2): "1,200"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("predicted", "gold")
    assert [label.get_text() for label in axes.get_yticklabels()] == LABELS


def test_it_takes_what_the_metric_gives():
    labels, counts = metrics.confusion([["O", "B-X"]], [["B-X", "B-X"]])
    axes = confusion(counts, labels)
    assert {text.get_position() for text in axes.texts} == {(0, 0), (1, 0)}  # gold B-X, taken for both


def test_what_is_no_table_of_counts_is_refused():
    with pytest.raises(ValueError, match=r"counts of shape \(3, 3\)"):
        confusion(COUNTS, LABELS[:2])
    with pytest.raises(ValueError, match="Received: -1"):
        confusion(-COUNTS.clip(0, 1), LABELS)
    with pytest.raises(TypeError, match="list of strings"):
        confusion(COUNTS, "BIO")
