"""WordPiece: the ids and spans of the reference, two engines with one result, the files that hold a vocabulary."""

import importlib.util
import json
import pathlib
import runpy
import subprocess
import sys
import unicodedata

import keras
import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from keras_richctx.text import WordPieceTokenizer

FOLDER = pathlib.Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((FOLDER / "word_piece_digest.json").read_text(encoding="utf-8"))
ODD, digest, reference_lines = map(runpy.run_path(str(FOLDER / "word_piece_lines.py")).get, ("ODD", "digest", "reference_lines"))
WORDS = ["un", "##able", "##aff", "able", "want", "##want", "##ed", "wa", "runn", "##ing", ",", "low", "lowest", "##e", "café", "İ", "[", "]", "中", "é"]
SPECIAL = ["[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCAB = list(dict.fromkeys([*SPECIAL, *WORDS, *"abcdefghiklmnopstuw", *(f"##{c}" for c in "acdeklmnost")]))
# What is hard: marks that stay and are put into order, characters that become several, vanish or stand alone, and spaces of all kinds.
HARD = (
    "aeLÉé \u0301\u0327\u0345\u0344\u302e\U0001d165\U0001d16d"
    "\U00016ff0\u08d4\u08e3\ua8e0\u0bca\uac01\u1100中\uf900İẞΣ!_-\u2014\x00\x85\u200d\u00a0\u3000\ufffd\U0001fffe[]#"
)
TEXTS = st.text(st.one_of(st.sampled_from(HARD), st.characters(exclude_categories=["Cs"])))
in_graph = pytest.mark.skipif(importlib.util.find_spec("tensorflow_text") is None, reason="tensorflow-text has no wheel here")


def write_vocab(folder, vocab=VOCAB, **config):
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in vocab), encoding="utf-8")
    if config:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def reference(vocab, **options):
    """The pipeline of the library `tokenizers` that Hugging Face's `BertTokenizer` is."""
    made = tokenizers.Tokenizer(models.WordPiece({token: i for i, token in enumerate(vocab)}, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(**options), pre_tokenizers.BertPreTokenizer()
    return made


def ids_in_graph(tokenizer, texts):
    tf = pytest.importorskip("tensorflow")
    return tokenizer(tf.constant(texts, tf.string)).to_list()


@pytest.fixture(scope="module")
def bert(fixtures_dir):
    return WordPieceTokenizer.from_preset(fixtures_dir / "bert_vocab")


@pytest.fixture(scope="module", params=[(True, None, True), (False, None, True), (True, False, False), (False, True, True)], ids=str)
def options(request):
    return dict(zip(("lowercase", "strip_accents", "handle_chinese_chars"), request.param))


@pytest.fixture(scope="module")
def small(options, tmp_path_factory):
    config = {"do_lower_case": options["lowercase"], "strip_accents": options["strip_accents"], "tokenize_chinese_chars": options["handle_chinese_chars"]}
    return WordPieceTokenizer.from_preset(write_vocab(tmp_path_factory.mktemp("small"), **config))


def test_ten_thousand_lines_have_the_ids_of_the_reference(bert, data_dir):
    lines = reference_lines(data_dir)
    ids = bert(lines)
    assert (len(lines), sum(map(len, ids))) == (GOLDEN["lines"], GOLDEN["tokens"])
    assert digest(ids) == GOLDEN["fast"]
    # The reference in Python knows that a Greek word ends with another sigma; both agree elsewhere.
    assert GOLDEN["different"] == ["Ελληνικά ΣΊΣΥΦΟΣ Русский Й"]


@in_graph
def test_ten_thousand_lines_have_the_ids_of_the_reference_in_the_graph(bert, data_dir):
    assert digest(ids_in_graph(bert, reference_lines(data_dir))) == GOLDEN["fast"]


@in_graph
def test_every_character_of_unicode_is_treated_alike_by_both_engines(bert):
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    texts = ["x " + " a".join(characters[i : i + 4096]) + "b" for i in range(0, len(characters), 4096)]
    assert ids_in_graph(bert, texts) == bert(texts)


@given(TEXTS)
def test_ids_and_spans_are_those_of_the_library_s_pipeline(small, options, text):
    encoding = reference(VOCAB, **options).encode(text, add_special_tokens=False)
    assert small(text) == encoding.ids
    spans = small.spans(text)
    assert [start for start, _ in spans] == [start for start, _ in encoding.offsets]
    for (_, ours), (_, theirs), (following, _) in zip(spans, encoding.offsets, [*spans[1:], (len(text), None)]):
        assert theirs <= ours <= max(following, theirs)
        assert all(unicodedata.category(mark) == "Mn" for mark in text[theirs:ours])


@in_graph
@settings(max_examples=15)
@given(st.lists(TEXTS, max_size=40))
def test_the_engine_that_ran_cannot_be_told_from_the_ids(small, texts):
    assert ids_in_graph(small, texts) == small(texts)


@in_graph
def test_odd_texts_and_long_words_in_the_graph(small):
    assert ids_in_graph(small, ODD) == small(ODD)
    words = ["a" * 100, "a" * 101, "é" * 100, "é" * 101, "e\u0301" * 100, "b " + "a" * 101 + " b", "a" * 101 + "中" + "a" * 101]
    assert ids_in_graph(small, words) == small(words)
    assert small("a" * 101) == [small.unk_id] != small("a" * 100)


def test_a_word_written_out_by_hand(tmp_path):
    tokenizer = WordPieceTokenizer.from_preset(write_vocab(tmp_path, do_lower_case=True))
    assert tokenizer.tokenize("UNWANTÉD,running xyz") == ["un", "##want", "##ed", ",", "runn", "##ing", "[UNK]"]
    assert tokenizer.decode(tokenizer("unwanted, running", bos=True, eos=True)) == "unwanted, running"
    assert tokenizer.continues[tokenizer("unwanted")].tolist() == [False, True, True]


def test_spans_hold_the_accents_of_their_letters(tmp_path):
    tokenizer = WordPieceTokenizer.from_preset(write_vocab(tmp_path, do_lower_case=True))
    text = "un\u0301able\u0327\u0301, \u200bCafe\u0301!"
    assert [text[start:end] for start, end in tokenizer.spans(text)] == ["un\u0301", "able\u0327\u0301", ",", "Cafe\u0301", "!"]


def test_special_ids_have_names(tmp_path):
    tokenizer = WordPieceTokenizer.from_preset(write_vocab(tmp_path))
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.cls_id, tokenizer.sep_id, tokenizer.mask_id) == (0, 4, 5, 6, 7)
    assert (tokenizer.bos_id, tokenizer.eos_id, tokenizer.special_ids) == (5, 6, [0, 4, 5, 6, 7])
    assert tokenizer("low", bos=True, eos=True) == [5, tokenizer.token_to_id("low"), 6]


def test_a_special_token_is_text_unless_it_is_never_split(tmp_path):
    folder = write_vocab(tmp_path, do_lower_case=True)
    plain, kept = WordPieceTokenizer.from_preset(folder), WordPieceTokenizer.from_preset(folder, never_split=("[MASK]", "able", "İ"))
    assert plain.mask_id not in plain("un [MASK] able")
    assert kept.tokenize("un[MASK]able İ [mask]")[:4] == ["un", "[MASK]", "able", "İ"]
    assert kept.special_ids == plain.special_ids
    assert kept != plain
    assert WordPieceTokenizer(kept.get_config()["spec"]) == kept
    with pytest.raises(ValueError, match=r"one of the vocabulary\. Received: never_split with '@user', which is not among"):
        WordPieceTokenizer.from_preset(folder, never_split=("@user",))


@in_graph
def test_what_is_never_split_is_found_in_the_graph_too(tmp_path):
    tokenizer = WordPieceTokenizer.from_preset(write_vocab(tmp_path), never_split=("[MASK]", "low", "lowest", "中"))
    texts = ["un[MASK]able lowest low lowe 中x中", "", "[MASK]", "[MASK][MASK] a", "[mask] LOW"]
    assert ids_in_graph(tokenizer, texts) == tokenizer(texts)


def test_an_uncased_vocabulary_is_told_from_a_cased_one(fixtures_dir, tmp_path):
    assert WordPieceTokenizer.from_preset(fixtures_dir / "bert_vocab").tokenize("Paris") == ["paris"]
    folder = write_vocab(tmp_path, [*VOCAB, "Paris"])
    assert WordPieceTokenizer.from_preset(folder).tokenize("Paris") == ["Paris"]
    assert WordPieceTokenizer.from_preset(folder, lowercase=True).tokenize("LOW") == ["low"]


def test_hugging_face_s_tokenizer_json_gives_the_ids_of_its_vocabulary(fixtures_dir, bert):
    loaded = WordPieceTokenizer.from_preset(fixtures_dir / "bert_tiny_mlm")
    assert loaded(ODD) == bert(ODD)
    assert loaded.special_ids == bert.special_ids
    long = "word " * 600  # the file asks for truncation at 512
    assert len(loaded(long)) == 600


def test_the_config_beside_a_tokenizer_json_has_the_last_word(tmp_path):
    WordPieceTokenizer.from_preset(write_vocab(tmp_path / "a", do_lower_case=True)).save_to_preset(tmp_path)
    assert WordPieceTokenizer.from_preset(tmp_path).tokenize("LOW") == ["low"]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    assert WordPieceTokenizer.from_preset(tmp_path).tokenize("LOW") == ["[UNK]"]
    assert WordPieceTokenizer.from_preset(tmp_path, lowercase=True).tokenize("LOW") == ["low"]


def test_the_vocabulary_is_written_as_it_is_read(small, tmp_path):
    small.save_vocabulary(tmp_path)
    assert (tmp_path / "vocab.txt").read_text(encoding="utf-8").split("\n") == [*VOCAB, ""]
    loaded = WordPieceTokenizer.from_preset(tmp_path)
    assert loaded == small
    assert loaded(ODD) == small(ODD)


def test_a_trained_vocabulary_is_no_larger_than_asked_and_the_same_again():
    texts = ["the lowest low, the widest wide", "the newest new café"] * 3
    trained = WordPieceTokenizer.train(texts, vocab_size=50)
    assert trained.vocab_size == 50
    assert (trained.pad_id, trained.unk_id, trained.cls_id, trained.sep_id, trained.mask_id) == (0, 1, 2, 3, 4)
    assert trained.unk_id not in trained("the newest low cafe")
    assert all(WordPieceTokenizer.train(iter(texts), vocab_size=50) == trained for _ in range(5))
    scarce = WordPieceTokenizer.train(texts, vocab_size=12)
    assert scarce.tokenize("we, et x") == ["w", "##e", ",", "e", "##t", "[UNK]"]  # the frequent characters
    named = WordPieceTokenizer.train(["hello <url> there"] * 2, vocab_size=60, never_split=("<url>",))
    assert named.tokenize("there<url>") == ["there", "<url>"]
    with pytest.raises(ValueError, match=r"vocab_size must be at least 7: 5 special tokens and a letter.*Received: vocab_size=6"):
        WordPieceTokenizer.train(texts, vocab_size=6)


@in_graph
def test_a_saved_model_takes_strings_in_a_process_without_this_library(tmp_path):
    tf = pytest.importorskip("tensorflow")
    small = WordPieceTokenizer.from_preset(write_vocab(tmp_path, do_lower_case=True), never_split=("[MASK]",))

    class Server(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, texts):
            return small(texts, bos=True, eos=True).to_tensor(default_value=-1)

    texts = ["UNWANTÉD,running \u0301x", "", "中low[MASK]"]
    tf.saved_model.save(Server(), tmp_path / "saved")
    code = (
        "import sys, json, tensorflow as tf, tensorflow_text; model = tf.saved_model.load(sys.argv[1]);"
        "print(json.dumps(model(tf.constant(json.loads(sys.argv[2]))).numpy().tolist())); assert 'keras_richctx' not in sys.modules"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "saved"), json.dumps(texts)], capture_output=True, text=True, check=True)
    assert [[i for i in row if i >= 0] for row in json.loads(run.stdout)] == small(texts, bos=True, eos=True)


