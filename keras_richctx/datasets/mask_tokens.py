r"""Which tokens a masked language model has to guess, and what it sees in their place: whole batches at once, in operations of the graph."""

import numpy as np

UNITS = ("token", "word", "span")
SHOWN_AS_MASK, SHOWN_AS_RANDOM = 0.8, 0.1  # and 0.1 as they are
SPAN_P, LONGEST_SPAN = 0.2, 10  # words of a span, by a geometric distribution that is cut off


def mask_tokens(token_ids, padding_mask, tokenizer, seed, rate=0.15, max_predictions=None, unit="token"):
    r"""Hides tokens of a batch at random, as BERT does.

    Of the $n$ tokens of a row that are neither special nor padding, $\max(1, \mathrm{round}(0.15\,n))$ are chosen, but `max_predictions` at most. Of those,
    80 % are shown as `[MASK]`, 10 % as a random token that is not special, and 10 % as they are.

    With `unit="word"` whole words are chosen, in random order, those left out that would exceed the number; where no word is short enough, nothing is
    chosen. With `unit="span"` spans of whole words are, their lengths drawn from a geometric distribution with $p = 0.2$ up to 10 words, until the number is
    reached, within the last span; and a span is shown in one way, all of it as `[MASK]`, as random tokens or as it is.

    Args:
        token_ids: integer tensor or array of shape `(B, T)`.
        padding_mask: boolean tensor or array of shape `(B, T)`, `True` at real positions.
        tokenizer: tokenizer with a `mask_id`, `special_ids` and, for words and spans, `continues`.
        seed: two integers, of which the result is a function, on every device.
        rate: float, which part of the tokens is chosen. Defaults to `0.15`.
        max_predictions: int, P, or `None` for `ceil(rate * T)`. Defaults to `None`.
        unit: `"token"`, `"word"` or `"span"`. Defaults to `"token"`.

    Returns:
        A dictionary of TensorFlow tensors: `token_ids` `(B, T)`, as they are shown; `mask_positions` int32 `(B, P)`, where the chosen tokens stand, in
        ascending order, then 0; `labels` int32 `(B, P)`, the tokens that stood there, then the pad; `weights` float32 `(B, P)`, 1 for each chosen token,
        then 0.

    Raises:
        ValueError: if the tokenizer has no `mask_id`, or an argument is out of its range.

    Example:
        >>> from keras_richctx.text import WordPieceTokenizer, pack_pairs
        >>> tokenizer = WordPieceTokenizer.train(["a b c d e f"] * 2, vocab_size=17)
        >>> packed = pack_pairs(tokenizer, ["a b c d e f"])
        >>> masked = mask_tokens(packed["token_ids"], packed["padding_mask"], tokenizer, seed=(0, 1), rate=0.5)
        >>> tokenizer.pieces(masked["labels"].numpy()[0][:3])
        ['b', 'd', 'e']

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.1 and appendix A.1; [Joshi et al., 2020](https://arxiv.org/abs/1907.10529),
        section 3.1, for spans.
    """
    import tensorflow as tf

    width = np.shape(token_ids)[1] if not tf.is_tensor(token_ids) else token_ids.shape[1]
    max_predictions = check_masking(tokenizer, rate, max_predictions, unit, width)
    ids, padding_mask = tf.cast(token_ids, tf.int32), tf.cast(padding_mask, tf.bool)  # (B, T)
    special = np.zeros(tokenizer.vocab_size, bool)
    special[tokenizer.special_ids] = True
    maskable = padding_mask & ~tf.gather(special, ids)  # (B, T)
    n = tf.reduce_sum(tf.cast(maskable, tf.float32), axis=1)  # (B,)
    wanted = tf.minimum(tf.where(n > 0, tf.maximum(tf.cast(tf.round(rate * n), tf.int32), 1), 0), max_predictions)  # (B,)
    order, shown, drawn = tf.unstack(_bits([3, tf.shape(ids)[0], width], seed))  # (B, T) each
    if unit == "token":
        chosen = _first(order, maskable, wanted, max_predictions)
    else:
        starts = ~tf.gather(tokenizer.continues, ids) | ~maskable | ~tf.pad(maskable, [[0, 0], [1, 0]])[:, :-1]
        words = tf.cumsum(tf.cast(starts, tf.int32), axis=1) - 1  # (B, T), the number of the word in its row
        chosen, shown = _words(order, maskable, words, wanted, shown) if unit == "word" else _spans(maskable, words, wanted, seed)
    # 80 % [MASK], 10 % random, 10 % as they are
    ordinary = np.flatnonzero(~special).astype("int32")
    random = tf.gather(ordinary, drawn % len(ordinary))  # (B, T)
    as_mask, as_random = (int(share * 2**31) for share in (SHOWN_AS_MASK, SHOWN_AS_MASK + SHOWN_AS_RANDOM))
    seen = tf.where(shown < as_mask, tokenizer.mask_id, tf.where(shown < as_random, random, ids))
    positions, real = _positions(chosen, max_predictions)  # (B, P)
    labels = tf.where(real, tf.gather(ids, positions, batch_dims=1), tokenizer.pad_id)
    return {"token_ids": tf.where(chosen, seen, ids), "mask_positions": positions, "labels": labels, "weights": tf.cast(real, tf.float32)}


