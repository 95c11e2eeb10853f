"""Texts and pairs of texts in one row each, as BERT and RoBERTa read them: special tokens, segments, padding, truncation of the longest first."""

import itertools
import operator
import types

import numpy as np

from keras_richctx.text.graph import is_tensor


def pack_pairs(tokenizer, first, second=None, length=None, pad_to_multiple=1, max_length=512, return_places=False):
    r"""Packs texts, or pairs of texts, into rows of one length.

    A row is `[CLS] A [SEP]` or `[CLS] A [SEP] B [SEP]` with the segments 0 up to the first `[SEP]` and 1 behind it, as in BERT; with a byte-level tokenizer
    it is `<s> A </s>` or `<s> A </s></s> B </s>` in one segment, as in RoBERTa. A pair that is too long is cut at the ends of its texts, the longer one
    first, until both are equally long. The lengths that are left are those of the library `tokenizers`.

    It takes lists and TensorFlow tensors, the latter also inside `tf.data` and in a saved model.

    Args:
        tokenizer: tokenizer with a `bos_id`, an `eos_id` and a `pad_id`, such as `WordPieceTokenizer` or `ByteLevelBPETokenizer`.
        first: list of strings or string tensor `(B,)`; or their ids, as the tokenizer gives them: list of lists of ints or `tf.RaggedTensor`.
        second: the same, of the texts that follow, or `None`. Defaults to `None`.
        length: int, T; or a list of ints, of which the smallest is taken that the longest row of the batch fits into, or else the largest; or `None` for the
            longest row, but `max_length` at most. Defaults to `None`.
        pad_to_multiple: int, of which T is a multiple where `length` is `None`, unless that is more than `max_length`. Defaults to `1`.
        max_length: int, the largest T where `length` is `None`. Defaults to `512`.
        return_places: bool, whether to return also where the token of each position stood. Defaults to `False`.

    Returns:
        A dictionary of `token_ids` int32, `segment_ids` int32 and `padding_mask` boolean, each `(B, T)`, NumPy arrays for lists and tensors for tensors.

        With `return_places`, a pair of it and a dictionary of `text`, 0 for a token of the first text, 1 for one of the second, and `place`, which token of
        its text it is: int32 `(B, T)`, both -1 at special tokens and pads. `spans[place]` is then where a position stands in the text.

    Raises:
        TypeError: if `first` is neither of the above.
        ValueError: if `first` and `second` are not as many, or a length leaves no room for a token of each text.

    Example:
        >>> from keras_richctx.text import WordPieceTokenizer
        >>> tokenizer = WordPieceTokenizer.train(["a b c"] * 2, vocab_size=11)
        >>> inputs = pack_pairs(tokenizer, ["a b c a"], ["b c"], length=8)
        >>> tokenizer.pieces(inputs["token_ids"][0])
        ['[CLS]', 'a', 'b', 'c', '[SEP]', 'b', 'c', '[SEP]']
        >>> inputs["segment_ids"]
        array([[0, 0, 0, 0, 0, 1, 1, 1]], dtype=int32)

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), figure 2; [Liu et al., 2019](https://arxiv.org/abs/1907.11692), section 2.2.
    """
    numbers = functions_for(first)
    first = _rows(tokenizer, first)
    second = None if second is None else _rows(tokenizer, second)
    specials = 2 if second is None else 2 + tokenizer.pair_separators
    lengths = _check_lengths(length, pad_to_multiple, max_length, specials + (1 if second is None else 2))
    limit = lengths[-1] if lengths else max_length
    a, b = first[2], second[2] if second else numbers.zeros_like(first[2])
    if second is not None and not is_tensor(a) and len(a) != len(b):
        raise ValueError(f"Each first text has its second one. Received: {len(a)} first and {len(b)} second texts")
    a, b = longest_first(a, b, limit - specials, numbers)
    longest = numbers.max(numbers.concat([a + b, numbers.zeros_like(first[0][:1])])) + specials  # 0 tokens where there are no rows
    if lengths is None:
        width = numbers.minimum(-(-longest // pad_to_multiple) * pad_to_multiple, max_length)
    else:
        width = lengths[0] if len(lengths) == 1 else numbers.where(longest <= lengths[-1], numbers.min_at_least(lengths, longest), lengths[-1])
    inputs, places = lay_out(tokenizer, first, second, a, b, width, numbers)
    return (inputs, places) if return_places else inputs


def longest_first(a, b, room, numbers=np):
    """Says how many tokens of each pair of texts are kept where only `room` fit, the longer text being cut first.

    Args:
        a: integers `(B,)`, the lengths of the first texts.
        b: integers `(B,)`, those of the second.
        room: integer.
        numbers: module with `where`, `minimum` and `maximum`. Defaults to `np`.

    Returns:
        A pair of integer arrays `(B,)`.

    Example:
        >>> [lengths.tolist() for lengths in longest_first(np.array([9, 2, 5]), np.array([2, 3, 5]), 7)]
        [[5, 2, 3], [2, 3, 4]]
    """
    shorter = numbers.minimum(numbers.minimum(a, b), room // 2)
    fits, longer = a + b <= room, room - shorter
    return numbers.where(fits, a, numbers.where(a <= b, shorter, longer)), numbers.where(fits, b, numbers.where(a <= b, longer, shorter))


def lay_out(tokenizer, first, second, a, b, width, numbers):
    """Writes the rows of `pack_pairs`.

    Args:
        tokenizer: tokenizer as for `pack_pairs`.
        first: triple of the ids of all first texts, one after the other, where each starts, and what is not read here.
        second: the same for the second texts, or `None`.
        a: integers `(B,)`, how many tokens of each first text are read.
        b: integers `(B,)`, how many of each second text.
        width: integer, T.
        numbers: what `functions_for` returns.

    Returns:
        Two dictionaries, as `pack_pairs` returns them with `return_places`.
    """
    where, p = numbers.where, numbers.arange(width)[None, :]  # (1, T)
    a, b = a[:, None], b[:, None]  # (B, 1)
    gap = 0 if second is None else tokenizer.pair_separators
    end = 1 + a  # of the first text
    begin = end + gap  # of the second
    total = begin + b + 1
    in_first, in_second, mask = (p >= 1) & (p < end), (p >= begin) & (p < begin + b), p < total  # (B, T)
    place = where(in_first, p - 1, where(in_second, p - begin, -1))
    special = where(mask, where(p == 0, tokenizer.bos_id, tokenizer.eos_id), tokenizer.pad_id)
    ids = where(in_first, _read(first, place, in_first, numbers), special)
    if second is not None:
        ids = where(in_second, _read(second, place, in_second, numbers), ids)
    segments = mask & (p >= begin) & (second is not None and tokenizer.pair_segments > 1)
    inputs = {"token_ids": numbers.int32(ids), "segment_ids": numbers.int32(segments), "padding_mask": mask}
    return inputs, {"text": numbers.int32(where(in_first, 0, where(in_second, 1, -1))), "place": numbers.int32(place)}


def _read(rows, place, wanted, numbers):
    """Reads the tokens at `place` of each row where they are wanted."""
    flat, starts, _ = rows
    return numbers.take(flat, numbers.where(wanted, starts[:, None] + place, 0))


def _rows(tokenizer, texts):
    """Returns the ids of all rows one after the other, with one more behind them; where each row starts; and how many it has: int32."""
    if hasattr(texts, "row_splits"):  # a ragged tensor
        ids = texts
    elif is_tensor(texts) or (isinstance(texts, list | tuple) and texts and isinstance(texts[0], str)):
        ids = tokenizer(texts)
    elif isinstance(texts, list | tuple) or getattr(texts, "ndim", 0) == 2:
        ids = texts
    else:
        raise TypeError(f"Texts come as a list of strings or a string tensor, ids as a list of lists or a ragged tensor. Received: {texts!r:.80}")
    if hasattr(ids, "row_splits"):
        import tensorflow as tf

        ids = tf.cast(ids, tf.int32)
        return tf.concat([ids.values, [0]], axis=0), tf.cast(ids.row_starts(), tf.int32), tf.cast(ids.row_lengths(), tf.int32)
    counts = np.fromiter(map(len, ids), "int32", len(ids))
    flat = np.fromiter(itertools.chain(itertools.chain.from_iterable(ids), [0]), "int32", counts.sum() + 1)
    return flat, np.cumsum(counts, dtype="int32") - counts, counts


def functions_for(texts):
    """Returns the functions that packing needs: TensorFlow's for tensors, and else NumPy's, under NumPy's names.

    Args:
        texts: what is packed.

    Returns:
        A namespace.
    """
    if not (is_tensor(texts) or hasattr(texts, "row_splits")):
        functions = {
            "max": np.max,
            "take": np.take,
            "concat": np.concatenate,
            "int32": lambda x: np.asarray(x, "int32"),
            "arange": lambda n: np.arange(n, dtype="int32"),
        }
        shared = {name: getattr(np, name) for name in ("where", "minimum", "maximum", "zeros_like")}
        return types.SimpleNamespace(**functions, **shared, min_at_least=_min_at_least)
    import tensorflow as tf

    def min_at_least(lengths, wanted):
        lengths = tf.constant(lengths)
        return tf.reduce_min(tf.where(lengths >= wanted, lengths, lengths[-1]))

    functions = {
        "max": tf.reduce_max,
        "take": tf.gather,
        "concat": lambda xs: tf.concat(xs, axis=0),
        "int32": lambda x: tf.cast(x, tf.int32),
        "arange": tf.range,
    }
    shared = {name: getattr(tf, name) for name in ("where", "minimum", "maximum", "zeros_like")}
    return types.SimpleNamespace(**functions, **shared, min_at_least=min_at_least)


def _min_at_least(lengths, wanted):
    """Returns the smallest of `lengths`, sorted, that is not below `wanted`, or the largest."""
    return min((length for length in lengths if length >= wanted), default=lengths[-1])


def _check_lengths(length, pad_to_multiple, max_length, minimum):
    """Returns the lengths that rows may have, sorted, or `None` for any; raises where one has no room."""
    for name, value in (("pad_to_multiple", pad_to_multiple), ("max_length", max_length)):
        if operator.index(value) < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    lengths = None if length is None else sorted(map(operator.index, [length] if hasattr(length, "__index__") else length))
    if lengths == [] or min(lengths or [max_length]) < minimum:
        name, value = ("max_length", max_length) if length is None else ("length", length)
        raise ValueError(f"A row needs {minimum} positions at least, for its special tokens and a token of each text. Received: {name}={value}")
    return lengths
