"""RoBERTa's vocabulary: its special tokens by name, its rows that no merge makes, its two layouts of files."""

import json

import pytest
import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors

from keras_richctx.text import ByteLevelBPETokenizer
from keras_richctx.text.byte_alphabet import byte_alphabet

MERGES = ["Ġ t", "h e", "Ġt he", "# #"]
FIRST, LAST = ["<s>", "<pad>", "</s>", "<unk>"], ["<|endoftext|>", "madeupword0000", "madeupword0001", "<mask>"]
TOKENS = [*FIRST, ".", *sorted(set(byte_alphabet()) - {"."}), *(merge.replace(" ", "") for merge in MERGES), *LAST]
VOCAB = {token: i for i, token in enumerate(TOKENS)}
TEXTS = ["the the##", "", " the café 🦉\n", "a <s> b</s> <mask> <pad>"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vocab.json").write_text(json.dumps(VOCAB), encoding="utf-8")
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES, ""]), encoding="utf-8", newline="\n")
    return tmp_path


@pytest.fixture
def library():
    """The tokenizer as Hugging Face's library makes it."""
    made = tokenizers.Tokenizer(models.BPE(VOCAB, [tuple(merge.split(" ")) for merge in MERGES], continuing_subword_prefix="", end_of_word_suffix=""))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    made.add_special_tokens([*FIRST, AddedToken("<mask>", lstrip=True, special=True)])
    return made


def test_special_tokens_have_roberta_s_ids_and_no_text_gives_one(folder):
    tokenizer = ByteLevelBPETokenizer.from_preset(folder)
    assert (tokenizer.bos_id, tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id, tokenizer.mask_id) == (0, 1, 2, 3, len(VOCAB) - 1)
    assert tokenizer.special_ids == [0, 1, 2, 3, len(VOCAB) - 1]
    assert not set(tokenizer.special_ids) & {i for ids in tokenizer(TEXTS) for i in ids}
    assert tokenizer.decode(tokenizer(TEXTS, bos=True, eos=True)) == TEXTS
    assert tokenizer(["the"], bos=True, eos=True) == [[0, *tokenizer("the"), 2]]


def test_ids_are_the_library_s(folder, library):
    tokenizer = ByteLevelBPETokenizer.from_preset(folder)
    assert tokenizer(TEXTS[:3]) == [library.encode(text, add_special_tokens=False).ids for text in TEXTS[:3]]


def test_both_layouts_give_one_tokenizer(folder, library):
    pair = ByteLevelBPETokenizer.from_preset(folder)
    library.save(str(folder / "tokenizer.json"))
    loaded = ByteLevelBPETokenizer.from_preset(folder)
    assert loaded(TEXTS, bos=True, eos=True) == pair(TEXTS, bos=True, eos=True)
    assert (loaded.mask_id, loaded.pad_id, loaded.special_ids) == (pair.mask_id, pair.pad_id, pair.special_ids)


def test_the_files_are_written_as_they_were_read(folder, tmp_path):
    tokenizer = ByteLevelBPETokenizer.from_preset(folder)
    tokenizer.save_vocabulary(tmp_path / "again")
    assert json.loads((tmp_path / "again/vocab.json").read_text(encoding="utf-8")) == VOCAB
    assert ByteLevelBPETokenizer.from_preset(tmp_path / "again") == tokenizer


def test_words_begin_with_a_space(folder):
    tokenizer = ByteLevelBPETokenizer.from_preset(folder)
    ids = tokenizer("the the##")
    assert tokenizer.pieces(ids) == ["t", "he", " the", "##"]
    assert tokenizer.continues[ids].tolist() == [True, True, False, True]


def test_a_vocabulary_trained_here_has_a_mask_where_one_is_named():
    tokenizer = ByteLevelBPETokenizer.train(["the the"] * 2, vocab_size=262, special_tokens=("[PAD]", "[BOS]", "[EOS]", "[MASK]"))
    assert (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.mask_id) == (0, 1, 2, 3)
    assert ByteLevelBPETokenizer.train(["the the"] * 2, vocab_size=262).mask_id is None
