"""Batches of pictures with a caption each, to train a captioner on."""

import functools
import operator
import threading

import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.datasets.passes import numbered_steps
from keras_richctx.text.pad_rows import pad_rows, row_mask


def caption_batches(pictures, tokenizer, batch_size=64, shuffle=True, seed=0, pad_to_multiple=4):
    r"""Makes a `tf.data.Dataset` of padded batches to train a captioner with teacher forcing.

    For a caption of tokens $y_1 \dots y_m$ the decoder reads $\mathrm{BOS}\,y_1 \dots y_m$ and is to say $y_1 \dots y_m\,\mathrm{EOS}$. A picture with
    several captions is shown once with each of them in a pass. The order is a function of `seed` and of the number of the pass alone. Pictures are read when
    their batch is made.

    Args:
        pictures: `CaptionedImages`, at least one.
        tokenizer: tokenizer of `keras_richctx.text`, with a `bos_id` and an `eos_id`.
        batch_size: int, captions in a batch; the last batch of a pass may hold fewer. Defaults to `64`.
        shuffle: bool. With `False` each pass goes through the pictures in their order. Defaults to `True`.
        seed: int. Defaults to `0`.
        pad_to_multiple: int, of which all padded lengths are multiples, so that there are few shapes to compile a program for. Defaults to `4`.

    Returns:
        A `tf.data.Dataset` of `(inputs, labels, sample_weight)`, of known cardinality, whose passes are numbered as those of `numbered_steps`. `inputs` is a
        dict of `images`, `(B, H, W, 3)`, `token_ids`, int32 `(B, T)`, and `padding_mask`, bool `(B, T)`, `True` at real positions; `labels` is `(B, T)`
        int32, `sample_weight` `(B, T)` float32, 1 at real positions and 0 at pads.

    Raises:
        ValueError: if there are no pictures, or an argument is out of its range.

    Example:
        >>> pictures = krc.datasets.scenes(1, seed=18)
        >>> tokenizer = krc.text.WordTokenizer.train(pictures.captions[0], vocab_size=50)
        >>> inputs, labels, sample_weight = next(iter(caption_batches(pictures, tokenizer, batch_size=2, shuffle=False)))
        >>> inputs["images"].shape, [tokenizer.decode(row) for row in labels.numpy().tolist()]
        (TensorShape([2, 48, 48, 3]), ['a red cross above a blue cross', 'a blue cross below a red cross'])
    """
    for name, value in (("batch_size", batch_size), ("pad_to_multiple", pad_to_multiple)):
        if operator.index(value) < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    check_naturals(seed=seed)
    if not len(pictures):
        raise ValueError("Batches need at least one picture. Received: pictures without any")
    import tensorflow as tf

    look = pictures.images[:1]
    rows = _Rows(pictures, tokenizer, batch_size, shuffle, operator.index(seed), pad_to_multiple)

    def make_batch(step):
        kinds = [look.dtype, "int32", "bool", "int32", "float32"]
        arrays = tf.numpy_function(lambda step: rows.batch(int(step)), [step], [tf.as_dtype(kind) for kind in kinds], stateful=False)
        shapes = [(None, *look.shape[1:]), *[(None, None)] * 4]
        images, token_ids, mask, labels, weights = (tf.ensure_shape(array, shape) for array, shape in zip(arrays, shapes))
        return {"images": images, "token_ids": token_ids, "padding_mask": mask}, labels, weights

    return numbered_steps(make_batch, rows.steps)


class _Rows:
    """Pairs of a picture and a caption, and which of them are in a batch."""

    def __init__(self, pictures, tokenizer, batch_size, shuffle, seed, multiple):
        self.images, self.pad_id, self.multiple = pictures.images, tokenizer.pad_id, multiple
        self.places = np.repeat(np.arange(len(pictures)), [len(captions) for captions in pictures.captions])  # which picture a row shows
        self.ids = tokenizer([caption for captions in pictures.captions for caption in captions], bos=True, eos=True)
        self.steps = -(-len(self.ids) // batch_size)
        self.lock = threading.Lock()  # batches are made by several threads

        @functools.lru_cache(maxsize=2)
        def plan(number):
            order = np.random.default_rng((seed, number)).permutation(len(self.ids)) if shuffle else np.arange(len(self.ids))
            return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]

        self.plan = plan

    def batch(self, step):
        """Returns the arrays of a batch, by its number, counted over all passes: images, token ids, mask, labels and weights."""
        number, i = divmod(step, self.steps)
        with self.lock:
            rows = self.plan(number)[i]
        read, written = [self.ids[row][:-1] for row in rows], [self.ids[row][1:] for row in rows]
        token_ids, labels = (pad_rows(ids, self.pad_id, self.multiple) for ids in (read, written))  # (B, T) each
        mask = row_mask(read, self.multiple)
        return self.images[self.places[rows]], token_ids, mask, labels, mask.astype("float32")
