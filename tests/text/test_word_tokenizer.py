"""Words, and how they are put together again."""

import unicodedata
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.text import WordTokenizer

UNICODE = st.text(st.characters(exclude_categories=["Cs"])) | st.text("ab1'’.,- \u0301\u200d\u0338=é")
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"  # Unicode's property


@pytest.mark.parametrize(
    "text, words",
    [
        ("l'accord", ["l'", "accord"]),
        ("l’accord", ["l’", "accord"]),
        ("don't", ["don'", "t"]),
        ("Quoi ?! (non…)", ["Quoi", "?", "!", "(", "non", "…", ")"]),
        ("$1,250.50 at 7:30. 3.", ["$", "1,250.50", "at", "7:30", ".", "3", "."]),
        ("est-ce snake_case", ["est", "-", "ce", "snake_case"]),
        ("👩\u200d💻 👍🏽 ❤️ 🇫🇷", ["👩\u200d💻", "👍🏽", "❤️", "🇫🇷"]),
        ("می\u200cخواهم שלום", ["می\u200cخواهم", "שלום"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("a\x00b\tc\u00a0d\u3000e\u2028f", ["a", "\x00", "b", "c", "d", "e", "f"]),
        ("'quoted'", ["'", "quoted'"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        (" \n", []),
    ],
)
def test_words(english, text, words):
    assert english.words(text) == words


@given(UNICODE)
def test_words_are_all_the_text_but_white_space(english, text):
    spans = english.spans(text)
    inside = {i for start, end in spans for i in range(start, end)}
    assert sum(end - start for start, end in spans) == len(inside)
    assert not [text[i] for i in inside if text[i] in WHITE_SPACE]
    assert not [text[i] for i in set(range(len(text))) - inside if text[i] not in WHITE_SPACE]


@given(st.lists(UNICODE, max_size=4))
def test_any_corpus_that_holds_a_word_trains_and_knows_its_words(texts):
    if not "".join(texts).strip():
        return
    tokenizer = WordTokenizer.train(texts, vocab_size=10_000)
    for text in texts:
        assert tokenizer.unk_id not in tokenizer(text)
        assert [unicodedata.normalize("NFC", word) for word in tokenizer.words(text)] == tokenizer.tokenize(text)


def test_special_tokens_have_their_fixed_ids(english):
    assert [english.id_to_token(i) for i in range(4)] == ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]
    assert (english.pad_id, english.unk_id, english.bos_id, english.eos_id) == (0, 1, 2, 3)


def test_the_most_frequent_words_are_kept_and_ties_go_by_code_point():
    texts = ["b a c", "c é Z d", "c d"]
    assert [WordTokenizer.train(order, 8).id_to_token(i) for order in (texts, texts[::-1]) for i in range(4, 8)] == ["c", "d", "Z", "a"] * 2


def test_unknown_words_show_in_decoding_and_stay_in_words(english):
    text = "The Wombat was signed."
    ids = english(text)
    assert ids.count(english.unk_id) == 1
    assert english.tokenize(text)[1] == "[UNK]"
    assert english.words(text)[1] == "Wombat"
    assert english.decode(ids) == "The [UNK] was signed."
    assert english.join(english.words(text)) == text


def test_composed_and_decomposed_are_one_word(french):
    text = "L'accord a été signé"
    decomposed = unicodedata.normalize("NFD", text)
    assert french(decomposed) == french(text)
    assert french.unk_id not in french(text)
    assert french.words(decomposed)[-1] == unicodedata.normalize("NFD", "signé")


def test_lowercase_is_an_option(english):
    lower = WordTokenizer.train(["The CAFÉ, the cafe\u0301"], vocab_size=9, lowercase=True)
    assert lower.tokenize("THE café") == ["the", "café"]
    assert lower.words("THE café") == ["THE", "café"]
    assert english("the") != english("The")


def test_spaces_come_back_as_the_corpus_has_them(english, french):
    for tokenizer, texts in [
        (english, ["What? I don't know! (it is well-known).", "The agreement: a, b; c."]),
        (french, ["Quoi ? « D'accord », dit-il !", "Qu'est-ce que c'est ?"]),
    ]:
        for text in texts:
            assert tokenizer.decode(tokenizer(text)) == text
    assert french.decode(english("")) == ""


def test_marks_that_the_corpus_lacks_follow_the_rule():
    tokenizer = WordTokenizer.train(["un deux"], vocab_size=9)
    assert tokenizer.join(["un", ",", "(", "deux", ")", "…", "l'", "un", "-", "deux", "«", "un", "»", "!"]) == "un, (deux)… l'un-deux «un»!"


def test_a_long_sentence_is_not_cut(english):
    assert len(english("The " * 2000)) == 2000


def test_a_vocabulary_without_room_for_a_word_is_refused():
    with pytest.raises(ValueError, match=r"at least 5: four special tokens and a word. Received: vocab_size=4"):
        WordTokenizer.train(["un"], vocab_size=4)
    with pytest.raises(TypeError, match=r"must be an integer. Received: vocab_size=1000.0"):
        WordTokenizer.train(["un"], vocab_size=1e3)


@pytest.mark.parametrize("column, name", [(0, "English"), (1, "French")])
def test_nearly_all_real_sentences_come_back_exactly(data_dir, column, name):
    with zipfile.ZipFile(data_dir / "tatoeba_fra" / "fra-eng.zip") as archive:
        lines = archive.read("fra.txt").decode().splitlines()[::29]
    texts = [" ".join(line.split("\t")[column].split()) for line in lines]
    tokenizer = WordTokenizer.train(texts, vocab_size=30_000)
    back = tokenizer.decode(tokenizer(texts))
    assert sum(a == b for a, b in zip(texts, back)) > 0.99 * len(texts)
