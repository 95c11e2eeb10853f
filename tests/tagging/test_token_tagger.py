import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.tagging import BertWords, ELMoWords, JoinedWords, WordFeatures

pytestmark = pytest.mark.backends

SENTENCES = [["Ada", "met", "Grace", "Hopper"], ["I", "saw", "unbelievable", "Ada", "Lovelace", "in", "Paris"], ["Grace"], ["Paris", "saw", "it", "all"]] * 5
TAGS = [["B-x", "O", "B-x", "I-x"], ["O", "O", "O", "B-x", "I-x", "O", "B-y"], ["B-x"], ["B-y", "O", "O", "O"]] * 5
NAMES = ["O", "B-x", "I-x", "B-y", "I-y"]
DATA = krc.datasets.TaggedSentences(SENTENCES, TAGS)


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


@pytest.fixture(scope="module")
def bert():
    tokenizer = krc.text.WordPieceTokenizer.train([" ".join(words) for words in SENTENCES], vocab_size=45)
    return krc.models.Bert(tokenizer, num_layers=2, width=12, num_heads=3, dropout=0.3, max_length=64)


@pytest.fixture(scope="module")
def elmo():
    return krc.models.ELMo(filters=[(1, 4), (3, 5)], embedding_dim=3, num_highways=1, units=6, projection_dim=5, num_layers=2, max_characters=15)


def words(**options):
    return WordFeatures.from_sentences(SENTENCES, **{"embedding_dim": 7, "filters": [(3, 5)], "seed": 0, **options})


@pytest.fixture(scope="module")
def encoders(bert, elmo):
    return {"words": words(), "bert": bert, "elmo": elmo, "joined": [words(), ELMoWords(elmo), BertWords(bert, layers="mix", fine_tune=False)]}


@pytest.mark.parametrize("kind, head", [("words", "bilstm-crf"), ("bert", "linear"), ("elmo", "linear"), ("joined", "crf")])
def test_a_batch_is_its_sentences_one_by_one(encoders, kind, head):
    tagger = krc.models.TokenTagger(encoders[kind], NAMES, head=head, units=6)
    long = [["so"] * 9, *SENTENCES[:2]]
    together = to_numpy(tagger(tagger.prepare(long)))
    for i, sentence in enumerate(long):
        alone = to_numpy(tagger(tagger.prepare([sentence])))[0]
        np.testing.assert_allclose(alone[: len(sentence)], together[i, : len(sentence)], atol=1e-5)


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_the_loss_is_that_of_all_sentences_divided_by_the_number_of_words(head):
    tagger = krc.models.TokenTagger(words(), NAMES, head=head)
    inputs, tags = tagger.batches(DATA[:4], shuffle=False, batch_size=4)[0]
    loss = float(tagger.compute_loss(None, tags, tagger(inputs)))
    each = []
    for i in range(4):
        inputs, tags = tagger.batches(DATA[i : i + 1])[0]
        each.append(float(tagger.compute_loss(None, tags, tagger(inputs))) * len(SENTENCES[i]))
    assert loss == pytest.approx(sum(each) / sum(map(len, SENTENCES[:4])), rel=1e-5)


def test_it_learns_is_saved_and_finds_the_entities(tmp_path):
    tagger = krc.models.TokenTagger(words(), NAMES, head="bilstm-crf", units=10, dropout=0.1, scheme="BIO")
    tagger.compile(keras.optimizers.Adam(0.03))
    history = krc.training.fit(tagger, tagger.batches(DATA, batch_size=10), epochs=15, progress=False).history
    assert history["loss"][-1] < 0.1 < 1 < history["loss"][0]
    assert history["token_accuracy"][-1] > 0.75  # half of the positions are pads
    predicted = tagger.predict_tags(SENTENCES, batch_size=3)
    assert krc.metrics.entity_f1(predicted, TAGS)["f1"] == 1.0
    assert tagger.entities(SENTENCES[1:2]) == [[("x", 3, 5), ("y", 6, 7)]]
    tagger.save(tmp_path / "tagger.keras")
    loaded = keras.saving.load_model(tmp_path / "tagger.keras")
    inputs = tagger.prepare(SENTENCES)
    np.testing.assert_allclose(to_numpy(loaded(inputs)), to_numpy(tagger(inputs)), atol=1e-6)
    np.testing.assert_array_equal(to_numpy(loaded.crf.transitions), to_numpy(tagger.crf.transitions))
    assert (loaded.tags, loaded.scheme, loaded.compiled) == (NAMES, "BIO", True)


