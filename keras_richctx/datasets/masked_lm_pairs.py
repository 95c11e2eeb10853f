"""Text for pre-training: documents cut into inputs, pairs of sentences that follow each other or do not, and tokens to guess."""

import functools
import operator
import threading

import numpy as np

from keras_richctx.datasets.chunks import Chunks
from keras_richctx.datasets.mask_tokens import check_masking, mask_tokens
from keras_richctx.datasets.passes import numbered_steps
from keras_richctx.datasets.token_store import token_store
from keras_richctx.text.packing import functions_for, lay_out


def masked_lm_pairs(
    files,
    tokenizer,
    batch_size=32,
    length=128,
    max_predictions=None,
    next_sentence=True,
    rate=0.15,
    unit="token",
    masking="dynamic",
    duplicates=10,
    short_rate=0.1,
    shuffle=True,
    seed=0,
    num_shards=1,
    index=0,
    drop_remainder=False,
    cache_dir=None,
):
    r"""Makes a `tf.data.Dataset` of batches to pre-train BERT or RoBERTa on, ready for `fit`.

    The files are tokenized once, into a cache on the disk, and read from there: a corpus need not fit into memory, in which 16 bytes a sentence and 32 an
    input stay. Sentences are gathered into chunks of one document, of as many as fit; one in ten chunks is kept shorter. With `next_sentence`, a chunk is
    parted at a random sentence into A and B, and with probability 1/2 B is exchanged for that of another document in the same batch: label 0, B is next, or
    1, it is random. A chunk of one sentence takes a copy of a random text of another document, with label 1. Without `next_sentence`, a row is one chunk,
    which goes on from document to document with a separator between: RoBERTa's full sentences. A sentence that is longer than a row is cut into several.
    Each chunk occurs once in a pass.

    Chunks are cut the same in each pass. What is drawn anew in each pass, as a function of `seed` and of the number of the pass alone: the order, where
    chunks are parted, which B are exchanged, and, with `masking="dynamic"`, which tokens are masked (see `mask_tokens`). With `masking="static"` pass k is
    pass k modulo `duplicates` again, as where a corpus was masked ten times and written down.

    Args:
        files: list of paths of UTF-8 files, one sentence a line, an empty line between documents.
        tokenizer: tokenizer with a `mask_id`: `WordPieceTokenizer`, or `ByteLevelBPETokenizer` with RoBERTa's vocabulary or a mask of its own.
        batch_size: int, B; the last batch of a pass may hold fewer. Defaults to `32`.
        length: int, T, to which all rows are padded. Defaults to `128`.
        max_predictions: int, P, or `None` for `ceil(rate * length)`. Defaults to `None`.
        next_sentence: bool, whether rows are pairs. Defaults to `True`.
        rate: float, which part of the tokens is masked. Defaults to `0.15`.
        unit: what is masked, `"token"`, `"word"` or `"span"`, as in `mask_tokens`. Defaults to `"token"`.
        masking: `"dynamic"` or `"static"`. Defaults to `"dynamic"`.
        duplicates: int, how many different passes there are with `"static"`. Defaults to `10`.
        short_rate: float, which part of the chunks is kept shorter, by a length that is uniform between 2 and the whole. Defaults to `0.1`.
        shuffle: bool, whether chunks come in random order. Defaults to `True`.
        seed: int. Defaults to `0`.
        num_shards: int, how many workers share the corpus. Defaults to `1`.
        index: int, which of them this one is, from 0 on. Each chunk goes to one worker in a pass, in the next maybe to another. Defaults to `0`.
        drop_remainder: bool, whether to leave out the last batch of a pass where a worker has no whole one: all batches are whole then and all workers have
            as many. Defaults to `False`.
        cache_dir: path of the directory of the cache, or `None` for `masked_lm` in that of downloads. Defaults to `None`.

    Returns:
        A `tf.data.Dataset` of `(x, y, sample_weight)`, of known cardinality. `x` is a dictionary of `token_ids` int32, `segment_ids` int32 and
        `padding_mask` bool, `(B, T)`, and `mask_positions` int32 `(B, P)`; `y` of `mlm_logits` int32 `(B, P)`, the hidden tokens, and `nsp_logits` int32
        `(B,)`; `sample_weight` of `mlm_logits` float32 `(B, P)`, 1 at real predictions, and `nsp_logits` float32 `(B,)`, ones. Without `next_sentence` there
        is no `nsp_logits`.

        Iterating over it again is the next pass, but `repeat()` always begins with pass 0 (see `numbered_passes`). `batches.repeat().skip(n)` is the rest of
        a run that was stopped after `n` batches, and begins at once; so goes `krc.training.fit` on.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if an argument is out of its range, if the corpus is too small for a batch or, with `next_sentence`, is one document.

    Example:
        >>> import pathlib, tempfile
        >>> from keras_richctx.text import WordPieceTokenizer
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "text.txt").write_text("a b c d\ne f g\n\nh i j\nk l m n\n")
        >>> tokenizer = WordPieceTokenizer.train([folder / "text.txt"] * 2, vocab_size=30)
        >>> batches = masked_lm_pairs([folder / "text.txt"], tokenizer, length=16, short_rate=0, cache_dir=folder)
        >>> x, y, sample_weight = next(iter(batches))
        >>> x["token_ids"].shape, x["mask_positions"].shape, y["nsp_logits"].shape
        (TensorShape([2, 16]), TensorShape([2, 3]), TensorShape([2]))

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.1 and appendix A.2; [Liu et al., 2019](https://arxiv.org/abs/1907.11692), sections
        4.1 and 4.2.
    """
    import tensorflow as tf

    max_predictions = check_masking(tokenizer, rate, max_predictions, unit, length)
    specials = 2 + tokenizer.pair_separators if next_sentence else 2
    _check(batch_size, length, specials, masking, duplicates, short_rate, num_shards, index)
    seed = operator.index(seed) % 2**63
    store = token_store(files, tokenizer, cache_dir)
    if next_sentence and len(store.documents) < 3:
        raise ValueError(
            "A random second text comes from another document. Received: a corpus of one document. Part documents by empty lines, or pass next_sentence=False"
        )
    chunks = Chunks(store, length - specials, across=not next_sentence, short_rate=short_rate, seed=seed)
    share = len(chunks) // num_shards if drop_remainder else len(range(index, len(chunks), num_shards))
    steps = share // batch_size if drop_remainder else -(-share // batch_size)
    if not steps:
        raise ValueError(f"The corpus is too small for a batch. Received: {len(chunks)} chunks, batch_size={batch_size}, num_shards={num_shards}")
    order_of = _Orders(len(chunks), seed, shuffle)
    numbers, nothing = functions_for(()), np.zeros(0, "int64")

    def plan(step):
        number, i = divmod(int(step), steps)
        number = number % duplicates if masking == "static" else number
        rng = np.random.default_rng((seed, number, index, i))
        places = (i * batch_size + np.arange(min(batch_size, share - i * batch_size))) * num_shards + index
        chosen = order_of(number)[places]  # (B,)
        if next_sentence:
            start, count, second_start, second_count, labels = chunks.pairs(chosen, rng, length - specials)
            second = store.ids, second_start, None
        else:
            (start, count), second, second_count, labels = chunks.whole(chosen), None, np.zeros(len(chosen), "int64"), nothing
        packed, _ = lay_out(tokenizer, (store.ids, start, None), second, count, second_count, length, numbers)
        return *packed.values(), labels.astype("int32"), rng.integers(2**63, size=2)

    def make_batch(step):
        ids, segments, mask, labels, draw = tf.numpy_function(plan, [step], [tf.int32, tf.int32, tf.bool, tf.int32, tf.int64], stateful=False)
        ids, segments, mask = (tf.ensure_shape(values, (None, length)) for values in (ids, segments, mask))
        masked = mask_tokens(ids, mask, tokenizer, tf.ensure_shape(draw, (2,)), rate, max_predictions, unit)
        x = {"token_ids": masked["token_ids"], "segment_ids": segments, "padding_mask": mask, "mask_positions": masked["mask_positions"]}
        y, sample_weight = {"mlm_logits": masked["labels"]}, {"mlm_logits": masked["weights"]}
        if next_sentence:
            y["nsp_logits"] = tf.ensure_shape(labels, (None,))
            sample_weight["nsp_logits"] = tf.ones_like(y["nsp_logits"], tf.float32)
        return x, y, sample_weight

    return numbered_steps(make_batch, steps)


