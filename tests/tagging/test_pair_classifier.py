import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.tagging import WordFeatures

pytestmark = pytest.mark.backends

COLOURS = ["red", "blue", "green"]
PAIRS = [
    ([f"the {thing}", "is", a], ["it", *extra, "is", b], "same" if a == b else "other")
    for thing in ("cat", "hat")
    for a in COLOURS
    for b in COLOURS
    for extra in ([], ["really"])
]
FIRST, SECOND, LABELS = (list(part) for part in zip(*PAIRS))
FIRST = [[*words[0].split(), *words[1:]] for words in FIRST]


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


def build(**options):
    words = WordFeatures.from_sentences(FIRST + SECOND, embedding_dim=9, filters=None, unknown_rate=0.0, seed=0)
    return krc.models.PairClassifier(words, ["same", "other"], **{"units": 10, "dropout": 0.0, **options})


@pytest.fixture(scope="module")
def model():
    return build()


def test_a_batch_is_its_pairs_one_by_one(model):
    first, second = [["red"] * 11, *FIRST[:3]], [SECOND[0], SECOND[1], ["it"] * 13, SECOND[2]]
    together = to_numpy(model(model.prepare(first, second)))
    alone = [to_numpy(model(model.prepare([a], [b])))[0] for a, b in zip(first, second)]
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_each_sentence_is_read_in_the_light_of_the_other(model):
    one, other = (to_numpy(model.pair_vectors(model.prepare(FIRST[:1], [second])))[0] for second in (SECOND[0], ["it", "is", "not"]))
    assert np.abs(one[: model.units] - other[: model.units]).max() > 1e-5  # p, of the first sentence
    p, q = np.split(one[: 2 * model.units], 2)
    np.testing.assert_allclose(one[2 * model.units :], np.concatenate([np.abs(p - q), p * q]), atol=1e-6)


def test_it_learns_what_hangs_on_both_and_is_saved(tmp_path):
    keras.utils.set_random_seed(1)
    model = build(units=16)
    model.compile(keras.optimizers.Adam(0.02))
    history = krc.training.fit(model, model.batches(FIRST, SECOND, LABELS, batch_size=12), epochs=25, progress=False).history
    assert history["accuracy"][-1] > 0.9 > history["accuracy"][0]
    assert np.mean([ours == theirs for ours, theirs in zip(model.classify(FIRST, SECOND, batch_size=20), LABELS)]) > 0.9
    model.save(tmp_path / "pairs.keras")
    loaded = keras.saving.load_model(tmp_path / "pairs.keras")
    inputs = model.prepare(FIRST[:5], SECOND[:5])
    np.testing.assert_allclose(to_numpy(loaded(inputs)), to_numpy(model(inputs)), atol=1e-6)
    assert (loaded.compiled, int(loaded.optimizer.iterations)) == (True, int(model.optimizer.iterations))


def test_elmo_and_words_are_read_together():
    elmo = krc.models.ELMo(filters=[(1, 4)], embedding_dim=3, num_highways=1, units=6, projection_dim=5, num_layers=1, max_characters=9)
    words = WordFeatures.from_sentences(FIRST, embedding_dim=4, filters=None)
    model = krc.models.PairClassifier([words, elmo], ["same", "other"], units=4)
    assert to_numpy(model(model.prepare(FIRST[:2], SECOND[:2]))).shape == (2, 2)
    assert not any("elmo_words/elmo" in variable.path for variable in model.trainable_variables)


def test_what_cannot_be_is_refused(model):
    with pytest.raises(ValueError, match="two at least"):
        krc.models.PairClassifier(model.encoder, ["same"])
    with pytest.raises(ValueError, match="Received: 'neutral'"):
        model.batches(FIRST[:1], SECOND[:1], ["neutral"])
    with pytest.raises(ValueError, match="1 and 2 sentences"):
        model.prepare(FIRST[:1], SECOND[:2])
