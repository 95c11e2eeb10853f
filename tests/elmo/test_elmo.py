import json

import h5py
import keras
import numpy as np
import pytest

from keras_richctx.elmo import ELMo, VocabularyCache
from keras_richctx.text import CharacterTokenizer
from tests.elmo.conftest import made

pytestmark = pytest.mark.backends

SENTENCES = [["a", "bank", "of", "naïve", "sand"], ["two", "banks", "meet"], ["x"]]
IDS = CharacterTokenizer(12)(SENTENCES)


def layers_of(model, ids):
    return keras.ops.convert_to_numpy(model({"character_ids": ids})["layers"])


def test_all_published_sentences_with_the_state_carried_on(release):
    model = ELMo.from_preset(release, stateful=True)
    streams = json.loads((release / "sentences.json").read_text())
    expected = [h5py.File(release / f"lm_embeddings_{k}.hdf5") for k in range(3)]
    longest = max(len(sentence.split()) for stream in streams for sentence in stream)
    for number in range(10):
        ids = CharacterTokenizer()([stream[number].split() for stream in streams])
        ids = np.pad(ids, [(0, 0), (0, longest - ids.shape[1]), (0, 0)])  # one shape for all, which changes nothing
        top = model.predict_on_batch({"character_ids": ids})["layers"][:, 2]
        for k, file in enumerate(expected):
            forward, backward = file[str(number)][...]
            np.testing.assert_allclose(top[k, : len(forward)], np.concatenate([forward, backward], axis=-1), atol=1e-5)


def test_all_published_vectors_of_words(release):
    model = ELMo.from_preset(release / "options.json", release / "lm_weights.hdf5")
    words = (release / "vocab_test.txt").read_text().split("\n")
    with h5py.File(release / "elmo_token_embeddings.hdf5") as file:
        expected = file["embedding"][...]
    found = VocabularyCache(model, words)([words])["token_vectors"][0]
    assert found.shape == expected.shape == (458, 16)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_padding_batching_and_the_cache_change_no_word(model):
    whole = layers_of(model, IDS)
    assert whole.shape == (3, 3, 5, 12)
    more = layers_of(model, np.pad(IDS, [(0, 0), (0, 4), (0, 0)]))
    np.testing.assert_allclose(more[:, :, :5], whole, atol=1e-6)
    assert not more[:, :, 5:].any()
    cached = keras.ops.convert_to_numpy(model(VocabularyCache(model)(SENTENCES))["layers"])
    np.testing.assert_allclose(cached, whole, atol=1e-6)
    embedded = model.embed(SENTENCES, batch_size=2)
    left = layers_of(model, np.stack([np.roll(row, 5 - len(sentence), axis=0) for row, sentence in zip(IDS, SENTENCES)]))
    for row, sentence in enumerate(SENTENCES):
        length = len(sentence)
        alone = layers_of(model, IDS[row : row + 1, :length])[0]
        np.testing.assert_allclose(whole[row, :, :length], alone, atol=1e-6)
        np.testing.assert_allclose(embedded[row], alone, atol=1e-6)
        np.testing.assert_allclose(left[row, :, 5 - length :], alone, atol=1e-6)


def test_boundaries_are_read_and_may_be_kept(model):
    keeping = made(keep_boundaries=True)
    outputs = keeping({"character_ids": IDS})
    kept, mask = (keras.ops.convert_to_numpy(outputs[name]) for name in ("layers", "mask"))
    assert mask.sum(axis=1).tolist() == [7, 5, 3]
    np.testing.assert_allclose(kept[:, :, 1:6][:, :, :1], layers_of(model, IDS)[:, :, :1], atol=1e-6)
    assert np.abs(kept[1, :, 4]).max() > 0  # the end of the second sentence
    assert [len(row[0]) for row in keeping.embed(SENTENCES)] == [7, 5, 3]


def test_without_a_state_a_text_has_the_same_vectors_and_with_one_others(model):
    np.testing.assert_array_equal(layers_of(model, IDS), layers_of(model, IDS))
    stateful = made(stateful=True, max_batch_size=3)
    first, second = layers_of(stateful, IDS), layers_of(stateful, IDS)
    np.testing.assert_allclose(first, layers_of(model, IDS), atol=1e-6)
    assert np.abs(second[:, 1:] - first[:, 1:]).max() > 1e-3
    np.testing.assert_allclose(second[:, 0], first[:, 0], atol=1e-6)
    stateful.reset_state()
    np.testing.assert_allclose(layers_of(stateful, IDS), first, atol=1e-6)


def test_the_state_is_carried_over_batches_of_changing_size():
    def run(rows_of_batches):
        model = made(stateful=True, max_batch_size=3)
        return [layers_of(model, IDS[:rows]) for rows in rows_of_batches]

    one_two_three = run([3, 1, 3])
    alone = made(stateful=True, max_batch_size=1)
    for step in range(3):  # the first row is there in each batch
        np.testing.assert_allclose(one_two_three[step][:1], layers_of(alone, IDS[:1]), atol=1e-6)
    # the others keep the state of the first batch over the second
    np.testing.assert_allclose(one_two_three[2][1:], run([3, 3])[1][1:], atol=1e-6)
    with pytest.raises(ValueError, match=r"The state has 3 rows\. Received: a batch of 4"):
        layers_of(made(stateful=True, max_batch_size=3), IDS[[0, 1, 2, 0]])


