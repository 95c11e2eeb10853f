"""The laws of every tokenizer: calls, ids, errors, presets, Keras configs."""

import json
import subprocess
import sys

import keras
import numpy as np
import pytest
import tokenizers

from keras_richctx.text import ByteLevelBPETokenizer, WordTokenizer

TEXTS = ["What? I don't know!", "", "The café 1992", "  \n", "[EOS]"]


def test_a_batch_is_its_texts_one_by_one(tokenizer):
    assert tokenizer(TEXTS) == [tokenizer(text) for text in TEXTS] == tokenizer(tuple(TEXTS))
    assert tokenizer([]) == []
    assert tokenizer("") == []


def test_special_tokens_are_added_on_demand_and_left_out_in_decoding(tokenizer):
    ids = tokenizer("What?", bos=True, eos=True)
    assert ids == [tokenizer.bos_id, *tokenizer("What?"), tokenizer.eos_id]
    assert tokenizer(["", "What?"], bos=True) == [[tokenizer.bos_id], ids[:-1]]
    assert tokenizer.decode([*ids, tokenizer.pad_id, tokenizer.pad_id]) == "What?"
    assert tokenizer.pad_id == 0


@pytest.mark.parametrize("name", ["[PAD]", "[UNK]", "[BOS]", "[EOS]"])
def test_the_name_of_a_special_token_in_a_text_is_text(tokenizer, name):
    special = {tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id}
    assert not special & set(tokenizer(f"a {name} b {name}"))
    assert not special & set(tokenizer([name])[0])


def test_tokens_and_ids_name_each_other(tokenizer):
    tokens = [tokenizer.id_to_token(i) for i in range(tokenizer.vocab_size)]
    assert len(set(tokens)) == tokenizer.vocab_size
    assert [tokenizer.token_to_id(token) for token in tokens] == list(range(tokenizer.vocab_size))
    with pytest.raises(ValueError, match=r"not in the vocabulary.*Received: token='zzz'"):
        tokenizer.token_to_id("zzz")