@in_graph
def test_a_layer_inside_a_model_takes_strings(tmp_path):
    small = WordPieceTokenizer.from_preset(write_vocab(tmp_path))
    if keras.backend.backend() != "tensorflow":
        pytest.skip("strings are TensorFlow's")
    inputs = keras.Input((), dtype="string")
    model = keras.Model(inputs, keras.layers.Lambda(lambda texts: small(texts).to_tensor(), output_shape=(None,))(inputs))
    texts = np.array(["low want", "café"], object)
    assert [[i for i in row if i] for row in model.predict(texts, verbose=0).tolist()] == small(texts.tolist())


@pytest.mark.parametrize(
    "vocab, complaint",
    [
        (VOCAB[1:], r"needs special tokens at the ids of \[PAD\]\. Received: special tokens at \[3, 4, 5, 6\]"),
        ([*VOCAB, "low"], "each token once. Received: 'low' in the lines"),
        ([*VOCAB, "", "x"], "a token on each line. Received: an empty line"),
    ],
)
def test_a_damaged_vocabulary_is_refused(tmp_path, vocab, complaint):
    with pytest.raises(ValueError, match=rf"vocab\.txt cannot be read as a WordPieceTokenizer: .*{complaint}"):
        WordPieceTokenizer.from_preset(write_vocab(tmp_path, vocab))


