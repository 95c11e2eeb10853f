import itertools

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.ops.crf import FORBIDDEN
from keras_richctx.tagging import allowed_transitions

pytestmark = pytest.mark.backends

B, T, K = 3, 5, 4
TAGS = ["O", "B-x", "I-x", "I-y"]


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.fixture
def crf():
    crf = krc.layers.CRF(K)
    crf.set_weights([numbers(*w.shape, seed=i) for i, w in enumerate(crf.weights)])
    return crf


def test_what_a_scheme_forbids_has_no_probability(crf):
    bound = krc.layers.CRF(K, tags=TAGS, scheme="BIO")
    bound.set_weights(crf.get_weights())
    y = np.array(list(itertools.product(range(K), repeat=3)))
    emissions = np.broadcast_to(numbers(3, K, seed=9), (K**3, 3, K))
    free, kept = (np.exp(to_numpy(layer.log_likelihood(emissions, y))) for layer in (crf, bound))
    names = np.array(TAGS)[y]
    good = np.array([all(tag in ("O", "B-x") or (tag == "I-x" and before in ("B-x", "I-x")) for before, tag in zip(["O", *row], row)) for row in names])
    np.testing.assert_allclose(kept, np.where(good, free, 0) / free[good].sum(), atol=1e-6)
    np.testing.assert_array_equal(to_numpy(bound.viterbi(emissions[:1]))[0], y[np.argmax(kept)])
    assert to_numpy(bound.weights_in_force()[0]).min() == np.float32(FORBIDDEN)


@pytest.mark.parametrize(
    "scheme, good, bad",
    [
        ("BIO", ["B-x I-x O", "B-x B-x I-x", "O", "B-x B-y"], ["I-x", "O I-x", "B-x I-y", "B-x O I-x"]),
        ("BIOES", ["B-x E-x O", "S-x S-y O", "B-x I-x I-x E-x B-y E-y"], ["I-x", "B-x", "B-x O", "B-x E-y", "S-x I-x", "B-x I-x", "E-x", "B-x B-x E-x E-x"]),
        ("IOB1", ["I-x I-x O", "I-x B-x I-x", "I-x I-y", "I-y"], ["B-x", "O B-x", "I-y B-x"]),
    ],
)
def test_the_schemes_allow_what_they_say(scheme, good, bad):
    tags = ["O", *(f"{letter}-{kind}" for letter in {"BIO": "BI", "BIOES": "BIES", "IOB1": "BI"}[scheme] for kind in "xy")]
    follow, start, end = allowed_transitions(tags, scheme)
    for sequences, wanted in ((good, True), (bad, False)):
        for sequence in sequences:
            ids = [tags.index(tag) for tag in sequence.split()]
            assert wanted == (start[ids[0]] and end[ids[-1]] and all(follow[i, j] for i, j in itertools.pairwise(ids))), sequence


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "float16"])
def test_half_precision_computes_in_float32(crf, policy):
    half = krc.layers.CRF(K, dtype=policy)
    half.set_weights(crf.get_weights())
    emissions, y = numbers(B, T, K, seed=5), np.random.default_rng(0).integers(0, K, (B, T))
    passed = half(keras.ops.convert_to_tensor(emissions))
    assert keras.backend.standardize_dtype(passed.dtype) == "float32"
    np.testing.assert_array_equal(to_numpy(passed), emissions)
    tolerance = 2e-2 if policy == "float16" else 1e-6  # whose weights are in half precision
    np.testing.assert_allclose(to_numpy(half.log_likelihood(passed, y)), to_numpy(crf.log_likelihood(emissions, y)), atol=tolerance)


def test_a_model_learns_what_follows_what_and_saves_it(tmp_path):
    """Emissions are the same at all positions: the order of the tags is in the transitions alone."""
    rng = np.random.default_rng(0)
    y = (rng.integers(0, 3, (64, 1)) + np.arange(T)) % 3
    y[::2, 3:] = -1
    inputs = keras.Input((None, 2))
    crf = krc.layers.CRF(3, name="crf")
    model = keras.Model(inputs, crf(keras.layers.Dense(3)(inputs)))
    model.compile(keras.optimizers.Adam(0.1), loss=crf.loss)
    x = np.ones((64, T, 2), "float32")
    before = model.evaluate(x, y, verbose=0)
    assert before == pytest.approx(-to_numpy(crf.log_likelihood(model(x), y, mask=y >= 0)).mean(), rel=1e-5)
    model.fit(x, y, epochs=60, batch_size=32, verbose=0)
    assert model.evaluate(x, y, verbose=0) < 1.3 < before  # log 3 = 1.1 are left: the first tag is a guess
    tags = to_numpy(crf.viterbi(model(x), mask=y >= 0))
    np.testing.assert_array_equal((tags[:, 1:] - tags[:, :-1])[y[:, 1:] >= 0] % 3, 1)
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_array_equal(to_numpy(loaded(x)), to_numpy(model(x)))
    for ours, theirs in zip(loaded.get_layer("crf").get_weights(), crf.get_weights()):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="Compile the model again"):
        loaded.evaluate(x, y, verbose=0)
    loaded.compile(loss=loaded.get_layer("crf").loss)
    assert loaded.evaluate(x, y, verbose=0) == pytest.approx(model.evaluate(x, y, verbose=0))


def test_the_config_brings_the_scheme_back():
    crf = krc.layers.CRF(K, tags=TAGS, scheme="BIO", transitions_initializer="zeros")
    again = krc.layers.CRF.from_config(crf.get_config())
    assert (again.tags, again.scheme) == (TAGS, "BIO")
    np.testing.assert_array_equal(again.allowed[0], crf.allowed[0])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: krc.layers.CRF(0), "num_tags=0"),
        (lambda: krc.layers.CRF(3, tags=TAGS), "num_tags=3, 4 tags"),
        (lambda: krc.layers.CRF(3, scheme="BIO"), "tags=None"),
        (lambda: krc.layers.CRF(K, tags=TAGS, scheme="BILOU"), "scheme='BILOU'"),
        (lambda: krc.layers.CRF(2, tags=["O", "x"], scheme="BIO"), "Received: 'x'"),
        (lambda: krc.layers.CRF(2, tags=["O", "O"], scheme="BIO"), r"\['O'\] more than once"),
        (lambda: krc.layers.CRF(2, tags=["O", "E-x"], scheme="BIO"), "A tag of BIO is O, or one of B, I"),
        (lambda: krc.layers.CRF(3)(np.zeros((2, 5, 4))), r"Received: emissions of shape \(2, 5, 4\)"),
        (lambda: krc.layers.CRF(3).viterbi(np.zeros((2, 3))), r"Received: emissions of shape \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
