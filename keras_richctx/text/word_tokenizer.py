"""Words and punctuation marks, for models that are small enough to be read word by word."""

from typing import ClassVar

import keras
import tokenizers
from tokenizers import AddedToken, Regex, models, normalizers, pre_tokenizers, trainers

from keras_richctx.text.checks import check_ids, check_text, check_vocab_size
from keras_richctx.text.corpus import read_texts
from keras_richctx.text.spacing import Spacing
from keras_richctx.text.tokenizer import Tokenizer

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]")

# A number with its inner signs | a word, zero-width joiners included, with the apostrophe that ends it | any other sign, as a whole grapheme
PATTERN = r"\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}_\x{200C}\x{200D}]+['’]?|(?!\s)\X"


@keras.saving.register_keras_serializable("keras_richctx")
class WordTokenizer(Tokenizer):
    """Splits text into words and punctuation marks: the tokenizer of the classical attention papers.

    A word keeps the apostrophe that ends it (`l'accord` is `l'` and `accord`, `don't` is `don'` and `t`), a number its inner signs (`1,250.5`,
    `7:30`). Any other sign is a token of its own, an emoji with its modifiers too, a control character too; white space separates and is not kept.
    Text is brought to Unicode form NFC.

    The special tokens are `[PAD]` = 0, `[UNK]` = 1, `[BOS]` = 2 and `[EOS]` = 3. A word outside the vocabulary becomes `[UNK]`; `words` gives it as
    it was written.

    `decode` puts spaces where the corpus of `train` has them: around each punctuation mark by majority (English "What?", French "Quoi ?"), none after
    an apostrophe, one between words. It is not the exact inverse: unknown words show as `[UNK]`, white space becomes single spaces, quotes that open
    and close with the same sign stand free, `dogs' tails` loses its space. A script without spaces, such as Chinese, gives one word a clause: use
    `ByteLevelBPETokenizer` there.

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
        ValueError: if `spec` is not that of a `WordTokenizer`, or a text holds a lone surrogate.

    Example:
        >>> tokenizer = WordTokenizer.train(["L'accord est signé.", "L'accord tient."], vocab_size=20)
        >>> tokenizer.words("L'accord est prêt.")
        ["L'", 'accord', 'est', 'prêt', '.']
        >>> tokenizer("L'accord est prêt.", eos=True)
        [5, 6, 7, 1, 4, 3]
        >>> tokenizer.decode([5, 6, 7, 1, 4, 3])
        "L'accord est [UNK]."

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), section 4.1, whose models read and write the 30,000 most frequent words.
    """

    pad_id, unk_id, bos_id, eos_id = range(4)
    _required: ClassVar[dict] = {"model": {"type": "WordLevel"}, "pre_tokenizer": {"type": "Split", "behavior": "Removed"}}

    @classmethod
    def train(cls, texts, vocab_size, lowercase=False):
        """Makes a tokenizer of the most frequent words of a corpus.

        Args:
            texts: iterable of strings (texts) and `pathlib.Path` (UTF-8 files, one text a line).
            vocab_size: int, the largest number of ids, the four special tokens included. Words of equal frequency are taken in the order of their
                code points.
            lowercase: bool, whether words that differ in case are one. Defaults to `False`.

        Returns:
            A `WordTokenizer`. The same texts give the same tokenizer.

        Raises:
            TypeError: if `texts` is not such an iterable.
            ValueError: if the corpus holds no text, a file is not UTF-8, or `vocab_size` leaves no room for a word.
        """
        vocab_size = check_vocab_size(vocab_size, len(SPECIAL_TOKENS) + 1, "four special tokens and a word")
        tokenizer = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]) if lowercase else normalizers.NFC()
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERN), "removed", invert=True)
        spacing = Spacing()
        special_tokens = [AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS]
        trainer = trainers.WordLevelTrainer(vocab_size=vocab_size, special_tokens=special_tokens, show_progress=False)
        tokenizer.train_from_iterator(spacing.watch(read_texts(texts)), trainer)
        tokenizer.decoder = spacing.decoder()
        return cls(tokenizer.to_str())

    def spans(self, text):
        # The pattern finds the same words before and after NFC. The offsets that the library gives after NFC leave out a combining mark at the end of a word.
        return [span for _, span in self._tokenizer.pre_tokenizer.pre_tokenize_str(check_text(text))]

    def words(self, text):
        """Splits a text into words as they are written, whether known or not.

        Args:
            text: string.

        Returns:
            A list of strings, one per id of `tokenizer(text)`.
        """
        return [text[start:end] for start, end in self.spans(text)]

    def pieces(self, ids):
        return [self._tokenizer.id_to_token(i) for i in check_ids(ids, self.vocab_size)]

    def join(self, words):
        """Puts words together as `decode` does: for words that have no id, such as a copied name.

        Args:
            words: list of strings.

        Returns:
            A string.
        """
        return self._tokenizer.decoder.decode(list(words))

    def _join(self, ids):
        return self.join(self.pieces(ids))