def check_masking(tokenizer, rate, max_predictions, unit, length):
    """Returns `max_predictions` as an int, or raises where an argument of `mask_tokens` is out of its range."""
    if tokenizer.mask_id is None:
        raise ValueError(f"A masked language model needs a token for the mask. Received: tokenizer={tokenizer!r}, whose mask_id is None")
    if not 0 < rate < 1:
        raise ValueError(f"rate is which part of the tokens is masked, between 0 and 1. Received: rate={rate}")
    if unit not in UNITS:
        raise ValueError(f"unit is one of {', '.join(UNITS)}. Received: unit={unit!r}")
    if max_predictions is None:
        return int(np.ceil(np.round(rate * length, 6)))  # 0.15 * 20 is a little more than 3
    if max_predictions < 1:
        raise ValueError(f"max_predictions is a positive integer. Received: max_predictions={max_predictions}")
    return int(max_predictions)


def _first(order, candidates, wanted, most):
    """Chooses the `wanted` candidates of each row that are first in a random order."""
    import tensorflow as tf

    width = order.shape[1]
    if width is None:
        raise ValueError(f"Rows to be masked have a known length. Received: a tensor of shape {order.shape}")
    places = tf.range(width)
    # The place in the lowest bits makes all numbers of a row different: exactly as many are chosen as are wanted.
    order = tf.where(candidates, (order & _high_bits(width)) + places, -1)
    highest = tf.math.top_k(order, min(most, width)).values  # (B, P), descending
    last = tf.gather(highest, tf.maximum(wanted, 1) - 1, batch_dims=1)[:, None]  # (B, 1)
    return (order >= last) & (wanted > 0)[:, None]


def _positions(chosen, count):
    """Returns where the chosen of each row stand, `(B, count)`, in ascending order, then 0, and which of these are real."""
    import tensorflow as tf

    width = chosen.shape[1]
    left = tf.where(chosen, tf.range(width, 0, -1), 0)  # (B, T), more the further to the left
    highest = tf.math.top_k(left, min(count, width)).values  # (B, P)
    highest = tf.pad(highest, [[0, 0], [0, max(0, count - width)]])
    return tf.where(highest > 0, width - highest, 0), highest > 0