@pytest.mark.parametrize("text", ["What? I don't know!", "The  café\n\u0301 x 🦉", "\x00\x1b[0m\x7f\u202e", "e\u0301te\u0301"])
def test_there_is_one_span_and_one_piece_per_id(tokenizer, text):
    spans = tokenizer.spans(text)
    assert len(spans) == len(tokenizer(text)) == len(tokenizer.tokenize(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


def test_arrays_and_tensors_decode_as_lists_do(tokenizer):
    ids = tokenizer(["What?", "What?"])
    assert tokenizer.decode(np.array(ids)) == tokenizer.decode(ids) == ["What?", "What?"]
    assert tokenizer.decode(keras.ops.convert_to_tensor(ids)) == ["What?", "What?"]
    assert tokenizer.decode(np.array(ids[0], "uint16")) == tokenizer.decode(tuple(ids[0])) == "What?"
    assert tokenizer.decode([]) == ""
    assert tokenizer.decode([[], ids[0]]) == ["", "What?"]


@pytest.mark.parametrize("bad", [-1, 10**6])
def test_an_id_out_of_range_is_named(tokenizer, bad):
    expected = f"0 ... {tokenizer.vocab_size - 1}.*Received: id {bad} at position 1"
    for call in (tokenizer.decode, tokenizer.pieces):
        with pytest.raises(ValueError, match=expected):
            call([5, bad])
    with pytest.raises(ValueError, match=f"Received: id {bad}"):
        tokenizer.id_to_token(bad)


@pytest.mark.parametrize("ids", [[1.0], np.ones(2), ["1"], [None], 5, [1, [2]]])
def test_ids_that_are_no_integers_are_refused(tokenizer, ids):
    with pytest.raises(TypeError, match=r"Received"):
        tokenizer.decode(ids)


@pytest.mark.parametrize(
    "texts, received",
    [
        (None, "'None' of type NoneType"),
        (b"un", ".*of type bytes"),
        (["un", 3], "a list with 3 of type int at position 1"),
        ([["un"]], r"a list with \['un'\]"),
    ],
)
def test_another_type_of_input_is_named(tokenizer, texts, received):
    with pytest.raises(TypeError, match=f"takes a string, a list of strings.*Received: {received}"):
        tokenizer(texts)


def test_a_lone_surrogate_is_refused_alone_and_in_a_batch(tokenizer):
    for texts in ("a\ud800", ["fine", "a\ud800"]):
        with pytest.raises(ValueError, match=r"lone surrogate.*Received: U\+D800 at position 1"):
            tokenizer(texts)


def test_spans_take_one_string(tokenizer):
    with pytest.raises(TypeError, match=r"A text is a string\. Received"):
        tokenizer.spans(["un"])


def test_a_saved_preset_is_the_same_tokenizer(tokenizer, tmp_path):
    tokenizer.save_to_preset(tmp_path / "a" / "b")
    loaded = type(tokenizer).from_preset(tmp_path / "a" / "b")
    assert loaded == tokenizer
    assert hash(loaded) == hash(tokenizer)
    assert loaded.fingerprint == tokenizer.fingerprint
    assert loaded(TEXTS, eos=True) == tokenizer(TEXTS, eos=True)
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["tokenizer.json"]


def test_a_preset_with_padding_and_truncation_neither_pads_nor_truncates(bpe, tmp_path):
    other = tokenizers.Tokenizer.from_str(bpe.get_config()["spec"])
    other.enable_truncation(2)
    other.enable_padding(length=9)
    other.save(str(tmp_path / "tokenizer.json"))
    assert ByteLevelBPETokenizer.from_preset(tmp_path)(TEXTS) == bpe(TEXTS)


def test_a_failed_save_keeps_the_old_file(tokenizer, tmp_path, monkeypatch):
    (tmp_path / "tokenizer.json").write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *args: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(OSError, match=r"No space left"):
        tokenizer.save_to_preset(tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("tokenizer.json", "old")]


def test_content_decides_equality(english, bpe):
    same = WordTokenizer(english.get_config()["spec"])
    other = WordTokenizer.train(["What?"], vocab_size=9)
    assert same == english
    assert other != english
    assert other.fingerprint != english.fingerprint
    assert english != bpe
    assert english != "text"


def test_a_preset_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.json.*Received: preset_dir="):
        WordTokenizer.from_preset(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b'{"version": "1.0", "mod', b"[]", b"{}", b"\xff\xfe{", b"null"])
def test_a_corrupt_preset_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    for cls in (WordTokenizer, ByteLevelBPETokenizer):
        with pytest.raises(ValueError, match=rf"tokenizer\.json cannot be read as a {cls.__name__}"):
            cls.from_preset(tmp_path)


def test_a_preset_of_another_class_is_refused(english, bpe, tmp_path):
    english.save_to_preset(tmp_path / "word")
    bpe.save_to_preset(tmp_path / "bpe")
    with pytest.raises(ValueError, match=r"cannot be read as a ByteLevelBPETokenizer.*Received: .*WordLevel"):
        ByteLevelBPETokenizer.from_preset(tmp_path / "word")
    with pytest.raises(ValueError, match=r"cannot be read as a WordTokenizer.*Received: .*BPE"):
        WordTokenizer.from_preset(tmp_path / "bpe")


def test_a_preset_without_its_special_tokens_is_refused(tokenizer):
    content = json.loads(tokenizer.get_config()["spec"])
    content["added_tokens"] = content["added_tokens"][:1]
    with pytest.raises(ValueError, match=r"needs special tokens at the ids .*Received: special tokens at \[0\]"):
        type(tokenizer)(json.dumps(content))


@keras.saving.register_keras_serializable("keras_richctx_tests")
class TokenCounter(keras.Model):
    """A model that owns a tokenizer, as a translation model does."""

    def __init__(self, tokenizer, **kwargs):
        super().__init__(**kwargs)
        self.tokenizer = tokenizer
        self.embedding = keras.layers.Embedding(tokenizer.vocab_size, 3)

    def call(self, ids):
        return self.embedding(ids)

    def get_config(self):
        return {**super().get_config(), "tokenizer": keras.saving.serialize_keras_object(self.tokenizer)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "tokenizer": keras.saving.deserialize_keras_object(config["tokenizer"])})


def test_a_model_saves_its_tokenizer_in_one_file(tokenizer, tmp_path):
    model = TokenCounter(tokenizer)
    ids = np.array([tokenizer("What? I know")])
    before = keras.ops.convert_to_numpy(model(ids))
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    assert loaded.tokenizer == tokenizer
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(loaded(ids)), before)


@pytest.mark.backends
def test_training_again_in_another_process_gives_the_same_tokenizer(english, bpe):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from conftest import ENGLISH, FRENCH; from keras_richctx.text import *;"
        "print(WordTokenizer.train(iter(ENGLISH), vocab_size=100).fingerprint,"
        "ByteLevelBPETokenizer.train(tuple(ENGLISH + FRENCH), vocab_size=320).fingerprint, 'tensorflow' in sys.modules)"
    )
    backend = keras.backend.backend()
    environment = {"PYTHONHASHSEED": "7", "KERAS_BACKEND": backend, "PATH": "", "TOKENIZERS_PARALLELISM": "false"}
    run = subprocess.run([sys.executable, "-c", code, __file__.rpartition("/")[0]], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.split() == [english.fingerprint, bpe.fingerprint, str(backend == "tensorflow")]  # elsewhere TensorFlow stays out
