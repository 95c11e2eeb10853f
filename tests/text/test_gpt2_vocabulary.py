"""GPT-2's vocabulary: the ids of the reference, one special token, three layouts of files, and what becomes of damaged ones."""

import json
import os
import pathlib
import shutil

import keras
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers, processors

from keras_richctx.text import ByteLevelBPETokenizer
from keras_richctx.text.byte_alphabet import byte_alphabet

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden/gpt2_ids.json").read_text(encoding="utf-8"))
END = "<|endoftext|>"
HUGGING_FACE, OPENAI = ("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")
UNICODE = st.text(st.characters(exclude_categories=["Cs"]))
MERGES = ["Ġ t", "h e", "Ġt he", "# #"]


def small_vocab(end=None):
    """The bytes, what `MERGES` make of them, and `<|endoftext|>`, last unless `end` says where."""
    tokens = [*sorted(byte_alphabet()), *(merge.replace(" ", "") for merge in MERGES)]
    tokens.insert(len(tokens) if end is None else end, END)
    return {token: i for i, token in enumerate(tokens)}


def write(folder, vocab, merges=MERGES, names=HUGGING_FACE):
    """Writes the two files of a vocabulary."""
    (folder / names[0]).write_text(json.dumps(vocab), encoding="utf-8")
    (folder / names[1]).write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8", newline="\n")
    return folder


def write_tokenizer_json(folder, vocab, merges, post_processor=None, added=()):
    """Writes a `tokenizer.json` as Hugging Face's own library does."""
    tokenizer = tokenizers.Tokenizer(models.BPE(vocab, [tuple(merge.split(" ")) for merge in merges], continuing_subword_prefix="", end_of_word_suffix=""))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = post_processor or processors.ByteLevel(trim_offsets=True)
    tokenizer.add_special_tokens([END])
    tokenizer.add_tokens(list(added))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def gpt2_dir(fixtures_dir):
    return fixtures_dir / "gpt2_bpe"


@pytest.fixture(scope="module")
def gpt2(gpt2_dir):
    return ByteLevelBPETokenizer.from_preset(gpt2_dir)


@pytest.fixture(scope="module")
def reference(gpt2):
    """The library's own tokenizer on the same vocabulary."""
    return tokenizers.Tokenizer.from_str(gpt2.get_config()["spec"])


@pytest.fixture
def small(tmp_path):
    return ByteLevelBPETokenizer.from_preset(write(tmp_path, small_vocab()))


@pytest.mark.parametrize("text, ids", GOLDEN, ids=range(len(GOLDEN)))
def test_the_ids_are_those_of_the_reference(gpt2, text, ids):
    assert gpt2(text) == ids
    assert gpt2.decode(ids) == text


def test_one_token_begins_ends_and_pads(gpt2):
    assert gpt2.vocab_size == 50257
    assert gpt2.pad_id == gpt2.bos_id == gpt2.eos_id == 50256
    assert gpt2.unk_id is None
    assert gpt2("Hello world", bos=True, eos=True) == [50256, 15496, 995, 50256]
    assert gpt2.decode([50256, 15496, 995, 50256, 50256]) == "Hello world"
    assert gpt2.pieces([50256, 15496, 995]) == [END, "Hello", " world"]


@given(UNICODE)
def test_any_text_comes_back(gpt2, text):
    assert gpt2.decode(gpt2(text, bos=True, eos=True)) == text
    assert 50256 not in gpt2(text + END)


@given(st.lists(st.integers(0, 50255)))
def test_any_ids_decode_as_the_library_decodes_them(gpt2, reference, ids):
    assert gpt2.decode(ids) == reference.decode(ids)


def test_tensors_get_the_same_ids(gpt2):
    tf = pytest.importorskip("tensorflow")
    texts, ids = zip(*GOLDEN)
    data = tf.data.Dataset.from_tensor_slices(list(texts)).batch(5).map(lambda batch: gpt2(batch, eos=True))
    assert [row for batch in data for row in batch.to_list()] == [[*row, 50256] for row in ids]


