import math

import numpy as np
import pytest

from keras_richctx.metrics import glue_scores, matthews, pearson, spearman


def test_matthews_by_its_definition():
    rng = np.random.default_rng(0)
    predictions, labels = rng.integers(0, 2, (2, 200))
    tp, tn = (np.sum((predictions == k) & (labels == k)) for k in (1, 0))
    fp, fn = (np.sum((predictions == k) & (labels != k)) for k in (1, 0))
    wanted = (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert matthews(predictions, labels) == pytest.approx(wanted)
    assert matthews([1, 1, 1], [0, 1, 1]) == 0  # one answer to all knows nothing


def test_correlations_by_their_definitions():
    x, y = [1.0, 2.0, 2.0, 5.0], [3.0, 1.0, 4.0, 9.0]
    assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert spearman(x, y) == pytest.approx(np.corrcoef([1, 2.5, 2.5, 4], [2, 1, 3, 4])[0, 1])


def test_each_task_has_its_measures():
    p, y = [1, 1, 0, 1], [1, 0, 0, 1]
    assert glue_scores("cola", p, y) == {"matthews": pytest.approx(matthews(p, y))}
    assert glue_scores("SST-2", p, y) == {"accuracy": 0.75}
    assert glue_scores("qqp", p, y) == {"accuracy": 0.75, "f1": pytest.approx(0.8)}
    assert list(glue_scores("STS-B", [1.0, 2.0, 2.5], [0.0, 2.0, 5.0])) == ["pearson", "spearman"]
    assert glue_scores("mrpc", [0, 0], [1, 1]) == {"accuracy": 0.0, "f1": 0.0}


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: glue_scores("snli", [1], [1]), "task='snli'"),
        (lambda: glue_scores("rte", [1], [1, 0]), r"shapes \(1,\) and \(2,\)"),
        (lambda: glue_scores("rte", [0.7], [1]), "predictions of float64"),
        (lambda: pearson([1.0], [2.0]), "at least 2"),
        (lambda: matthews([], []), "at least 1"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
