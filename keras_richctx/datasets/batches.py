r"""Batches of sentence pairs for translation: sentences of like length together, little padding, another shuffle in each pass, the same in each run."""

import itertools
import operator
import warnings

import numpy as np

from keras_richctx.datasets.passes import numbered_passes
from keras_richctx.text.pad_rows import pad_rows, row_mask

CHUNK = 100_000  # sentences tokenized at once: bounds the memory that lists of ints take


def translation_batches(pairs, source_tokenizer, target_tokenizer, batch_size=64, shuffle=True, seed=0, pad_to_multiple=4, max_length=None, on_long="error"):
    r"""Makes a `tf.data.Dataset` of padded batches to train a translation model with teacher forcing.

    For a source sentence of tokens $x_1 \dots x_n$ and a target sentence $y_1 \dots y_m$, the encoder reads $x_1 \dots x_n\,\mathrm{EOS}$, the decoder reads
    $\mathrm{BOS}\,y_1 \dots y_m$ and is to say $y_1 \dots y_m\,\mathrm{EOS}$.

    All sentences are tokenized at once, when the dataset is made. Each pass then plans its batches within the graph: the pairs are sorted by padded target
    length, then by padded source length, in random order where both are equal, cut into batches, and the batches are shuffled. Every pair occurs once in a
    pass, and the plan is a function of `seed` and of the number of the pass alone.

    Args:
        pairs: `Pairs`, at least one.
        source_tokenizer: tokenizer of the source language, with an `eos_id`.
        target_tokenizer: tokenizer of the target language, with a `bos_id` and an `eos_id`.
        batch_size: int, pairs in a batch; the last batch of a pass may hold fewer. Defaults to `64`.
        shuffle: bool. With `False` each pass has the same batches, from the longest to the shortest. Defaults to `True`.
        seed: int. Defaults to `0`.
        pad_to_multiple: int, of which all padded lengths are multiples. XLA compiles a program for each shape of a batch: a larger multiple gives fewer
            shapes and more padding. Tatoeba in batches of 64 is 1 % padding in some 200 shapes with `1`, 14 % in 32 with `4`, and 25 % in 15 with `8`; without
            XLA `1` is best. Defaults to `4`.
        max_length: int, how many tokens a source or target sentence may have, EOS included, or `None` for any number. Defaults to `None`.
        on_long: string, what to do with a pair that is longer: `"error"`, or `"drop"`, with a warning that says how many. Defaults to `"error"`.

    Returns:
        A `tf.data.Dataset` of `(inputs, labels, sample_weight)`, of known cardinality. `inputs` is a dictionary of `encoder_token_ids` `(B, S)` int32,
        `encoder_padding_mask` `(B, S)` bool, `decoder_token_ids` `(B, T)` int32 and `decoder_padding_mask` `(B, T)` bool, the masks `True` at real positions;
        `labels` is `(B, T)` int32, `sample_weight` `(B, T)` float32, 1 at real positions and 0 at pads.

        Iterating over it again is the next pass, but `repeat()` always begins with pass 0 (see `numbered_passes`), so that `batches.repeat().skip(k)` is the
        rest of a run that was stopped after `k` batches.

    Raises:
        TypeError: if `seed` is not an integer.
        ValueError: if there are no pairs, if an argument is out of its range, if a tokenizer has no id for begin or end, or if a pair is too long.

    Example:
        >>> from keras_richctx.datasets import Pairs
        >>> from keras_richctx.text import WordTokenizer
        >>> pairs = Pairs(["A cat.", "One red dog."], ["Un chat.", "Un chien rouge."])
        >>> english, french = WordTokenizer.train(pairs.source, 20), WordTokenizer.train(pairs.target, 20)
        >>> inputs, labels, sample_weight = next(iter(translation_batches(pairs, english, french, shuffle=False)))
        >>> [french.decode(row) for row in labels.numpy().tolist()]
        ['Un chien rouge.', 'Un chat.']
        >>> sample_weight.numpy().tolist()
        [[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
    """
    import tensorflow as tf

    _check_ids("source_tokenizer", source_tokenizer, "eos_id")
    _check_ids("target_tokenizer", target_tokenizer, "bos_id", "eos_id")
    batch_size, multiple, seed = _positive("batch_size", batch_size), _positive("pad_to_multiple", pad_to_multiple), operator.index(seed)
    source = _encode(pairs.source, source_tokenizer, eos=True)
    target = _encode(pairs.target, target_tokenizer, bos=True, eos=True)  # the decoder reads all but the last token, and is to say all but the first
    if max_length is not None:
        kept = _short(source[1], target[1] - 1, max_length, on_long)
        source, target = _keep(source, kept), _keep(target, kept)
    num_batches = -(-len(source[1]) // batch_size)
    # Rank by padded target length, then by padded source length: whole numbers, so that noise in [0, 1) orders equals at random.
    source_padded, target_padded = _round_up(source[1], multiple), _round_up(target[1] - 1, multiple)
    with tf.device("CPU"):
        rank = tf.constant(target_padded * (source_padded.max() + 1) + source_padded, "float64")  # (N,)
        source, target = _to_tensors(*source), _to_tensors(*target)

    def make_batch(indices):
        indices = tf.boolean_mask(indices, indices >= 0)  # (B,)
        ids, starts, lengths = source[0], tf.gather(source[1], indices), tf.gather(source[2], indices)
        encoder_mask = _mask(lengths, multiple)  # (B, S)
        encoder_ids = _read(ids, starts, encoder_mask, source_tokenizer.pad_id)  # (B, S)
        ids, starts, lengths = target[0], tf.gather(target[1], indices), tf.gather(target[2], indices)
        decoder_mask = _mask(lengths - 1, multiple)  # (B, T)
        decoder_ids = _read(ids, starts, decoder_mask, target_tokenizer.pad_id)  # (B, T)
        labels = _read(ids, starts + 1, decoder_mask, target_tokenizer.pad_id)  # (B, T)
        inputs = {
            "encoder_token_ids": encoder_ids,
            "encoder_padding_mask": encoder_mask,
            "decoder_token_ids": decoder_ids,
            "decoder_padding_mask": decoder_mask,
        }
        return inputs, labels, tf.cast(decoder_mask, tf.float32)

    def make_passes(numbers):
        plans = numbers.map(lambda number: _plan(rank, batch_size, num_batches, (seed, number) if shuffle else None))
        return plans.unbatch().map(make_batch).prefetch(tf.data.AUTOTUNE)

    return numbered_passes(make_passes, num_batches)


def source_batches(texts, tokenizer, batch_size=64, pad_to_multiple=1):
    """Makes padded batches of sentences to translate, from the longest to the shortest, each with the places of its sentences.

    Args:
        texts: list of strings.
        tokenizer: tokenizer of the source language, with an `eos_id`.
        batch_size: int, sentences in a batch; the last one may hold fewer. Defaults to `64`.
        pad_to_multiple: int, of which all padded lengths are multiples, as in `translation_batches`. Defaults to `1`.

    Returns:
        A list of `(indices, inputs)`: `indices` is the integer array `(B,)` of where in `texts` the sentences of the batch stand, which brings results back
        into order; `inputs` is a dictionary of the arrays `encoder_token_ids` `(B, S)` int32 and `encoder_padding_mask` `(B, S)` bool.

    Raises:
        TypeError: if `texts` is not a list of strings.
        ValueError: if an argument is out of its range, or if the tokenizer has no id for the end.

    Example:
        >>> from keras_richctx.text import WordTokenizer
        >>> texts = ["A cat.", "One red dog.", "A dog."]
        >>> tokenizer, results = WordTokenizer.train(texts, 20), [None] * 3
        >>> for indices, inputs in source_batches(texts, tokenizer, batch_size=2):
        ...     for index, ids in zip(indices, inputs["encoder_token_ids"]):
        ...         results[index] = tokenizer.decode(ids.tolist())
        >>> results
        ['A cat.', 'One red dog.', 'A dog.']
    """
    _check_ids("tokenizer", tokenizer, "eos_id")
    batch_size, multiple = _positive("batch_size", batch_size), _positive("pad_to_multiple", pad_to_multiple)
    if isinstance(texts, str):
        raise TypeError(f"Sentences come as a list of strings. Received: texts={texts!r}. Put it in a list")
    rows = [np.asarray(row, "int32") for row in tokenizer(list(texts), eos=True)]
    order = np.argsort([-len(row) for row in rows], kind="stable")
    batches = []
    for start in range(0, len(order), batch_size):
        indices = order[start : start + batch_size]  # (B,)
        some = [rows[index] for index in indices]
        ids, mask = pad_rows(some, tokenizer.pad_id, multiple), row_mask(some, multiple)  # (B, S) each
        batches.append((indices, {"encoder_token_ids": ids, "encoder_padding_mask": mask}))
    return batches


def _encode(texts, tokenizer, **specials):
    """Tokenizes all texts and returns their ids, one after the other, `(tokens,)` int32, and the number of each, `(N,)` int64."""
    ids, lengths = [], []
    for start in range(0, len(texts), CHUNK):
        rows = tokenizer(texts[start : start + CHUNK], **specials)
        lengths.append(np.fromiter(map(len, rows), "int64", len(rows)))
        ids.append(np.fromiter(itertools.chain.from_iterable(rows), "int32", lengths[-1].sum()))
    if not ids:
        raise ValueError("Batches need at least one pair. Received: pairs without any")
    return np.concatenate(ids), np.concatenate(lengths)


def _keep(rows, kept):
    """Leaves out the rows where `kept`, `(N,)`, is false."""
    ids, lengths = rows
    return ids[np.repeat(kept, lengths)], lengths[kept]


def _short(source_lengths, target_lengths, max_length, on_long):
    """Tells which pairs, `(N,)`, have at most `max_length` tokens on both sides, and raises or warns if not all have."""
    if on_long not in ("error", "drop"):
        raise ValueError(f'on_long must be "error" or "drop". Received: on_long={on_long!r}')
    short = np.maximum(source_lengths, target_lengths) <= _positive("max_length", max_length)
    first = int(np.argmin(short))
    what = f"{(~short).sum():,} of {len(short):,} pairs are longer than max_length={max_length} tokens, EOS included"
    if not short.any() or (on_long == "error" and not short.all()):
        lengths = f"{source_lengths[first]} source and {target_lengths[first]} target tokens"
        raise ValueError(f'{what}, the first of them at index {first} with {lengths}. Raise max_length, or, if some remain, pass on_long="drop"')
    if not short.all():
        warnings.warn(f"{what}, and are dropped.", stacklevel=3)
    return short


def _plan(rank, batch_size, num_batches, seed):
    """Plans a pass: indices of pairs, `(num_batches, batch_size)`, -1 where the last batch has none; without a seed from the highest rank to the lowest."""
    import tensorflow as tf

    count = len(rank)
    noise = tf.zeros(count + num_batches, tf.float64) if seed is None else tf.random.stateless_uniform([count + num_batches], seed, dtype=tf.float64)
    order = tf.argsort(rank + noise[:count], direction="DESCENDING", stable=True)
    batches = tf.reshape(tf.pad(order, [[0, num_batches * batch_size - count]], constant_values=-1), (num_batches, batch_size))
    return tf.gather(batches, tf.argsort(noise[count:], stable=True))


def _to_tensors(ids, lengths):
    """Returns the ids of all rows, where each row starts in them, and how many it has."""
    import tensorflow as tf

    return tf.constant(ids), tf.constant(np.cumsum(lengths) - lengths), tf.constant(lengths)


def _mask(lengths, multiple):
    """Makes a padding mask, `(B, length)`, of which the length is a multiple."""
    import tensorflow as tf

    return tf.sequence_mask(lengths, _round_up(tf.reduce_max(lengths), multiple))


def _read(ids, starts, mask, pad_id):
    """Reads a row of `ids` from each of `starts`, `(B,)`, on, as far as `mask`, `(B, length)`, is true, and pads it."""
    import tensorflow as tf

    places = starts[:, None] + tf.range(tf.shape(mask, tf.int64)[1])  # (B, length)
    return tf.where(mask, tf.gather(ids, tf.where(mask, places, 0)), pad_id)


def _round_up(length, multiple):
    return -(-length // multiple) * multiple


def _positive(name, value):
    """Returns `value` as an int, or raises where it is none or below 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < 1:
        raise ValueError(f"{name} must be an integer of at least 1. Received: {name}={value!r}")
    return operator.index(value)


def _check_ids(name, tokenizer, *needed):
    """Raises unless the tokenizer has the special ids."""
    missing = [attribute for attribute in needed if getattr(tokenizer, attribute) is None]
    if missing:
        raise ValueError(f"{name} must have {' and '.join(needed)}. Received: {name}={tokenizer!r}, whose {missing[0]} is None")
