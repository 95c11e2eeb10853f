"""From pictures to text: a search over the model's steps, tokens out, and the attention of the result."""

import math

import keras
import numpy as np

from keras_richctx.generation.best_lines import best_lines
from keras_richctx.translation.translate import until_end
from keras_richctx.vision.caption import Caption


def caption_images(model, images, num_beams=1, length_penalty=1.0, max_new_tokens=40, batch_size=64):
    """Says what is in pictures with a captioning model.

    Args:
        model: an `ImageCaptioner`.
        images: array of shape `(H, W, 3)` for one picture; `(N, H, W, 3)`, or a list of arrays `(H, W, 3)`, for several; of values from 0 to 255.
        num_beams: integer, how many captions to follow at once; `1` takes the most probable word at each step. Defaults to `1`.
        length_penalty: float, the exponent of the length that beams are compared by; `0` prefers short captions. Defaults to `1.0`.
        max_new_tokens: integer, the longest caption in tokens, the end symbol counted. Defaults to `40`.
        batch_size: integer, how many pictures to decode at once. Defaults to `64`.

    Returns:
        A `Caption`, or a list of them in the order of `images`.

    Raises:
        ValueError: if the pictures have another form, or a number is not positive.

    Example:
        >>> scenes = krc.datasets.scenes(3)
        >>> tokenizer = krc.text.WordTokenizer.train([captions[0] for captions in scenes.captions], vocab_size=50)
        >>> model = krc.models.ImageCaptioner(tokenizer, units=8)
        >>> len(caption_images(model, scenes.images, num_beams=2, max_new_tokens=4))
        3
    """
    for name, number in (("num_beams", num_beams), ("max_new_tokens", max_new_tokens), ("batch_size", batch_size)):
        if not isinstance(number, int | np.integer) or number < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
    if not math.isfinite(length_penalty):
        raise ValueError(f"The exponent of the length is a finite number. Received: length_penalty={length_penalty!r}")
    if not hasattr(images, "__len__") or isinstance(images, str | bytes):
        raise ValueError(f"Pictures are arrays (height, width, channels), one or several. Received: a {type(images).__name__}")
    single = not isinstance(images, list | tuple) and np.ndim(images) == 3
    images = images[None] if single else images
    captions = []
    for start in range(0, len(images), batch_size):
        captions += _caption_batch(model, model.prepare(images[start : start + batch_size]), num_beams, length_penalty, max_new_tokens)
    return captions[0] if single else captions


def _caption_batch(model, inputs, num_beams, length_penalty, max_new_tokens):
    """Captions a batch of prepared pictures; yields a `Caption` each."""
    tokens, scores = best_lines(model, inputs, max_new_tokens, num_beams, length_penalty)
    # where the model looked is read off one more pass over the finished caption, the same computation as in training
    maps = None
    if model.has_attention:
        weights = model.attention_weights({**inputs, "token_ids": tokens[:, :-1]})  # (B, T, h, w)
        maps = keras.ops.convert_to_numpy(keras.ops.cast(weights, "float32"))
    for b, row in enumerate(tokens):
        ids = until_end(row[1:], model.tokenizer)
        yield Caption(model.tokenizer.decode(ids), model.tokenizer.pieces(ids), None if maps is None else maps[b, : len(ids)], float(scores[b]))
