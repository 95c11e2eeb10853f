"""The three things that the Transformer's paper trains with: its schedule, smoothed labels, averaged weights."""

import keras
import numpy as np
import pytest

import keras_richctx as krc


def test_the_schedule_is_the_paper_s_and_survives_a_config():
    schedule = krc.training.noam_schedule(width=37, warmup_steps=100, factor=2.0)
    copy = type(schedule).from_config(schedule.get_config())
    for step in (0, 1, 50, 99, 100, 5000):
        t = step + 1
        wanted = 2.0 * 37**-0.5 * min(t**-0.5, t * 100**-1.5)
        assert float(schedule(step)) == pytest.approx(wanted, rel=1e-5)
        assert float(copy(step)) == pytest.approx(wanted, rel=1e-5)
    for wrong in ({"width": 0}, {"width": 3, "warmup_steps": -1}, {"width": 3, "factor": float("nan")}):
        with pytest.raises(ValueError, match=f"Received: {list(wrong)[-1]}="):
            krc.training.noam_schedule(**wrong)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_smoothed_labels_equal_keras_with_one_hot_labels(smoothing):
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(3, 5, 7)).astype("float32"), rng.integers(7, size=(3, 5))
    ours = krc.training.SmoothedCrossentropy(smoothing, reduction="none")
    theirs = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=smoothing, reduction="none")
    np.testing.assert_allclose(ours(labels, logits), theirs(np.eye(7, dtype="float32")[labels], logits), rtol=1e-5)
    variable = keras.Variable(logits)
    (a,) = krc.training.gradients(lambda: keras.ops.sum(ours(labels, variable + 0)), [variable])
    (b,) = krc.training.gradients(lambda: keras.ops.sum(theirs(np.eye(7, dtype="float32")[labels], variable + 0)), [variable])
    np.testing.assert_allclose(keras.ops.convert_to_numpy(a), keras.ops.convert_to_numpy(b), atol=1e-6)


def test_pads_count_neither_above_nor_below_the_line():
    logits, labels = np.random.default_rng(1).normal(size=(2, 4, 5)).astype("float32"), np.array([[1, 2, 3, 4], [4, 0, 0, 0]])
    weights = (np.arange(4) < np.array([[4], [1]])).astype("float32")
    loss = krc.training.SmoothedCrossentropy(0.1)
    each = krc.training.SmoothedCrossentropy(0.1, reduction="none")(labels, logits).numpy()
    assert float(loss(labels, logits, sample_weight=weights)) == pytest.approx((each * weights).sum() / weights.sum(), rel=1e-5)
    with pytest.raises(ValueError, match=r"label_smoothing=1\.0"):
        krc.training.SmoothedCrossentropy(1.0)


def test_a_damaged_file_among_those_to_average_leaves_the_model_as_it_was(tmp_path):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.save_weights(tmp_path / "a.weights.h5")
    (tmp_path / "b.weights.h5").write_bytes(b"nothing")
    before = [w + 1 for w in model.get_weights()]
    model.set_weights(before)
    with pytest.raises(Exception, match=r".+"):
        krc.training.average_weights(model, [tmp_path / "a.weights.h5", tmp_path / "b.weights.h5"])
    for ours, theirs in zip(model.get_weights(), before):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="paths="):
        krc.training.average_weights(model, [])