def _words(order, maskable, words, wanted, shown):
    """Chooses whole words of each row, in a random order, passing over those that are too long for what is left."""
    import tensorflow as tf

    shape, width = tf.shape(words), words.shape[1]
    of_word = tf.gather(order, words, batch_dims=1)  # (B, T), one random number a word
    key = tf.where(maskable, (of_word & _high_bits(width)) + words, 2**31 - 1)  # of one word all alike, of two never
    by_key = tf.argsort(key, axis=1, stable=True)  # (B, T)
    there = tf.gather(maskable, by_key, batch_dims=1)
    number = tf.range(shape[0])[:, None] * width + tf.gather(words, by_key, batch_dims=1)  # (B, T), of the word in the batch
    lengths = tf.math.unsorted_segment_sum(tf.cast(there, tf.int32), number, shape[0] * width)
    length = tf.gather(lengths, number)  # (B, T), of the word that a token is of
    new = tf.concat([tf.ones([shape[0], 1], tf.bool), number[:, 1:] != number[:, :-1]], axis=1)

    def fitting(allowed):
        """The words that fit where each in turn is taken, until one does not."""
        total = tf.cumsum(tf.where(allowed & new, length, 0), axis=1)  # up to the end of the word
        return allowed & (total <= wanted[:, None])

    def drop(allowed, fits):
        left = wanted - _count(fits)  # (B,)
        allowed = fits | (allowed & (length <= left[:, None]))
        return allowed, fitting(allowed)

    _, fits = tf.while_loop(lambda allowed, fits: tf.reduce_any(allowed & ~fits), drop, (there, fitting(there)))
    back = tf.argsort(by_key, axis=1, stable=True)
    return tf.gather(fits, back, batch_dims=1), shown


def _spans(maskable, words, wanted, seed):
    """Chooses spans of whole words of each row until `wanted` tokens are chosen; returns them, and a random number for each, one a span."""
    import tensorflow as tf

    runs = tf.cumsum(tf.cast(~maskable, tf.int32), axis=1)  # a span reaches over no special token
    shares = (1 - SPAN_P) ** np.arange(LONGEST_SPAN)
    ends = np.cumsum(shares / shares.sum())[:-1].astype("float32")  # of the ranges in [0, 1) that stand for a length

    def unfinished(step, chosen, shown):
        return tf.reduce_any(_count(chosen) < wanted)

    def add(step, chosen, shown):
        seeds = tf.random.fold_in(tf.cast(seed, tf.int64), tf.cast(step + 1, tf.int64))
        bits = _bits([tf.shape(words)[0], words.shape[1] + 2], seeds)
        free = maskable & ~chosen
        anchor = tf.argmax(tf.where(free, bits[:, 2:], -1), axis=1)[:, None]  # (B, 1), a token that is free
        first, run = tf.gather(words, anchor, batch_dims=1), tf.gather(runs, anchor, batch_dims=1)
        number = 1 + tf.searchsorted(ends, tf.cast(bits[:, 0], tf.float32) / 2.0**31, side="right")[:, None]  # (B, 1), of words
        new = free & (words >= first) & (words < first + number) & (runs == run)
        new &= tf.cumsum(tf.cast(new, tf.int32), axis=1) <= (wanted - _count(chosen))[:, None]
        return step + 1, chosen | new, tf.where(new, bits[:, 1:2], shown)

    _, chosen, shown = tf.while_loop(unfinished, add, (tf.constant(0), tf.zeros_like(maskable), tf.zeros_like(words)))
    return chosen, shown


def _bits(shape, seed):
    """Draws 31 random bits for each element of a shape."""
    import tensorflow as tf

    return tf.random.stateless_uniform(shape, seed, None, None, tf.int32, alg="philox") & 0x7FFFFFFF


def _high_bits(width):
    """Returns the bits of a positive int32 above those that number `width` places."""
    return 2**31 - 2 ** int(width).bit_length()


def _count(chosen):
    """Returns how many are chosen in each row, int32 `(B,)`."""
    import tensorflow as tf

    return tf.reduce_sum(tf.cast(chosen, tf.int32), axis=1)