def test_two_mixes_over_one_elmo_stand_at_the_input_and_at_the_output(elmo):
    encoder = JoinedWords([ELMoWords(elmo, at_output=True), words()])
    tagger = krc.models.TokenTagger(encoder, NAMES, head="bilstm", units=6)
    inputs = tagger.prepare(SENTENCES[:2])
    before = to_numpy(tagger(inputs))
    projection = tagger.tag_head.output_projection.kernel
    assert projection.shape == (6 + 10, len(NAMES))  # the BiLSTM, and 2 D of the second mix
    layers = to_numpy(elmo({"character_ids": inputs["character_ids_0"]})["layers"])  # (B, L + 1, W, 2 D)
    encoder.encoders[0].output_mix.gamma.assign(3.0)  # from 1
    change = to_numpy(tagger(inputs)) - before
    np.testing.assert_allclose(change, 2 * layers.mean(axis=1) @ to_numpy(projection)[6:], atol=1e-5)
    again = krc.models.TokenTagger.from_config(tagger.get_config())
    again.set_weights(tagger.get_weights())
    np.testing.assert_allclose(to_numpy(again(inputs)), to_numpy(tagger(inputs)), atol=1e-6)
    with pytest.raises(ValueError, match=r"needs one.*head='crf'"):
        krc.models.TokenTagger(ELMoWords(elmo, at_output=True), NAMES, head="crf")


def test_a_word_is_its_first_sub_word(bert):
    encoder = BertWords(bert)
    inputs = encoder.prepare([["unbelievable", "\u200b", "Ada"]])
    pieces = bert.tokenizer(["unbelievable", "Ada"])
    assert len(pieces[0]) > 1
    row = [bert.tokenizer.cls_id, *pieces[0], bert.tokenizer.unk_id, *pieces[1], bert.tokenizer.sep_id]
    assert inputs["token_ids"][0, : len(row)].tolist() == row
    first = [1, 1 + len(pieces[0]), 2 + len(pieces[0])]
    assert inputs["first_positions"][0, :3].tolist() == first
    sequence = to_numpy(bert(np.array([row]))["sequence_output"])[0]
    np.testing.assert_allclose(to_numpy(encoder(inputs))[0, :3], sequence[first], atol=1e-5)


def test_a_frozen_encoder_is_neither_trained_nor_dropped(bert, elmo):
    encoder = JoinedWords([BertWords(bert, layers="mix", fine_tune=False), ELMoWords(elmo)])
    tagger = krc.models.TokenTagger(encoder, NAMES, dropout=0.0)
    names = [variable.path for variable in tagger.trainable_variables]
    assert len(names) == 2 + 2 + 2  # two mixes, and the output
    inputs = tagger.prepare(SENTENCES[:2])
    np.testing.assert_array_equal(to_numpy(tagger(inputs, training=True)), to_numpy(tagger(inputs)))
    fine = krc.models.TokenTagger(bert, NAMES, dropout=0.0)
    assert len(fine.trainable_variables) > 30
    assert np.abs(to_numpy(fine(fine.prepare(SENTENCES[:2]), training=True)) - to_numpy(fine(fine.prepare(SENTENCES[:2])))).max() > 1e-3


@pytest.mark.parametrize("kind", ["bert", "joined"])
def test_other_encoders_are_saved_too(encoders, kind, tmp_path):
    tagger = krc.models.TokenTagger(encoders[kind], NAMES, head="crf")
    tagger.save(tmp_path / "tagger.keras")
    loaded, inputs = keras.saving.load_model(tmp_path / "tagger.keras"), tagger.prepare(SENTENCES[:3])
    np.testing.assert_allclose(to_numpy(loaded(loaded.prepare(SENTENCES[:3]))), to_numpy(tagger(inputs)), atol=1e-6)


