r"""Characters, one id for each Unicode code point: the smallest vocabulary that a language model can read and write."""

from collections import Counter
from typing import ClassVar

import keras
import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers

from keras_richctx.text.checks import check_ids, check_vocab_size
from keras_richctx.text.corpus import read_texts
from keras_richctx.text.tokenizer import Tokenizer

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]")
PATTERN = r"[\s\S]"  # any code point, the newline included


@keras.saving.register_keras_serializable("keras_richctx")
class CodePointTokenizer(Tokenizer):
    r"""Splits text into its Unicode code points: the tokenizer of character models.

    Nothing is normalised and nothing is left out: spaces, newlines and combining marks are tokens like any other, and `decode(tokenizer(text)) == text` for any
    text whose code points were in the corpus. A letter that is written with a combining mark is two tokens, an emoji with modifiers several.

    The special tokens are `[PAD]` = 0, `[UNK]` = 1, `[BOS]` = 2 and `[EOS]` = 3. A code point outside the vocabulary becomes `[UNK]`.

    Args:
        spec: string, the content of a `tokenizer.json` file. Use `train` or `from_preset` to make a tokenizer.

    Call arguments:
        texts: a string; a list or tuple of strings; or a TensorFlow string tensor of shape `()` or `(B,)`.
        bos: bool, whether to begin each text with `[BOS]`. Defaults to `False`.
        eos: bool, whether to end each text with `[EOS]`. Defaults to `False`.

    Returns:
        Ids as `Tokenizer` describes them.

    Raises:
        TypeError: if `texts` is of another type.
        ValueError: if `spec` is not that of a `CodePointTokenizer`, or a text holds a lone surrogate.

    Example:
        >>> tokenizer = CodePointTokenizer.train(["to be,\nor not to be"])
        >>> tokenizer.tokenize("be\nnot me")
        ['b', 'e', '\n', 'n', 'o', 't', ' ', '[UNK]', 'e']
        >>> tokenizer.decode(tokenizer("be\nnot"))
        'be\nnot'
    """

    pad_id, unk_id, bos_id, eos_id = range(4)
    _required: ClassVar[dict] = {
        "model": {"type": "WordLevel"},
        "normalizer": None,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated"},
        "decoder": {"type": "Fuse"},
    }

    @classmethod
    def train(cls, texts, vocab_size=None):
        r"""Makes a tokenizer of the most frequent code points of a corpus.

        Args:
            texts: iterable of strings (texts) and `pathlib.Path` (UTF-8 files, of which the line ends are part, each as one `\n`).
            vocab_size: int, the largest number of ids, the four special tokens included, or `None` for all code points of the corpus. Code points of equal
                frequency are taken in their order. Defaults to `None`.

        Returns:
            A `CodePointTokenizer`. The same texts give the same tokenizer.

        Raises:
            TypeError: if `texts` is not such an iterable.
            ValueError: if the corpus holds no text, a file is not UTF-8, or `vocab_size` leaves no room for a code point.
        """
        if vocab_size is not None:
            vocab_size = check_vocab_size(vocab_size, len(SPECIAL_TOKENS) + 1, "four special tokens and a code point")
        counts = Counter()
        for text in read_texts(texts, keep_ends=True):
            counts.update(text)
        by_frequency = sorted(counts, key=lambda code_point: (-counts[code_point], code_point))
        vocabulary = [*SPECIAL_TOKENS, *by_frequency][:vocab_size]
        tokenizer = tokenizers.Tokenizer(models.WordLevel({token: i for i, token in enumerate(vocabulary)}, unk_token="[UNK]"))
        tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERN), "isolated")
        tokenizer.decoder = decoders.Fuse()
        return cls(tokenizer.to_str())

    def pieces(self, ids):
        return [self._tokenizer.id_to_token(i) for i in check_ids(ids, self.vocab_size)]

    def _join(self, ids):
        return "".join(self.pieces(ids))
