import keras
import numpy as np
import pytest

from keras_richctx.elmo import BidirectionalLanguageModel, ELMo, build_vocabulary
from keras_richctx.elmo.streams import bilm_batches
from tests.elmo.conftest import SMALL

few_steps = pytest.mark.usefixtures("without_graphs")

SENTENCES = [["tick", "tock", "tick", "tock"], ["tick", "tock"], ["tock", "tick", "tock"]] * 12


def made(samples=8192, words=SENTENCES, **options):
    model = BidirectionalLanguageModel(ELMo(**{**SMALL, **options}), build_vocabulary(words), num_samples=samples, seed=1)
    model.compile(keras.optimizers.Adam(0.03))
    return model


@pytest.fixture(scope="module")
def trained():
    model = made()
    model.history_of_fit = model.fit_sentences(SENTENCES, batch_size=4, unroll=5, epochs=6, progress=False).history
    return model


def test_a_vocabulary_goes_by_frequency_and_names_its_marks():
    sentences = [["b", "a", "b"], ["c", "<S>", "b", "a"]]
    assert build_vocabulary(sentences) == ["<S>", "</S>", "<UNK>", "b", "a", "c"]
    assert build_vocabulary(sentences, size=4) == ["<S>", "</S>", "<UNK>", "b"]
    assert build_vocabulary(sentences, min_count=2) == ["<S>", "</S>", "<UNK>", "b", "a"]
    with pytest.raises(ValueError, match="No word is left"):
        build_vocabulary(sentences, min_count=4)


def test_the_streams_written_out_by_hand():
    words = {word: i for i, word in enumerate(["<S>", "</S>", "<UNK>", "a", "b"])}  # b is read, and foretold as unknown
    inputs, targets, weights = bilm_batches([["a", "b"], ["a"]], words, vocab_size=4, batch_size=1, unroll=6)
    np.testing.assert_array_equal(inputs["token_ids"]["forward"], [[0, 3, 4, 1, 0, 3]])
    np.testing.assert_array_equal(targets["forward"], [[3, 2, 1, 0, 3, 1]])
    np.testing.assert_array_equal(inputs["token_ids"]["backward"], [[1, 4, 3, 0, 1, 3]])
    np.testing.assert_array_equal(targets["backward"], [[2, 3, 0, 1, 3, 0]])
    assert weights["forward"].all()
    assert inputs["begins"].all()


@few_steps
def test_both_directions_learn(trained):
    history = trained.history_of_fit
    for way in ("forward", "backward"):
        assert history[f"{way}_perplexity"][-1] < 0.6 * history[f"{way}_perplexity"][0]
        assert history[f"{way}_perplexity"][-1] == pytest.approx(np.exp(history[f"{way}_loss"][-1]), rel=0.1)
    assert max(trained.perplexities(SENTENCES, batch_size=4).values()) < 3


def test_one_direction_sees_nothing_of_the_other(trained):
    ids = np.array([[0, 3, 4, 3]])
    targets = np.array([[3, 4, 3, 1]])
    inputs = {"forward": ids, "backward": ids, "forward_targets": targets, "backward_targets": targets}
    plain = trained(inputs)
    other = trained({**inputs, "backward": ids[:, ::-1], "backward_targets": ids})
    np.testing.assert_allclose(other["forward"], plain["forward"], atol=1e-6)
    later = trained({**inputs, "forward": np.array([[0, 3, 4, 4]])})
    np.testing.assert_allclose(np.array(later["forward"])[:, :3], np.array(plain["forward"])[:, :3], atol=1e-6)  # nor what is ahead


@few_steps
def test_windows_and_their_length_change_no_perplexity(trained):
    whole, pieces = (trained.perplexities(SENTENCES, batch_size=3, unroll=unroll) for unroll in (60, 7))
    for way, value in whole.items():
        assert pieces[way] == pytest.approx(value, rel=1e-4)


def test_a_sampled_softmax_learns_too():
    model = made(samples=3)
    model.fit_sentences(SENTENCES, batch_size=4, unroll=5, epochs=6, progress=False)
    assert max(model.perplexities(SENTENCES, batch_size=4).values()) < 3.5


@few_steps
def test_a_trained_model_goes_to_the_published_files_and_back(trained, tmp_path):
    trained.save_to_preset(tmp_path)
    sentence = [["tick", "never-seen"]]
    np.testing.assert_array_equal(ELMo.from_preset(tmp_path).embed(sentence)[0], trained.elmo.embed(sentence)[0])
    again = BidirectionalLanguageModel.from_preset(tmp_path)
    again.compile("adam")
    assert again.perplexities(SENTENCES, batch_size=4) == pytest.approx(trained.perplexities(SENTENCES, batch_size=4), rel=1e-6)
    fresh = BidirectionalLanguageModel.from_preset(tmp_path, vocabulary=build_vocabulary([["other", "words"]]))
    for ours, theirs in zip(fresh.elmo.get_weights(), trained.elmo.get_weights()):
        np.testing.assert_array_equal(ours, theirs)


def test_a_saved_model_is_the_same(trained, tmp_path):
    trained.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    for ours, theirs in zip(loaded.get_weights(), trained.get_weights()):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded.vocabulary == trained.vocabulary


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="begins with '<S>'"):
        BidirectionalLanguageModel(ELMo(**SMALL), ["a", "b"])
    with pytest.raises(ValueError, match="a stateful ELMo"):
        BidirectionalLanguageModel(ELMo(**SMALL, stateful=True), build_vocabulary(SENTENCES))
    with pytest.raises(ValueError, match="must be compiled"):
        BidirectionalLanguageModel(ELMo(**SMALL), build_vocabulary(SENTENCES)).fit_sentences(SENTENCES)


@few_steps
def test_a_second_measure_starts_from_nothing(trained):
    first, second = (trained.perplexities(SENTENCES[:12], batch_size=2, unroll=30) for _ in range(2))
    assert second == pytest.approx(first, rel=1e-6)
    assert first == pytest.approx(trained.perplexities(SENTENCES[:12], batch_size=2, unroll=30), rel=1e-6)
