r"""Sub-words over bytes: any text, no unknown token, and the text comes back exactly."""

import re
from typing import ClassVar

import keras
import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers

from keras_richctx.text.checks import check_ids, check_vocab_size
from keras_richctx.text.corpus import read_texts
from keras_richctx.text.tokenizer import Tokenizer

SPECIAL_TOKENS = ("[PAD]", "[BOS]", "[EOS]")


def byte_alphabet():
    """Returns the printable character that stands for each byte in a byte-level vocabulary.

    A printable byte of Latin-1 stands for itself, the 68 others (spaces, controls) follow from U+0100 on: the space is `Ġ`, U+0120.

    Returns:
        A dictionary from characters to bytes, of 256 entries.

    References:
        [GPT-2's `encoder.py`](https://github.com/openai/gpt-2/blob/master/src/encoder.py), `bytes_to_unicode`.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


def show_bytes(content):
    """Decodes UTF-8 for a reader: a byte that is no part of a whole character shows as `<0xE2>`.

    Args:
        content: bytes.

    Returns:
        A string.

    Example:
        >>> show_bytes("né".encode()[:2])
        'n<0xC3>'
    """
    text = content.decode("utf-8", "surrogateescape")  # a stray byte b becomes U+DC00 + b
    return re.sub("[\udc80-\udcff]", lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", text)


_BYTES = byte_alphabet()


@keras.saving.register_keras_serializable("keras_richctx")
class ByteLevelBPETokenizer(Tokenizer):
    r"""Splits text into byte sequences merged by frequency: byte-pair encoding as in GPT-2.

    Text is split by GPT-2's pattern, so that a word carries the space before it; each part starts as bytes, and the merges learnt in training are
    applied in their order. All 256 bytes are in the vocabulary: there is no unknown token, and `decode(tokenizer(text)) == text` for any text,
    normalised or not. Ids that end in the middle of a character, as a model may generate them, decode to U+FFFD there.

    The special tokens are padding = 0, begin = 1 and end = 2, `[PAD]`, `[BOS]` and `[EOS]` unless named otherwise.

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

    pad_id, bos_id, eos_id = range(3)
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

    def pieces(self, ids):
        tokens = [self._tokenizer.id_to_token(i) for i in check_ids(ids, self.vocab_size)]
        return [token if i in self._special else show_bytes(bytes(_BYTES[c] for c in token)) for i, token in zip(ids, tokens)]

    def _join(self, ids):
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def _check(self, content):
        super()._check(content)
        missing = set(_BYTES) - set(content["model"]["vocab"])
        if missing:
            raise ValueError(f"A byte-level vocabulary holds all 256 bytes; text would be lost. Received: {len(missing)} missing, such as {min(missing)!r}")