def test_the_three_layouts_give_the_same_ids(gpt2, gpt2_dir, tmp_path):
    for name, copy in zip(OPENAI, HUGGING_FACE):
        shutil.copy(gpt2_dir / name, tmp_path / copy)
    pair = ByteLevelBPETokenizer.from_preset(tmp_path)
    assert pair == gpt2
    vocab = json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    merges = (tmp_path / "merges.txt").read_text(encoding="utf-8").split("\n")[1:-1]
    loaded = ByteLevelBPETokenizer.from_preset(write_tokenizer_json(tmp_path, vocab, merges))
    assert (loaded.pad_id, loaded.bos_id, loaded.eos_id) == (50256, 50256, 50256)
    assert loaded([text for text, _ in GOLDEN]) == [ids for _, ids in GOLDEN]
    assert loaded.spans("a b") == [(0, 1), (1, 3)]


def test_the_real_vocabulary_is_written_as_it_was_read(gpt2, gpt2_dir, tmp_path):
    gpt2.save_vocabulary(tmp_path)
    for name, copy in zip(OPENAI, HUGGING_FACE):
        read = json.loads if name.endswith("json") else str
        assert read((tmp_path / copy).read_text(encoding="utf-8")) == read((gpt2_dir / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("names", [HUGGING_FACE, OPENAI])
@pytest.mark.parametrize("end", [0, 100, None])
def test_the_special_token_is_found_wherever_it_stands(tmp_path, names, end):
    vocab = small_vocab(end)
    tokenizer = ByteLevelBPETokenizer.from_preset(write(tmp_path, vocab, names=names))
    assert (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id) == (vocab[END],) * 3
    assert tokenizer.tokenize("the the##\n# the") == ["t", "he", " the", "##", "\n", "#", " the"]
    assert (ByteLevelBPETokenizer.pad_id, ByteLevelBPETokenizer.bos_id, ByteLevelBPETokenizer.eos_id) == (0, 1, 2)


def test_special_ids_survive_saving(small, tmp_path):
    small.save_to_preset(tmp_path / "saved")
    again = ByteLevelBPETokenizer.from_preset(tmp_path / "saved")
    config = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(small))
    for loaded in (again, config, ByteLevelBPETokenizer.from_config(small.get_config())):
        assert loaded == small
        assert loaded.fingerprint == small.fingerprint
        assert (loaded.pad_id, loaded.bos_id, loaded.eos_id) == (260, 260, 260)


def test_special_ids_are_part_of_equality(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, end in ((one, 0), (other, 100)):
        folder.mkdir()
        write(folder, small_vocab(end))
    assert ByteLevelBPETokenizer.from_preset(one) != ByteLevelBPETokenizer.from_preset(other)


def test_a_trained_vocabulary_keeps_its_three_special_ids(bpe, tmp_path):
    named = ByteLevelBPETokenizer.train(["un un"], 300, special_tokens=[END, "<s>", "</s>"])
    for tokenizer in (bpe, named, ByteLevelBPETokenizer.from_config(named.get_config())):
        assert (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2)
    bpe.save_vocabulary(tmp_path)
    assert ByteLevelBPETokenizer.from_preset(tmp_path) == bpe


@pytest.mark.parametrize(
    "post_processor",
    [processors.ByteLevel(trim_offsets=True), processors.TemplateProcessing(f"{END} $A {END}", special_tokens=[(END, 260)])],
    ids=["spans", "template"],
)
def test_a_post_processor_changes_neither_ids_nor_spans(small, tmp_path, post_processor):
    loaded = ByteLevelBPETokenizer.from_preset(write_tokenizer_json(tmp_path, small_vocab(), MERGES, post_processor))
    assert loaded("the the") == small("the the")
    assert loaded.spans("the the") == small.spans("the the") == [(0, 1), (1, 3), (3, 7)]
    assert loaded.eos_id == 260


def test_tokens_added_to_the_vocabulary_are_kept(tmp_path):
    special = tokenizers.AddedToken("<|sep|>", special=True)
    loaded = ByteLevelBPETokenizer.from_preset(write_tokenizer_json(tmp_path, small_vocab(), MERGES, added=[special, "été ☕"]))
    assert (loaded.vocab_size, loaded.eos_id, loaded.token_to_id("<|sep|>"), loaded.token_to_id("été ☕")) == (263, 260, 261, 262)
    assert loaded.tokenize("the été ☕<|sep|>")[:4] == ["t", "he", " ", "été ☕"]
    assert loaded.decode([*loaded("the été ☕<|sep|>"), 261, 260]) == "the été ☕<|sep|>"
    with pytest.raises(ValueError, match=r"do not say which tokens are special.*Received: <\|endoftext\|>, <\|sep\|>, été ☕; save_to_preset"):
        loaded.save_vocabulary(tmp_path)


def test_a_failed_save_keeps_the_old_files(small, tmp_path, monkeypatch):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr("pathlib.Path.replace", lambda *args: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(OSError, match=r"No space left"):
        small.save_vocabulary(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_windows_line_ends_and_a_missing_version_line_are_read(small, tmp_path):
    for content in ("#version: 0.2\r\n" + "\r\n".join(MERGES) + "\r\n", "\n".join(MERGES)):
        (tmp_path / "merges.txt").write_bytes(content.encode())
        assert ByteLevelBPETokenizer.from_preset(tmp_path) == small


@pytest.mark.parametrize("names", [HUGGING_FACE, OPENAI])
def test_one_file_without_the_other_names_it(tmp_path, names):
    write(tmp_path, small_vocab(), names=names)
    for missing, other in (names, names[::-1]):
        content = (tmp_path / missing).read_bytes()
        os.remove(tmp_path / missing)
        with pytest.raises(FileNotFoundError, match=f"{other} needs {missing} beside it.*Received: .*{missing}"):
            ByteLevelBPETokenizer.from_preset(tmp_path)
        (tmp_path / missing).write_bytes(content)


def test_an_empty_directory_says_what_can_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.json, or vocab\.json and merges\.txt, or encoder\.json and vocab\.bpe\. Received: preset_dir="):
        ByteLevelBPETokenizer.from_preset(tmp_path)


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda vocab: vocab | {"he": 300}, "ids of 261 tokens are 0 ... 260. Received: no token with id 25[0-9], and ids up to 300"),
        (lambda vocab: vocab | {"he": 7}, "Received: id 7 for '.' and for 'he'"),
        (lambda vocab: vocab | {"he": -1}, "an integer from 0 on. Received: 'he': -1"),
        (lambda vocab: vocab | {"he": True}, "an integer from 0 on. Received: 'he': True"),
        (lambda vocab: vocab | {"he": "7"}, "an integer from 0 on. Received: 'he': '7'"),
        (lambda vocab: {token: i for token, i in vocab.items() if token != "Ġ"}, "all 256 bytes.*Received: 1 missing, such as 'Ġ'"),
        (lambda vocab: {token: i for token, i in vocab.items() if token != END}, r"the special token <\|endoftext\|>, or begins with \[PAD\]"),
        (lambda vocab: vocab | {"madeup": 261}, r"merges\.txt does not make all tokens.*Received: 4 merges, and 1 tokens that none makes, such as 'madeup'"),
        (list, r"vocab\.json holds a JSON object from tokens to ids\. Received: "),
    ],
)
def test_a_damaged_vocabulary_is_refused(tmp_path, change, complaint):
    write(tmp_path, change(small_vocab()))
    with pytest.raises(ValueError, match=rf"vocab\.json with merges\.txt cannot be read as a ByteLevelBPETokenizer: .*{complaint}"):
        ByteLevelBPETokenizer.from_preset(tmp_path)


@pytest.mark.parametrize(
    "merges, complaint",
    [
        ([*MERGES, "h x"], "makes tokens of the vocabulary. Received: 'h x' in line 6, and no token 'hx'"),
        (["Ġ t", "Ġt he", "# #"], "what its other lines make. Received: 'he' in line 3, which no line makes"),
        (MERGES[:2], "does not make all tokens.*Received: 2 merges, and 2 tokens that none makes, such as 'Ġthe'"),
        ([*MERGES[:3], "#"], "two tokens a line, with one space between them. Received: '#' in line 5"),
        ([*MERGES, ""], "Received: '' in line 6"),
        ([*MERGES, "Ġ  t"], "Received: 'Ġ  t' in line 6"),
        ([*MERGES, "h e"], "each merge once. Received: 'h e' in the lines 3 and 6"),
    ],
)
def test_damaged_merges_are_refused(tmp_path, merges, complaint):
    write(tmp_path, small_vocab(), merges)
    with pytest.raises(ValueError, match=rf"cannot be read as a ByteLevelBPETokenizer: merges\.txt .*{complaint}"):
        ByteLevelBPETokenizer.from_preset(tmp_path)


@pytest.mark.parametrize("name, content", [("vocab.json", b'{"a": 0, "b'), ("vocab.json", b""), ("vocab.json", b"\xff{}"), ("merges.txt", b"h e\n\xc4 t\n")])
def test_half_a_file_is_refused(tmp_path, name, content):
    (write(tmp_path, small_vocab()) / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"cannot be read as a ByteLevelBPETokenizer: {name} is damaged"):
        ByteLevelBPETokenizer.from_preset(tmp_path)


def test_added_tokens_beside_the_two_files_are_not_dropped_silently(small, tmp_path):
    added = tmp_path / "added_tokens.json"
    added.write_text(json.dumps({END: 260}))
    assert ByteLevelBPETokenizer.from_preset(tmp_path) == small
    added.write_text(json.dumps({"<new>": 261}))
    with pytest.raises(ValueError, match=r"read from a tokenizer\.json.*Received: 1 in added_tokens\.json that vocab\.json lacks, such as '<new>'"):
        ByteLevelBPETokenizer.from_preset(tmp_path)


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda content: content["model"]["vocab"].update(he=300), "Received: no token with id"),
        (lambda content: content["model"]["vocab"].update(he=7), "Received: id 7 for"),
        (lambda content: content["model"]["vocab"].pop("Ġ"), "all 256 bytes|out of vocabulary"),
        (lambda content: content["model"]["merges"].append(["x", "he"]), "out of vocabulary"),
        (lambda content: content["model"].update(dropout=0.1), r"without options\. Received: {'dropout': 0\.1}"),
        (lambda content: content["model"].update(end_of_word_suffix="</w>"), "Received: {'end_of_word_suffix': '</w>'}"),
        (lambda content: content["pre_tokenizer"].update(use_regex=False), "Received: {'use_regex': False}"),
        (lambda content: content["added_tokens"][0].update(special=False), r"or the special token <\|endoftext\|>\. Received: special tokens at \[\]"),
        (
            lambda content: content["added_tokens"].append({**content["added_tokens"][0], "content": "<x>", "id": 270}),
            r"go on from its 261 without a gap\. Received: .*'<x>': 270",
        ),
        (
            lambda content: content["added_tokens"].append({**content["added_tokens"][0], "content": "<x>", "id": 261, "special": False, "lstrip": True}),
            r"swallow the spaces.*Received: lstrip or rstrip at \['<x>'\]",
        ),
    ],
)
def test_a_tokenizer_json_with_other_ids_or_options_is_refused(small, tmp_path, change, complaint):
    content = json.loads(small.get_config()["spec"])
    change(content)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"tokenizer\.json cannot be read as a ByteLevelBPETokenizer: .*({complaint})"):
        ByteLevelBPETokenizer.from_preset(tmp_path)
