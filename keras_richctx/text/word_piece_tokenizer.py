r"""Words cut into the longest pieces that a vocabulary holds: BERT's tokenizer."""

import collections
import functools
import importlib.util
import json
import os
import pathlib
import unicodedata
from typing import ClassVar

import keras
import numpy as np
import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers, trainers

from keras_richctx.text.checks import check_ids, check_vocab_size
from keras_richctx.text.corpus import read_texts
from keras_richctx.text.tokenizer import FILE_NAME, Tokenizer
from keras_richctx.text.word_piece_vocabulary import (
    CLS,
    CONFIG_NAME,
    MAX_CHARS,
    PAD,
    SEP,
    SPECIAL_TOKENS,
    UNK,
    VOCAB_NAME,
    is_cased,
    make_config,
    make_spec,
    read_options,
    read_vocabulary,
)

_GRAPH_ENGINE = importlib.util.find_spec("tensorflow_text") is not None


@keras.saving.register_keras_serializable("keras_richctx")
class WordPieceTokenizer(Tokenizer):
    r"""Splits text into words and words into pieces of a vocabulary, the longest first: WordPiece as in BERT.

    Control characters vanish, white space parts words, each punctuation mark and each Chinese ideograph is a word. Where the vocabulary is uncased, upper
    case becomes lower case and accents fall away. From the left of a word, the longest piece that the vocabulary holds is taken, again and again; a piece
    that does not begin its word is spelt with `##`. A word that no pieces make, or of more than 100 characters, is one `[UNK]`.

    Ids and spans are those of Hugging Face's `BertTokenizer` on every string, with two differences. The name of a special token in a text is text, as with
    all tokenizers here, unless `never_split` names it. And a span ends behind the accents of its last letter, where the reference ends before them.

    There are two engines, with one result: in Python the Rust library `tokenizers`; on a TensorFlow tensor operations of the graph, so that a saved model
    may take strings. Such a model needs tensorflow-text where it is served, and nothing of this library. Where tensorflow-text is not installed, as on
    Windows, the Rust library serves tensors too, in `tf.data` and eagerly, and the graph cannot be exported.

    `bos_id` and `cls_id` are one, and so are `eos_id` and `sep_id`; there are `pad_id`, `unk_id` and `mask_id`, the last of which may be `None`.

    Args:
        spec: string, the content of a `tokenizer.json` file. Use `train` or `from_preset` to make a tokenizer.

    Call arguments:
        texts: a string; a list or tuple of strings; or a TensorFlow string tensor of shape `()` or `(B,)`.
        bos: bool, whether to begin each text with `[CLS]`. Defaults to `False`.
        eos: bool, whether to end each text with `[SEP]`. Defaults to `False`.

    Returns:
        Ids as `Tokenizer` describes them.

    Raises:
        TypeError: if `texts` is of another type.
        ValueError: if `spec` is not that of a `WordPieceTokenizer`, or a text holds a lone surrogate.

    Example:
        >>> tokenizer = WordPieceTokenizer.train(["low lower lowest"] * 2, vocab_size=24)
        >>> tokenizer.tokenize("Löwest, slow")
        ['lowe', '##st', '[UNK]', 's', '##l', '##o', '##w']
        >>> tokenizer.spans("Löwest")
        [(0, 4), (4, 6)]

    References:
        - [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 4.1: word pieces.
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3, and its
          [`tokenization.py`](https://github.com/google-research/bert/blob/master/tokenization.py).
    """

    _required: ClassVar[dict] = {
        "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "unk_token": UNK},
        "normalizer": {"type": "BertNormalizer"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
    }

    @classmethod
    def train(cls, texts, vocab_size, lowercase=True, never_split=()):
        """Makes a tokenizer of the pieces that are frequent in a corpus.

        Args:
            texts: iterable of strings (texts) and `pathlib.Path` (UTF-8 files, one text a line). It is read twice; an iterator is kept in memory.
            vocab_size: int, the largest number of ids: `[PAD]` = 0, `[UNK]`, `[CLS]`, `[SEP]` and `[MASK]`, those of `never_split`, the characters of the
                corpus, those that are letters also as `##c`, and pieces. Where it has no room for all characters, the rarest are left out.
            lowercase: bool, whether words that differ in case or accents are one. Defaults to `True`.
            never_split: sequence of strings that are found in a text as they are, each a token. Defaults to `()`.

        Returns:
            A `WordPieceTokenizer`. The same texts give the same tokenizer.

        Raises:
            TypeError: if `texts` is not such an iterable.
            ValueError: if the corpus holds no text, a file is not UTF-8, or `vocab_size` leaves no room for a piece.
        """
        special_tokens = list(dict.fromkeys([*SPECIAL_TOKENS, *never_split]))
        vocab_size = check_vocab_size(vocab_size, len(special_tokens) + 2, f"{len(special_tokens)} special tokens and a letter, as itself and within a word")
        texts = list(texts) if hasattr(texts, "__next__") else texts  # they are read twice
        tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=UNK, max_input_chars_per_word=MAX_CHARS))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        # The library numbers the pieces of one character in an order that changes from run to run: they get their numbers here.
        alphabet, inner = _alphabet(map(tokenizer.normalizer.normalize_str, read_texts(texts)), vocab_size - len(special_tokens))
        trainer = trainers.WordPieceTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            initial_alphabet=alphabet,
            limit_alphabet=len(alphabet),
            special_tokens=[AddedToken(token, special=True, normalized=False) for token in (*special_tokens, *alphabet, *inner)],
            show_progress=False,
        )
        tokenizer.train_from_iterator(read_texts(texts), trainer)
        vocab = tokenizer.get_vocab()
        return cls(make_spec(sorted(vocab, key=vocab.get), lowercase=lowercase, never_split=never_split))

    @classmethod
    def from_preset(cls, preset_dir, lowercase=None, never_split=None):
        """Reads a tokenizer that `save_to_preset` wrote, or the vocabulary of a BERT.

        Args:
            preset_dir: path of a directory that holds `tokenizer.json`, ours or Hugging Face's, or else `vocab.txt`, Google's or Hugging Face's. A
                `tokenizer_config.json` beside it has the last word on case, accents and ideographs, as in Hugging Face's library.
            lowercase: bool, whether the vocabulary is uncased, or `None` for what the files say. A `vocab.txt` alone does not say it: it is taken for cased
                where one of its tokens has a capital. Defaults to `None`.
            never_split: sequence of tokens of the vocabulary that are found in a text as they are, such as `("[MASK]",)`, or `None` for what the files say.
                Defaults to `None`.

        Returns:
            A `WordPieceTokenizer`.

        Raises:
            FileNotFoundError: if there is neither file.
            ValueError: if a file is damaged, or of another kind of tokenizer.
        """
        directory = pathlib.Path(preset_dir)
        given = {name: value for name, value in (("lowercase", lowercase), ("never_split", never_split)) if value is not None}
        options = {**read_options(directory), **given}
        if (directory / FILE_NAME).is_file():
            tokenizer = super().from_preset(directory)
            return tokenizer._with(**options) if options else tokenizer
        path = directory / VOCAB_NAME
        if not path.is_file():
            raise FileNotFoundError(
                f"A preset of a {cls.__name__} is a directory that holds {FILE_NAME} or {VOCAB_NAME}. "
                f"Received: preset_dir={str(preset_dir)!r}, where there is none"
            )
        try:
            vocab = read_vocabulary(path)
            return cls(make_spec(vocab, **{"lowercase": not is_cased(vocab), **options}))
        except ValueError as error:
            raise ValueError(f"{path} cannot be read as a {cls.__name__}: {error}") from error

    def save_vocabulary(self, preset_dir):
        """Writes `vocab.txt` and `tokenizer_config.json`, as Hugging Face and Google name them. `from_preset` reads them as the same tokenizer.

        Args:
            preset_dir: path of the directory, which is made if needed.
        """
        directory = pathlib.Path(preset_dir)
        directory.mkdir(parents=True, exist_ok=True)
        config = make_config(json.loads(self._tokenizer.to_str())["normalizer"], self.never_split)
        contents = {VOCAB_NAME: "".join(f"{token}\n" for token in self._vocab), CONFIG_NAME: json.dumps(config, ensure_ascii=False, indent=2) + "\n"}
        for name, content in contents.items():
            part = directory / f"{name}.{os.getpid()}.part"
            try:
                part.write_text(content, encoding="utf-8", newline="\n")
                part.replace(directory / name)
            finally:
                part.unlink(missing_ok=True)

    def spans(self, text):
        spans = super().spans(text)
        if text.isascii():
            return spans
        limits = [start for start, _ in spans[1:]] + [len(text)]
        return [(start, _past_marks(text, end, limit)) for (start, end), limit in zip(spans, limits)]

    def pieces(self, ids):
        return [self._tokenizer.id_to_token(i) for i in check_ids(ids, self.vocab_size)]

    def _join(self, ids):
        return self._tokenizer.decoder.decode(self.pieces(ids)).replace(" ' ", "'")

    @property
    def cls_id(self):
        """The id of `[CLS]`, which begins the input of a model: `bos_id`."""
        return self.bos_id

    @property
    def sep_id(self):
        """The id of `[SEP]`, which ends a text: `eos_id`."""
        return self.eos_id

    @property
    def never_split(self):
        """The tokens that are found in a text as they are, a tuple of strings."""
        return tuple(token.content for _, token in sorted(self._tokenizer.get_added_tokens_decoder().items()) if not token.special)

    @functools.cached_property
    def continues(self):
        """Which ids go on with a word that a piece before them began: a boolean array `(vocab_size,)`."""
        return np.array([token.startswith("##") for token in self._vocab])

    @functools.cached_property
    def _vocab(self):
        """The tokens in the order of their ids."""
        return [self._tokenizer.id_to_token(i) for i in range(self.vocab_size)]

    @functools.cached_property
    def _graph(self):
        from keras_richctx.text.word_piece_graph import WordPieceGraph

        content = json.loads(self._tokenizer.to_str())
        return WordPieceGraph(self._vocab, content["normalizer"], UNK, content["model"]["max_input_chars_per_word"], self.never_split)

    def _encode_in_graph(self):
        return (lambda texts: self._graph(texts)) if _GRAPH_ENGINE else None

    def _with(self, never_split=None, **normalizer):
        """Returns a tokenizer of the same vocabulary with other options."""
        content = json.loads(self._tokenizer.to_str())
        normalizer = {name: value for name, value in {**content["normalizer"], **normalizer}.items() if name not in ("type", "clean_text")}
        return type(self)(make_spec(self._vocab, **normalizer, never_split=self.never_split if never_split is None else never_split))

    def _find_special(self):
        added = {token.content: i for i, token in self._tokenizer.get_added_tokens_decoder().items()}
        self.pad_id, self.unk_id, self.bos_id, self.eos_id, self.mask_id = map(added.get, SPECIAL_TOKENS)
        missing = [token for token in (PAD, UNK, CLS, SEP) if token not in added]
        if missing:
            ids = sorted(added.values())
            raise ValueError(f"{type(self).__name__} needs special tokens at the ids of {', '.join(missing)}. Received: special tokens at {ids}")
        return super()._find_special() | {added[token] for token in SPECIAL_TOKENS if token in added}

    def _check(self, content):
        super()._check(content)
        if not content["normalizer"].get("clean_text", True):
            raise ValueError(f"A {type(self).__name__} removes control characters. Received: clean_text=False")
        ids, added = content["model"]["vocab"], content.get("added_tokens") or []
        if sorted(ids.values()) != list(range(len(ids))):
            raise ValueError(f"The ids of {len(ids)} tokens are 0 ... {len(ids) - 1}, each once. Received: {sorted(ids.values())[-3:]} as the last three")
        for token in added:
            if ids.get(token["content"]) != token["id"]:
                raise ValueError(f"An added token is one of the vocabulary, with its id there. Received: {token['content']!r} with id {token['id']}")
            options = [name for name in ("single_word", "lstrip", "rstrip", "normalized") if token.get(name)]
            if options and not token["special"]:
                raise ValueError(f"An added token is found in a text as it is. Received: {token['content']!r} with {', '.join(options)}")


def _alphabet(texts, room):
    """Returns the characters of normalised texts, and the pieces of those that can go on with a word, as many as there is room for, the frequent ones first."""
    counts = collections.Counter()
    for text in texts:
        counts.update(text)
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    alphabet, inner = [], []
    for character, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        parts = len(split(f"a{character}a"))  # 1: a letter, 2: a space, 3: a mark that stands alone
        if parts != 2 and len(alphabet) + len(inner) + (2 if parts == 1 else 1) <= room:
            alphabet.append(character)
            inner += [f"##{character}"] if parts == 1 else []
    return sorted(alphabet), sorted(inner)


def _past_marks(text, end, limit):
    """Returns where the combining marks that follow position `end` end, `limit` at most."""
    while end < limit and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end