def test_a_row_without_words_puts_out_zeros_and_changes_no_other(model):
    empty = np.concatenate([IDS, np.zeros_like(IDS[:1])])
    found = layers_of(model, empty)
    assert not found[3].any()
    np.testing.assert_allclose(found[:3], layers_of(model, IDS), atol=1e-6)


def test_a_saved_model_and_its_files_give_the_same_numbers(tmp_path, model):
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_array_equal(layers_of(loaded, IDS), layers_of(model, IDS))
    model.save_to_preset(tmp_path / "preset")
    again = ELMo.from_preset(tmp_path / "preset")
    for ours, theirs in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert {**again.get_config(), "name": 0} == {**model.get_config(), "name": 0}


def test_the_files_of_a_release_are_written_as_they_were_read(release, tmp_path):
    ELMo.from_preset(release).save_to_preset(tmp_path)
    with h5py.File(tmp_path / "weights.hdf5") as ours, h5py.File(release / "lm_weights.hdf5") as theirs:
        found = {}
        for key, file in (("ours", ours), ("theirs", theirs)):
            arrays = found[key] = {}
            file.visititems(lambda name, item, arrays=arrays: arrays.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    assert found["ours"].keys() == found["theirs"].keys()
    for name, array in found["theirs"].items():
        np.testing.assert_array_equal(found["ours"][name], array)
    assert json.loads((tmp_path / "options.json").read_text()) == json.loads((release / "options.json").read_text())


@pytest.mark.parametrize(
    "options",
    [
        {"activation": "tanh", "num_layers": 1, "cell_clip": None, "projection_clip": None, "skip_connections": False},
        {"num_layers": 3, "num_highways": 0, "filters": [(2, 6)], "project_characters": False},
    ],
)
def test_other_options_go_to_files_and_back(options, tmp_path):
    model = made(**options)
    model.save_to_preset(tmp_path)
    np.testing.assert_array_equal(layers_of(ELMo.from_preset(tmp_path), IDS), layers_of(model, IDS))


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 2e-1)])
def test_half_precision_stays_close(model, policy, tolerance):
    half = made(dtype=policy)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(keras.ops.cast(half(IDS)["layers"], "float32")), layers_of(model, IDS), atol=tolerance)


def test_the_published_sizes_have_their_numbers_of_weights():
    def count(highways, units, dim):
        cnn = 261 * 16 + sum(16 * w * n + n for w, n in ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)))
        cnn += highways * 2 * (2048 * 2048 + 2048) + 2048 * dim + dim
        return cnn + 4 * (2 * dim * 4 * units + 4 * units + units * dim)

    assert count(2, 4096, 512) == 93_600_848
    assert ELMo.from_preset("small").count_params() == count(1, 1024, 128) == 13_593_296
    assert ELMo.from_preset("medium").count_params() == count(1, 2048, 256) == 28_027_728


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda o: o.pop("char_cnn"), "have the parts 'lstm' and 'char_cnn'"),
        (lambda o: o.update(model_type="bert", lstm={}, hidden_size=3), r"not the options of an ELMo. Received: \['hidden_size', 'model_type'\]"),
        (lambda o: o["lstm"].pop("dim"), "The options lack 'dim'"),
        (lambda o: o["lstm"].update(peepholes=True), r"Received: \['peepholes'\]"),
        (lambda o: o["lstm"].update(n_layers=3), "missing in the source"),
        (lambda o: o["lstm"].update(n_layers=1), "neither used nor ignored"),
        (lambda o: o["lstm"].update(dim=8), "of a shape or type that does not fit"),
        (lambda o: o["char_cnn"].update(n_characters=300), "n_characters=300"),
        (lambda o: o["char_cnn"].update(activation="gelu"), "activation='gelu'"),
        (lambda o: o["char_cnn"].update(n_highway=2), "missing in the source"),
    ],
)
def test_options_that_do_not_fit_are_refused(model, tmp_path, change, message):
    model.save_to_preset(tmp_path)
    options = json.loads((tmp_path / "options.json").read_text())
    change(options)
    (tmp_path / "options.json").write_text(json.dumps(options))
    with pytest.raises(ValueError, match=message):
        ELMo.from_preset(tmp_path)


def test_files_that_are_not_whole_or_not_there_are_named(model, tmp_path):
    model.save_to_preset(tmp_path)
    path = tmp_path / "weights.hdf5"
    content = path.read_bytes()
    for part in (content[: len(content) // 2], content[:-200], b"no HDF5"):
        path.write_bytes(part)
        with pytest.raises(ValueError, match=r"weights\.hdf5 is damaged, cut short or no HDF5"):
            ELMo.from_preset(tmp_path)
    (tmp_path / "options.json").write_text("{")
    with pytest.raises(ValueError, match=r"options\.json is damaged"):
        ELMo.from_preset(tmp_path)
    (tmp_path / "other_weights.hdf5").write_bytes(content)
    with pytest.raises(ValueError, match=r"one file of the name \*weights\.hdf5.*other_weights\.hdf5, weights\.hdf5"):
        ELMo.from_preset(tmp_path)
    with pytest.raises(FileNotFoundError, match="or the name of a published size"):
        ELMo.from_preset(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="needs a file of weights beside it"):
        ELMo.from_preset(tmp_path / "options.json")


@pytest.mark.parametrize("inputs, message", [(IDS[:, 0], "of shape"), (IDS[..., :9], r"\(batch, words, 12\)"), ({"token_ids": IDS}, r"\['token_ids'\]")])
def test_other_inputs_are_refused(model, inputs, message):
    with pytest.raises(ValueError, match=message):
        model(inputs)