class _Orders:
    """The order of the chunks in each pass: the last two are kept, at 8 bytes a chunk."""

    def __init__(self, count, seed, shuffle):
        self.lock = threading.Lock()  # batches are made by several threads

        @functools.lru_cache(maxsize=2)
        def order(number):
            return np.random.default_rng((seed, number)).permutation(count) if shuffle else np.arange(count)

        self.order = order

    def __call__(self, number):
        with self.lock:
            return self.order(number)


def _check(batch_size, length, specials, masking, duplicates, short_rate, num_shards, index):
    """Raises where an argument of `masked_lm_pairs` is out of its range."""
    for name, value in (("batch_size", batch_size), ("duplicates", duplicates), ("num_shards", num_shards)):
        if operator.index(value) < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    if length < specials + 2:
        raise ValueError(f"length has room for {specials} special tokens and two others at least. Received: length={length}")
    if masking not in ("dynamic", "static"):
        raise ValueError(f'masking is "dynamic" or "static". Received: masking={masking!r}')
    if not 0 <= short_rate <= 1:
        raise ValueError(f"short_rate is between 0 and 1. Received: short_rate={short_rate}")
    if not 0 <= index < num_shards:
        raise ValueError(f"index is one of 0 ... num_shards - 1. Received: index={index}, num_shards={num_shards}")
