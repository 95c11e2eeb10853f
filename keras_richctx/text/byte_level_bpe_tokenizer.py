r"""Sub-words over bytes: any text, no unknown token, and the text comes back exactly."""

import functools
import json
import pathlib
from typing import ClassVar

import keras
import numpy as np
import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers

from keras_richctx.text.byte_alphabet import byte_alphabet, show_bytes
from keras_richctx.text.byte_level_vocabulary import (
    END_OF_TEXT,
    HUGGING_FACE,
    OPENAI,
    ROBERTA,
    SPECIAL_TOKENS,
    check_vocabulary,
    read_vocabulary,
    write_vocabulary,
)
from keras_richctx.text.checks import check_ids, check_vocab_size
from keras_richctx.text.corpus import read_texts
from keras_richctx.text.tokenizer import FILE_NAME, Tokenizer

_BYTES = byte_alphabet()
MASKS = ("<mask>", "[MASK]")


@keras.saving.register_keras_serializable("keras_richctx")
class ByteLevelBPETokenizer(Tokenizer):
    r"""Splits text into byte sequences merged by frequency: byte-pair encoding as in GPT-2.

    Text is split by GPT-2's pattern, so that a word carries the space before it; each part starts as bytes, and the merges learnt in training are
    applied in their order. All 256 bytes are in the vocabulary: there is no unknown token, and `decode(tokenizer(text)) == text` for any text,
    normalised or not. Ids that end in the middle of a character, as a model may generate them, decode to U+FFFD there.

    The vocabulary says which ids are special. Where the first three are, as `train` has them, they are padding = 0, begin = 1 and end = 2, `[PAD]`,
    `[BOS]` and `[EOS]` unless named otherwise. Where RoBERTa's `<s>`, `<pad>`, `</s>`, `<unk>` and `<mask>` are special, they are begin, padding, end, a
    token that no text gives, and the mask. Else the special token `<|endoftext|>` is all three at once, as in GPT-2, wherever it stands (there at 50256):
    `pad_id == bos_id == eos_id`, and a padding mask cannot be told from the ids. `mask_id` is that of `<mask>` or `[MASK]` where one is special, as where
    `train` is given it behind the first three, and else `None`.

    Args:
        spec: string, the content of a `tokenizer.json` file. Use `train` or `from_preset` to make a tokenizer.

    Call arguments:
        texts: a string; a list or tuple of strings; or a TensorFlow string tensor of shape `()` or `(B,)`.
        bos: bool, whether to begin each text with `bos_id`. Defaults to `False`.
        eos: bool, whether to end each text with `eos_id`. Defaults to `False`.

    Returns:
        Ids as `Tokenizer` describes them.

    Raises:
        TypeError: if `texts` is of another type.
        ValueError: if `spec` is not that of a `ByteLevelBPETokenizer`, or a text holds a lone surrogate.

    Example:
        >>> tokenizer = ByteLevelBPETokenizer.train(["low lower lowest"] * 2, vocab_size=263)
        >>> tokenizer.tokenize("low slower")
        ['low', ' ', 's', 'low', 'e', 'r']
        >>> tokenizer.decode(tokenizer("Was auch immer 🦉", bos=True))
        'Was auch immer 🦉'

    References:
        - [Sennrich et al., 2016](https://arxiv.org/abs/1508.07909): merges by frequency.
        - [Radford et al., 2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.2:
          bytes in place of characters.
    """

    pad_id, bos_id, eos_id = range(3)  # of a vocabulary trained here
    pair_separators, pair_segments = 2, 1  # as in RoBERTa
    _required: ClassVar[dict] = {
        "model": {"type": "BPE"},
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "decoder": {"type": "ByteLevel"},
    }

    @classmethod
    def train(cls, texts, vocab_size, special_tokens=SPECIAL_TOKENS):
        """Learns the merges from a corpus.

        Args:
            texts: iterable of strings (texts) and `pathlib.Path` (UTF-8 files, one text a line).
            vocab_size: int, the largest number of ids: special tokens, 256 bytes and merges. A small corpus gives fewer, since a pair must occur
                twice to be merged.
            special_tokens: sequence of distinct strings, which get the ids from 0 on: padding, begin, end, then any others. Defaults to `("[PAD]",
                "[BOS]", "[EOS]")`.

        Returns:
            A `ByteLevelBPETokenizer`. The same texts give the same tokenizer.

        Raises:
            TypeError: if `texts` is not such an iterable.
            ValueError: if the corpus holds no text, a file is not UTF-8, `vocab_size` is too small, or there are fewer than three distinct special
                tokens.
        """
        special_tokens = list(special_tokens)
        if len(special_tokens) < 3 or len(set(special_tokens)) < len(special_tokens) or not all(special_tokens):
            raise ValueError(f"special_tokens are padding, begin, end, then any others, all distinct. Received: special_tokens={special_tokens}")
        vocab_size = check_vocab_size(vocab_size, len(special_tokens) + 256, f"{len(special_tokens)} special tokens and 256 bytes")
        tokenizer = tokenizers.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            special_tokens=[AddedToken(token, special=True, normalized=False) for token in special_tokens],
            initial_alphabet=sorted(_BYTES),
            show_progress=False,
        )
        tokenizer.train_from_iterator(read_texts(texts), trainer)
        return cls(tokenizer.to_str())

    @classmethod
    def from_preset(cls, preset_dir):
        """Reads a tokenizer that `save_to_preset` wrote, or the vocabulary of GPT-2, of RoBERTa or of a model like them.

        Args:
            preset_dir: path of a directory that holds `tokenizer.json`, ours or Hugging Face's; or else `vocab.json` and `merges.txt`, as Hugging Face
                names them; or else `encoder.json` and `vocab.bpe`, as OpenAI does. What other files there say of special tokens is not read.

        Returns:
            A `ByteLevelBPETokenizer`.

        Raises:
            FileNotFoundError: if there is none of them, or one without the other.
            ValueError: if a file is damaged, or of another kind of tokenizer.
        """
        directory = pathlib.Path(preset_dir)
        if (directory / FILE_NAME).is_file():
            return super().from_preset(directory)
        for names in (HUGGING_FACE, OPENAI):
            paths = [directory / name for name in names]
            if any(path.is_file() for path in paths):
                try:
                    return cls(read_vocabulary(*paths))
                except ValueError as error:
                    raise ValueError(f"{paths[0]} with {names[1]} cannot be read as a {cls.__name__}: {error}") from error
        raise FileNotFoundError(
            f"A preset of a {cls.__name__} is a directory that holds {FILE_NAME}, or {' and '.join(HUGGING_FACE)}, or {' and '.join(OPENAI)}. "
            f"Received: preset_dir={str(preset_dir)!r}, where there are none"
        )

    def save_vocabulary(self, preset_dir):
        """Writes `vocab.json` and `merges.txt`, the two files of Hugging Face's GPT-2. `from_preset` reads them as a tokenizer with the same ids.

        Args:
            preset_dir: path of the directory, which is made if needed.

        Raises:
            ValueError: if there are special or added tokens that the two files do not tell; `save_to_preset` keeps them.
        """
        content = json.loads(self._tokenizer.to_str())
        added = tuple(token["content"] for token in content["added_tokens"])
        if added not in ((END_OF_TEXT,), SPECIAL_TOKENS, ROBERTA):
            raise ValueError(
                f"{' and '.join(HUGGING_FACE)} do not say which tokens are special: it has to be {END_OF_TEXT}, or {', '.join(SPECIAL_TOKENS)}, or RoBERTa's. "
                f"Received: {', '.join(added)}; save_to_preset writes a {FILE_NAME}, which says it"
            )
        write_vocabulary(preset_dir, self._tokenizer.get_vocab(), content["model"]["merges"])

    def pieces(self, ids):
        ids = check_ids(ids, self.vocab_size)
        return [self._tokenizer.id_to_token(i) if i in self._special else show_bytes(self._contents[i]) for i in ids]

    def _join(self, ids):
        return b"".join([self._contents[i] for i in ids]).decode("utf-8", "replace")

    @functools.cached_property
    def continues(self):
        """Which ids go on with a word that a token before them began, as they begin with no space: a boolean array `(vocab_size,)`."""
        return np.array([not content[:1].isspace() for content in self._contents])

    @functools.cached_property
    def _contents(self):
        """The bytes that each id stands for, as a list. A token that was added, or put in by hand, is spelt as it is."""
        added = self._tokenizer.get_added_tokens_decoder()
        tokens = map(self._tokenizer.id_to_token, range(self.vocab_size))
        return [token.encode() if i in added or not _BYTES.keys() >= set(token) else bytes(_BYTES[c] for c in token) for i, token in enumerate(tokens)]

    def _find_special(self):
        special, token_to_id = super()._find_special(), self._tokenizer.token_to_id
        self.mask_id = next((token_to_id(token) for token in MASKS if token_to_id(token) in special), None)
        roberta = [token_to_id(token) for token in ROBERTA]
        if set(roberta) <= special:
            self.bos_id, self.pad_id, self.eos_id, self.unk_id, self.mask_id = roberta
            return special
        if special >= {0, 1, 2}:
            return special
        end = token_to_id(END_OF_TEXT)
        if end not in special:
            raise ValueError(
                f"{type(self).__name__} needs special tokens at the ids [0, 1, 2], padding, begin and end, or RoBERTa's {', '.join(ROBERTA)}, "
                f"or the special token {END_OF_TEXT}. Received: special tokens at {sorted(special)}"
            )
        self.pad_id = self.bos_id = self.eos_id = end
        return special

    def _check(self, content):
        super()._check(content)
        model, added = content["model"], content.get("added_tokens") or []
        options = {name: model[name] for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges") if model.get(name)}
        if options or not content["pre_tokenizer"].get("use_regex", True):
            raise ValueError(f"A {type(self).__name__} splits and merges as GPT-2 does, without options. Received: {options or {'use_regex': False}}")
        swallows = [token["content"] for token in added if not token["special"] and (token["lstrip"] or token["rstrip"])]
        if swallows:
            raise ValueError(f"An added token must not swallow the spaces beside it; text would be lost. Received: lstrip or rstrip at {swallows[:10]}")
        check_vocabulary(model["vocab"])
        listed = model["vocab"] | {token["content"]: token["id"] for token in added}
        if listed != self._tokenizer.get_vocab():  # the Rust side numbers added tokens anew where their ids do not fit
            ids = {token["content"]: token["id"] for token in added}
            raise ValueError(f"Added tokens have their ids in the vocabulary, or go on from its {len(model['vocab'])} without a gap. Received: {ids}")