def test_vectors_that_are_given_are_the_first_embeddings():
    array = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    features = words(vectors=(["ada", "Ada", "zurich"], array), filters=None)
    table = to_numpy(features.embedding.embeddings)
    np.testing.assert_array_equal(table[features.ids["ada"]], array[0])
    np.testing.assert_array_equal(to_numpy(features(features.prepare([["ZURICH"]])))[0, 0], array[2])  # not in the sentences, and known
    assert features.prepare([["never"]])["word_ids"][0, 0] == 1


def test_a_pass_has_every_sentence_once_and_hangs_on_the_seed():
    tagger = krc.models.TokenTagger(words(), NAMES)
    first, again, other = (tagger.batches(DATA, batch_size=6, seed=seed) for seed in (1, 1, 2))
    passes = [[tags.tolist() for _, tags in map(batches.__getitem__, range(len(batches)))] for batches in (first, again, other)]
    assert passes[0] == passes[1] != passes[2]
    seen = sorted([tag for tag in row if tag >= 0] for tags in passes[0] for row in tags)
    assert seen == sorted([NAMES.index(tag) for tag in row] for row in TAGS)


@pytest.mark.parametrize("kind", ["words", "bert"])
def test_the_first_two_batches_differ_in_length_so_that_keras_takes_none_for_fixed(encoders, kind):
    tagger = krc.models.TokenTagger(encoders[kind], NAMES)
    batches = tagger.batches(krc.datasets.TaggedSentences([["a"] * 3] * 4, [["O"] * 3] * 4), batch_size=2)
    (first, tags), (second, _) = batches[0], batches[1]
    assert all(first[name].shape[1] != second[name].shape[1] for name in first)
    assert tags.shape == first["word_mask"].shape
    assert (tags >= 0).tolist() == first["word_mask"].tolist()


def test_half_precision_stays_close():
    exact, half = (krc.models.TokenTagger(words(dtype=policy), NAMES, head="bilstm-crf", units=6, dtype=policy) for policy in ("float32", "mixed_bfloat16"))
    half.set_weights(exact.get_weights())
    inputs = exact.prepare(SENTENCES[:3])
    emissions = half(inputs)
    assert keras.backend.standardize_dtype(emissions.dtype) == "float32"
    np.testing.assert_allclose(to_numpy(emissions), to_numpy(exact(inputs)), atol=5e-2)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: krc.models.TokenTagger(words(), NAMES, head="softmax"), "head='softmax'"),
        (lambda: krc.models.TokenTagger(words(), ["O", "O"]), r"tags=\['O', 'O'\]"),
        (lambda: krc.models.TokenTagger(words(), NAMES, scheme="BIO"), "scheme='BIO', head='linear'"),
        (lambda: krc.models.TokenTagger(keras.layers.Dense(3), NAMES), "Received: encoder=<Dense"),
        (lambda: krc.models.TokenTagger(words(), NAMES).compile(loss="mse"), "loss='mse'"),
        (lambda: krc.models.TokenTagger(words(), NAMES).predict_tags(["Ada met"]), "split a text first"),
        (lambda: krc.models.TokenTagger(words(), NAMES).predict_tags([["Ada"], []]), "sentence 1 without words"),
        (lambda: krc.models.TokenTagger(words(), NAMES).predict_tags([["Ada", ""]]), "'' in sentence 0"),
        (lambda: krc.models.TokenTagger(words(), NAMES[:3]).batches(DATA), "Received: 'B-y' in sentence 1"),
        (lambda: WordFeatures(["a", "a"]), "with some twice"),
        (lambda: words(vectors=(["a"], np.zeros((2, 3)))), r"1 words, vectors of shape \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_tags_that_the_scheme_forbids_are_named(bert):
    tagger = krc.models.TokenTagger(words(), NAMES, head="crf", scheme="BIO")
    bad = krc.datasets.TaggedSentences([["a"], ["b", "c"]], [["O"], ["B-y", "I-x"]])
    with pytest.raises(ValueError, match=r"BIO does not allow I-x behind B-y\. Received: that at word 1 of sentence 1"):
        tagger.batches(bad)
    with pytest.raises(ValueError, match=r"reads 64 tokens.*of sentence 0, 'Ada Ada"):
        BertWords(bert).prepare([["Ada"] * 70])
