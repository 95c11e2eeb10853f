"""How far weights have moved, by layer: against NumPy on the concatenated weights."""

import keras
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.viz import weight_change, weight_changes
from keras_richctx.viz.style import DARK, LIGHT


@pytest.fixture
def model():
    bert = krc.models.Bert(num_layers=2, width=8, num_heads=2, vocab_size=11, max_length=7)
    return krc.models.TextClassifier(bert, labels=["a", "b"])


def moved(model, seed=0):
    rng = np.random.default_rng(seed)
    return {w.path: np.array(w) + rng.normal(scale=0.1, size=w.shape).astype("float32") if "float" in w.dtype else np.array(w) for w in model.weights}


def test_equals_numpy_on_all_weights_of_a_block(model):
    after = moved(model)
    changes = weight_changes(model, after)
    assert list(changes) == ["embedding", "segment_embedding", "positions", "embedding_norm", "block_0", "block_1", "pooler", "classifier"]
    for name, (relative, cosine) in changes.items():
        paths = [w.path for w in model.weights if name in w.path.split("/")]
        old, new = (np.concatenate([np.ravel(state[path]) for path in paths]) for state in ({w.path: np.array(w) for w in model.weights}, after))
        assert relative == pytest.approx(np.linalg.norm(new - old) / np.linalg.norm(old))
        assert cosine == pytest.approx(new @ old / np.linalg.norm(new) / np.linalg.norm(old))


def test_models_lists_and_dicts_are_the_same_state(model):
    before, after = model.get_weights(), list(moved(model).values())
    named = dict(zip([w.path for w in model.weights], after))
    expected = weight_changes(model, after)
    assert weight_changes(model, named) == expected
    model.set_weights(after)
    assert weight_changes(before, model) == expected
    assert weight_changes({path: np.array(w) for path, w in zip(named, before)}, model) == expected


def test_another_instance_of_the_model_is_compared_weight_by_weight():
    models = [keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dropout(0.5), keras.layers.Dense(2)]) for _ in range(2)]
    models[1].set_weights(models[0].get_weights())
    changes = weight_changes(*models)
    assert len(changes) == 2
    assert all(change == (0.0, pytest.approx(1.0)) for change in changes.values())


def test_the_state_of_dropout_is_no_weight():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, name="a"), keras.layers.Dropout(0.5, name="b")])
    model(np.ones((1, 3)), training=True)
    assert list(weight_changes(model, model.get_weights())) == ["a"]


def test_groups_may_be_ones_own(model):
    after = moved(model)
    changes = weight_changes(model, after, groups=lambda path: "attention" if "/attention/" in path else None)
    assert list(changes) == ["attention"]
    with pytest.raises(ValueError, match="Nothing is left"):
        weight_changes(model, after, groups=lambda path: None)


def test_scaling_does_not_turn_and_zeros_have_no_direction():
    before = {"m/a/kernel": np.array([3.0, 4.0]), "m/b/bias": np.zeros(2), "m/c/bias": np.zeros(2)}
    after = {"m/a/kernel": np.array([6.0, 8.0]), "m/b/bias": np.zeros(2), "m/c/bias": np.ones(2)}
    changes = weight_changes(before, after)
    assert changes["a"] == (1.0, pytest.approx(1.0))
    assert changes["b"][0] == 0.0
    assert changes["c"][0] == np.inf
    assert np.isnan(changes["b"][1])
    assert np.isnan(changes["c"][1])


def test_the_picture_holds_relative_changes_and_angles(model):
    runs = {"$small$": moved(model), "large": moved(model, seed=1)}
    picture = weight_change(model, runs, title="$\\frac{$")
    picture.draw_without_rendering()
    left, right = picture.axes
    for k, after in enumerate(runs.values()):
        changes = weight_changes(model, after)
        count = len(changes)
        np.testing.assert_allclose([bar.get_width() for bar in left.patches[k * count : (k + 1) * count]], [c[0] for c in changes.values()])
        angles = np.degrees(np.arccos([c[1] for c in changes.values()]))
        np.testing.assert_allclose([bar.get_width() for bar in right.patches[k * count : (k + 1) * count]], angles)
    assert [label.get_text() for label in left.get_yticklabels()] == list(changes)
    assert [text.get_text() for text in right.get_legend().get_texts()] == list(runs)


def test_what_was_all_zero_is_said_and_not_drawn():
    left = weight_change({"m/a/bias": np.zeros(2)}, {"m/a/bias": np.ones(2)}).axes[0]
    assert [text.get_text() for text in left.texts] == ["was all zero"]
    assert left.patches[0].get_width() == 0


def test_dark_and_light_follow_the_argument_and_pyplot_hears_nothing(model):
    pages = {matplotlib.colors.to_hex(weight_change(model, moved(model), dark=dark).get_facecolor()) for dark in (False, True)}
    assert pages == {LIGHT["page"], DARK["page"]}
    assert plt.get_fignums() == []


def test_states_that_do_not_fit_are_refused(model):
    weights = model.get_weights()
    with pytest.raises(TypeError, match=r"so that weights have names\. Received: list and list"):
        weight_changes(weights, weights)
    with pytest.raises(ValueError, match=r"the same weights\. Received: \d+ and \d+ of them"):
        weight_changes(model, weights[:-1])
    with pytest.raises(ValueError, match=r"of one shape\. Received: 'a' of shape \(2,\) and \(3,\)"):
        weight_changes({"a": np.ones(2)}, {"a": np.ones(3)})
    with pytest.raises(ValueError, match=r"in one of them only: \['a', 'b'\]"):
        weight_changes({"a": np.ones(2)}, {"b": np.ones(2)})
