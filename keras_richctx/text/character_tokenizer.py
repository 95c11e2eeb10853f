"""The characters of words, as ELMo reads them: the bytes of each word between two marks, in a row of fixed length."""

import sys

import keras
import numpy as np

from keras_richctx.text.checks import check_text, describe

# what follows the 256 bytes
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PAD = range(256, 261)
MARKS = {"<S>": [BEGIN_SENTENCE], "</S>": [END_SENTENCE]}


def word_to_characters(word, max_characters=50):
    """Spells a word as ELMo does: BOW, the bytes of its UTF-8 form, EOW, and PAD to the end of the row; all shifted by one, as 0 says that there is no word.

    A word of more than `max_characters - 2` bytes keeps its first ones, as in the published code: an accented letter can be cut in the middle. The words
    `"<S>"` and `"</S>"` are the beginning and the end of a sentence, one character each.

    Args:
        word: string.
        max_characters: integer, C, the length of the row. Defaults to `50`.

    Returns:
        A list of C integers.

    Example:
        >>> word_to_characters("né", max_characters=7)
        [259, 111, 196, 170, 260, 261, 261]
    """
    return _row(MARKS.get(word) or word.encode("utf-8"), max_characters)


def boundary_characters(max_characters=50):
    """Spells the two marks of a sentence.

    Returns:
        A pair of lists of C integers: the beginning, `"<S>"`, and the end, `"</S>"`.
    """
    begin, end = (word_to_characters(mark, max_characters) for mark in MARKS)
    return begin, end


def _row(content, max_characters):
    spelled = [BEGIN_WORD, *content[: max_characters - 2], END_WORD]
    return [character + 1 for character in spelled + [PAD] * (max_characters - len(spelled))]