def test_windows_line_ends_are_read(tmp_path):
    (write_vocab(tmp_path) / "vocab.txt").write_bytes("\r\n".join(VOCAB).encode())
    assert WordPieceTokenizer.from_preset(tmp_path).token_to_id(VOCAB[-1]) == len(VOCAB) - 1


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda content: content["normalizer"].update(clean_text=False), "removes control characters. Received: clean_text=False"),
        (lambda content: content["model"].update(continuing_subword_prefix="@@"), "Received: .*@@"),
        (lambda content: content["model"]["vocab"].update(low=900), "each once. Received: .*900"),
        (lambda content: content.update(pre_tokenizer={"type": "Whitespace"}), "Received: .*Whitespace"),
        (lambda content: content["added_tokens"][-1].update(special=False, lstrip=True), "as it is. Received: .* with lstrip"),
        (lambda content: content["added_tokens"].append({**content["added_tokens"][0], "content": "<x>", "id": 900}), "Received: '<x>' with id"),
    ],
)
def test_a_tokenizer_json_of_another_kind_is_refused(small, change, complaint):
    content = json.loads(small.get_config()["spec"])
    change(content)
    with pytest.raises(ValueError, match=complaint):
        WordPieceTokenizer(json.dumps(content))


def test_a_directory_without_a_vocabulary_says_what_can_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.json or vocab\.txt\. Received: preset_dir="):
        WordPieceTokenizer.from_preset(tmp_path)
    write_vocab(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("[1")
    with pytest.raises(ValueError, match=r"tokenizer_config\.json is damaged"):
        WordPieceTokenizer.from_preset(tmp_path)
