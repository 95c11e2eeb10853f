"""WordPiece inside the graph: the ids that the library `tokenizers` gives, by operations of TensorFlow and tensorflow-text alone.

A model that is saved with them takes strings wherever it is served.
"""

import re

from keras_richctx.text.character_table import ALONE, LETTER, PAGE, REMOVED, SEVERAL, SPACE, character_table
from keras_richctx.text.graph import check_utf8


class WordPieceGraph:
    """Turns a vector of texts into ids within the graph.

    tensorflow-text's own normaliser differs from the reference in some hundreds of characters, and limits a word by its bytes. So only its search for pieces
    is
    used: normalising and splitting look each character up in `character_table`, which is read off the reference itself.

    Args:
        vocab: list of strings, the tokens in the order of their ids.
        normalizer: dictionary, the `BertNormalizer` of a `tokenizer.json`.
        unk_token: string, the token of `vocab` that stands for a word which no pieces make.
        max_chars: integer, how many characters a word may have before it is unknown.
        never_split: sequence of tokens of `vocab` that are found in a text as they are.

    Call arguments:
        texts: string tensor `(B,)`, UTF-8.

    Returns:
        An int32 `tf.RaggedTensor` `(B, None)`.
    """

    def __init__(self, vocab, normalizer, unk_token, max_chars, never_split=()):
        import tensorflow as tf
        import tensorflow_text as tf_text

        self.max_chars = max_chars
        self.never_split = sorted(never_split, key=len, reverse=True)  # of two that begin alike the longer one is found
        self.kept_ids = [vocab.index(token) for token in self.never_split]
        characters = set().union(*vocab)
        self.unknown = next(code for code in range(0x10FFFF, 0, -1) if chr(code) not in characters)  # a word of it alone is unknown
        table = character_table(normalizer)
        self.has_ranks = bool((table.ranks > 0).any())
        with tf.init_scope():  # constants, also where the first call is inside a graph
            self.pages, self.values, self.ranks = tf.constant(table.pages), tf.constant(table.values.reshape(-1)), tf.constant(table.ranks.reshape(-1))
            self.several = tuple(map(tf.constant, table.several))
            # The limit of a word is on its characters, below; this one, on bytes, must not be met.
            self.pieces = tf_text.FastWordpieceTokenizer(vocab, "##", 2**30, tf.int32, unk_token, no_pretokenization=True, support_detokenization=False)

    def __call__(self, texts):
        import tensorflow as tf
        import tensorflow_text as tf_text

        texts = check_utf8(texts)
        if not self.never_split:
            return self._encode(texts)
        pattern = "|".join(map(re.escape, self.never_split))
        parts = tf_text.regex_split(texts, pattern, pattern)  # (B, None)
        flat, ids = parts.values, tf.constant(self.kept_ids)
        found = flat[:, None] == tf.constant(self.never_split)  # (P, K)
        kept = tf.reduce_any(found, axis=1)  # (P,)
        kept_ids = tf.RaggedTensor.from_row_lengths(tf.gather(ids, tf.boolean_mask(tf.argmax(found, axis=1), kept)), tf.cast(kept, tf.int64))
        tokens = tf.concat([kept_ids, self._encode(tf.where(kept, "", flat))], axis=1)  # (P, None)
        return parts.with_values(tokens).merge_dims(1, 2)

    def _encode(self, texts):
        """Encodes texts that hold no token to be kept."""
        import tensorflow as tf

        codes = tf.strings.unicode_decode(texts, "UTF-8")  # (B, None)
        rows, codes = codes.value_rowids(), codes.values  # (N,), of all texts one after the other
        rows, packed = self._normalize(rows, codes)  # (M,), 8 * code point + kind
        kinds, codes = packed & 7, tf.bitwise.right_shift(packed, 3)
        # A word begins where a character stands alone, where the one before it does not belong to a word, and where a text begins.
        ends = tf.concat([[True], (kinds[:-1] != LETTER) | (rows[1:] != rows[:-1])], axis=0)[: tf.size(kinds)]
        begins = ends | (kinds == ALONE)
        seen = kinds != SPACE
        rows, codes, begins = (tf.boolean_mask(values, seen) for values in (rows, codes, begins))
        words = tf.RaggedTensor.from_value_rowids(codes, tf.cumsum(tf.cast(begins, tf.int64)) - 1, validate=False)  # (W, None)
        words = tf.cond(tf.reduce_any(words.row_lengths() > self.max_chars), lambda: self._mark_long(words), lambda: words)
        pieces = self.pieces.tokenize(tf.strings.unicode_encode(words, "UTF-8"))  # (W, None)
        per_text = tf.RaggedTensor.from_value_rowids(pieces, tf.boolean_mask(rows, begins), tf.size(texts, tf.int64), validate=False)  # (B, words, None)
        return per_text.merge_dims(1, 2)

    def _normalize(self, rows, codes):
        """Returns the characters that are left of those of all texts, and the rows they stand in."""
        import tensorflow as tf

        places = self._places(codes)  # (N,)
        values = tf.gather(self.values, places)  # (N,)
        rows, packed, places = tf.cond(
            tf.reduce_any(values & 7 == SEVERAL),
            lambda: self._expand(rows, codes, values, places),
            lambda: (rows, 8 * codes + values, places),
        )
        if self.has_ranks:
            ranks = tf.gather(self.ranks, places)
            staying = (ranks > 0) & (packed & 7 != REMOVED)
            rows, packed = tf.cond(tf.reduce_any(staying), lambda: _in_order(rows, packed, ranks), lambda: (rows, packed))
        left = packed & 7 != REMOVED
        return tf.boolean_mask(rows, left), tf.boolean_mask(packed, left)

    def _places(self, codes):
        """Returns where in the table code points stand."""
        import tensorflow as tf

        return tf.gather(self.pages, tf.bitwise.right_shift(codes, 8)) * PAGE + (codes & (PAGE - 1))

    def _expand(self, rows, codes, values, places):
        """Puts several characters where one becomes several."""
        import tensorflow as tf

        characters, splits = self.several
        expands = values & 7 == SEVERAL  # (N,)
        row = tf.where(expands, tf.bitwise.right_shift(values, 3), 0)
        counts = tf.where(expands, tf.gather(splits, row + 1) - tf.gather(splits, row), 1)  # (N,)
        starts = tf.cumsum(counts, exclusive=True)
        origin = tf.repeat(tf.range(tf.size(codes)), counts)  # (M,), which character each comes from
        nth = tf.range(tf.size(origin)) - tf.gather(starts, origin)  # (M,)
        several = tf.gather(expands, origin)
        from_table = tf.gather(characters, tf.where(several, tf.gather(tf.gather(splits, row), origin) + nth, 0))
        packed = tf.where(several, from_table, tf.gather(8 * codes + values, origin))
        new = tf.bitwise.right_shift(from_table, 3)
        places = tf.where(several, self._places(new), tf.gather(places, origin))
        return tf.gather(rows, origin), packed, places

    def _mark_long(self, words):
        """Replaces each word of more than `max_chars` characters by one that is unknown."""
        import tensorflow as tf

        long = words.row_lengths() > self.max_chars  # (W,)
        first = tf.range(tf.size(words.values, tf.int64)) == tf.gather(words.row_starts(), words.value_rowids())
        long_characters = tf.gather(long, words.value_rowids())
        values = tf.boolean_mask(tf.where(long_characters, self.unknown, words.values), first | ~long_characters)
        return tf.RaggedTensor.from_row_lengths(values, tf.where(long, tf.constant(1, tf.int64), words.row_lengths()), validate=False)


def _in_order(rows, packed, ranks):
    """Sorts each run of combining marks by rank, as decomposition does; marks of one rank keep their order."""
    import tensorflow as tf

    there = ranks >= 0
    rows, packed, ranks = (tf.boolean_mask(values, there) for values in (rows, packed, ranks))
    new_row = tf.concat([[True], rows[1:] != rows[:-1]], axis=0)
    runs = tf.cumsum(tf.cast((ranks == 0) | new_row, tf.int64))  # (N,)
    order = tf.argsort(runs * 1024 + tf.cast(ranks, tf.int64), stable=True)
    return rows, tf.gather(packed, order)