@keras.saving.register_keras_serializable("keras_richctx")
class CharacterTokenizer:
    """Spells the words of sentences for ELMo: nothing is out of vocabulary.

    The 262 ids are 0 where there is no word, the bytes of UTF-8 shifted by one (1 to 256), then the beginning and the end of a sentence (257, 258), the
    beginning and the end of a word (259, 260), and the pad within a word (261). Words are what the caller splits a text into; the published weights were
    trained on words split as in the Penn Treebank ("do n't"), with upper and lower case as they are. The words `"<S>"` and `"</S>"` are the marks of a
    sentence, as in the published code, and no text: `krc.models.ELMo` adds them by itself, and `boundaries` does for other uses.

    Args:
        max_characters: integer, C, the length of a word's row, marks included. Defaults to `50`.
        long_words: string, what becomes of a word of more than `max_characters - 2` bytes: `"truncate"` keeps its first bytes, as the published code does, so
            that vectors are those of the published model; `"error"` refuses it. Defaults to `"truncate"`.

    Call arguments:
        sentences: list of lists of strings; or, in `tf.data` too, a `tf.RaggedTensor` of strings of shape `(B, None)`.
        boundaries: boolean, whether to add the beginning and the end to each sentence. Defaults to `False`.

    Returns:
        An int32 array, or tensor, of shape `(B, T, C)`, with T the words of the longest sentence; zeros fill up the others.

    Raises:
        TypeError: if a sentence is no list of words, or a word no string (bytes are to be decoded first).
        ValueError: if there is no sentence, a sentence has no words, a word is empty or holds a lone surrogate, or, with `long_words="error"`, is too long.

    Example:
        >>> tokenizer = CharacterTokenizer()
        >>> ids = tokenizer([["To", "be"], ["or"]])
        >>> ids.shape, ids[0, 0, :5].tolist(), int(ids[1, 1].sum())
        ((2, 2, 50), [259, 85, 112, 260, 261], 0)
        >>> tokenizer.decode(ids)
        [['To', 'be'], ['or']]

    References:
        [Jozefowicz et al., 2016](https://arxiv.org/abs/1602.02410), section 3.1; [Peters et al., 2018](https://arxiv.org/abs/1802.05365).
    """

    vocab_size = 262
    pad_id = 0

    def __init__(self, max_characters=50, long_words="truncate"):
        if not isinstance(max_characters, int) or max_characters < 3:
            raise ValueError(f"A row has room for two marks and a byte at least. Received: max_characters={max_characters!r}")
        if long_words not in ("truncate", "error"):
            raise ValueError(f"Long words are cut, 'truncate', or refused, 'error'. Received: long_words={long_words!r}")
        self.max_characters = max_characters
        self.long_words = long_words

    def __call__(self, sentences, boundaries=False):
        tensorflow = sys.modules.get("tensorflow")
        if tensorflow is not None and isinstance(sentences, tensorflow.RaggedTensor):
            return self._encode_ragged(sentences, boundaries)
        self.check(sentences)
        begin, end = ([row] if boundaries else [] for row in boundary_characters(self.max_characters))
        ids = np.zeros((len(sentences), max(map(len, sentences)) + len(begin + end), self.max_characters), "int32")  # (B, T, C)
        rows = {}  # of the words so far
        for i, sentence in enumerate(sentences):
            for word in sentence:
                if word not in rows:
                    rows[word] = self.spell(word)
            spelled = [*begin, *(rows[word] for word in sentence), *end]
            ids[i, : len(spelled)] = spelled
        return ids

    def spell(self, word):
        """Spells one word: a list of C ids.

        Args:
            word: string.

        Returns:
            A list of integers.
        """
        check_text(word)
        if not word:
            raise ValueError("A word has a character at least. Received: an empty word ''. Leave it out.")
        size = len(word.encode("utf-8"))
        if self.long_words == "error" and size > self.max_characters - 2:
            raise ValueError(
                f"A word has {self.max_characters - 2} bytes at most. Received: {word[:80]!r} of {size} bytes. "
                "Split it, or pass long_words='truncate' for what the published code does."
            )
        return word_to_characters(word, self.max_characters)

    def decode(self, ids):
        """Gives the words back; of a long word the part that was kept, with `\N{REPLACEMENT CHARACTER}` for a letter that was cut.

        Args:
            ids: integer array of shape `(B, T, C)`.

        Returns:
            A list of lists of strings; the marks of a sentence are `"<S>"` and `"</S>"`.
        """
        marks = {content[0] + 1: mark for mark, content in MARKS.items()}

        def word(row):
            inner = [int(i) for i in row if i not in (BEGIN_WORD + 1, END_WORD + 1, PAD + 1, 0)]
            return marks[inner[0]] if inner and inner[0] in marks else bytes(i - 1 for i in inner).decode("utf-8", "replace")

        return [[word(row) for row in sentence if np.any(row)] for sentence in np.asarray(ids)]

    def check(self, sentences):
        """Raises what a call would raise for sentences that are no lists of words, or empty."""
        if not isinstance(sentences, list | tuple) or any(not isinstance(sentence, list | tuple) for sentence in sentences):
            wrong = sentences if not isinstance(sentences, list | tuple) else next(s for s in sentences if not isinstance(s, list | tuple))
            raise TypeError(f"CharacterTokenizer takes a list of sentences, each a list of words; split a text first. Received: {describe(wrong)}")
        if not sentences:
            raise ValueError("There is no sentence to spell. Received: sentences=[]")
        for i, sentence in enumerate(sentences):
            if not sentence:
                raise ValueError(f"A sentence has a word at least. Received: sentence {i} without words. Leave it out.")

    def _encode_ragged(self, sentences, boundaries):
        import tensorflow as tf

        def spell(words):
            rows = [self.spell(word.decode("utf-8")) for word in words]
            return np.array(rows, "int32").reshape(-1, self.max_characters)

        flat = tf.numpy_function(spell, [sentences.flat_values], tf.int32, stateful=False)  # (words, C)
        flat.set_shape([None, self.max_characters])
        ids = sentences.with_flat_values(flat)  # (B, None, C)
        if boundaries:
            begin, end = (tf.ones((ids.nrows(), 1, 1), tf.int32) * tf.constant(row) for row in boundary_characters(self.max_characters))
            ids = tf.concat([begin, ids, end], axis=1)
        return ids.to_tensor()

    def get_config(self):
        """Returns what makes the same tokenizer."""
        return {"max_characters": self.max_characters, "long_words": self.long_words}

    @classmethod
    def from_config(cls, config):
        """Makes a tokenizer of what `get_config` returned."""
        return cls(**config)
