"""Tokenizers inside `tf.data`: string tensors in, integer tensors out. The one place of the tokenizers that imports TensorFlow."""

import sys

import numpy as np


def is_tensor(value):
    """Returns whether `value` is a TensorFlow tensor, eager or symbolic, without importing TensorFlow.

    Args:
        value: any object.

    Returns:
        A boolean.
    """
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and isinstance(value, tensorflow.Tensor)


def encode_tensor(tokenizer, texts, bos=False, eos=False, encode=None):
    """Encodes a string tensor, eagerly or inside `tf.data.Dataset.map`.

    Where a tokenizer has no operations of its own to do it, the Rust tokenizer runs through `tf.numpy_function`: it holds Python's lock while it converts
    strings, it does not run on an accelerator, and a graph that holds it cannot be exported as a SavedModel. Give it batches, since a call costs more than a
    text. A corpus that fits in memory is encoded faster in one call with a list, before the pipeline.

    Args:
        tokenizer: `Tokenizer`.
        texts: string tensor of shape `()` or `(B,)`, UTF-8.
        bos: bool, whether to begin each text with the begin token. Defaults to `False`.
        eos: bool, whether to end each text with the end token. Defaults to `False`.
        encode: function of a string tensor `(B,)` to an int32 `tf.RaggedTensor` `(B, None)`, in operations of the graph, or `None` for the Rust tokenizer.
            Defaults to `None`.

    Returns:
        An int32 tensor of shape `(T,)` for a scalar; an int32 `tf.RaggedTensor` of shape `(B, None)` for a vector.

    Raises:
        TypeError: if `texts` is not a string tensor.
        ValueError: if `texts` is of another rank.
        ValueError: if a text is not UTF-8; inside a graph, `tf.errors.InvalidArgumentError` with the same message.
    """
    import tensorflow as tf

    if texts.dtype != tf.string:
        raise TypeError(f"{type(tokenizer).__name__} takes a string tensor. Received: a tensor of dtype {texts.dtype.name}")
    if texts.shape.rank not in (0, 1):
        raise ValueError(f"{type(tokenizer).__name__} takes a string tensor of shape () or (batch,); flatten others first. Received: shape={texts.shape}")

    if encode is not None:
        return _encode_in_graph(tokenizer, texts, bos, eos, encode)

    def run(values):
        ids = tokenizer([_decode(value, i) for i, value in enumerate(values)], bos=bos, eos=eos)
        splits = np.cumsum([0, *map(len, ids)], dtype="int64")
        return np.fromiter((i for row in ids for i in row), "int32", count=splits[-1]), splits

    flat, splits = tf.numpy_function(run, [tf.reshape(texts, [-1])], [tf.int32, tf.int64], stateful=False)
    flat.set_shape([None])
    if texts.shape.rank == 0:
        return flat
    splits.set_shape([None if texts.shape[0] is None else texts.shape[0] + 1])
    return tf.RaggedTensor.from_row_splits(flat, splits, validate=False)


def check_utf8(texts):
    """Returns `texts`, or raises where one is not UTF-8, within the graph.

    Args:
        texts: string tensor of shape `(B,)`.

    Returns:
        `texts` itself.

    Raises:
        tf.errors.InvalidArgumentError: if a text is not UTF-8; the message names the text and the byte.
    """
    import tensorflow as tf

    valid = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")  # (B,)
    wrong = texts != valid

    def message():
        index = tf.argmax(wrong)
        found, replaced = (tf.io.decode_raw(values[index], tf.uint8) for values in (texts, valid))
        length = tf.minimum(tf.size(found), tf.size(replaced))
        place = tf.argmax(tf.concat([found[:length] != replaced[:length], [True]], axis=0))  # where the two part
        byte = tf.gather([f"0x{byte:02X}" for byte in range(256)], tf.cast(tf.gather(tf.concat([found, [0]], axis=0), place), tf.int32))
        parts = ["A string tensor must hold UTF-8. Received: byte ", byte, " at byte ", tf.strings.as_string(place), " of text ", tf.strings.as_string(index)]
        return tf.strings.join([*parts, " of the batch"])

    failed = tf.reduce_any(wrong)
    with tf.control_dependencies([tf.debugging.Assert(~failed, [tf.cond(failed, message, lambda: "")])]):
        return tf.identity(texts)


def _encode_in_graph(tokenizer, texts, bos, eos, encode):
    """Encodes a string tensor by operations of the graph."""
    import tensorflow as tf

    flat = tf.reshape(texts, [-1])  # (B,)
    try:
        ids = tf.autograph.experimental.do_not_convert(encode)(flat)  # (B, None)
    except tf.errors.InvalidArgumentError:  # eagerly, where the byte can be told as elsewhere
        for i, value in enumerate(flat.numpy()):
            _decode(value, i)
        raise
    begin, end = ([tf.fill([tf.size(flat), 1], special)] if wanted else [] for special, wanted in ((tokenizer.bos_id, bos), (tokenizer.eos_id, eos)))
    ids = tf.concat([*begin, ids, *end], axis=1) if begin or end else ids
    return ids.values if texts.shape.rank == 0 else ids


def _decode(value, index):
    """Decodes one element of a string tensor."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"A string tensor must hold UTF-8. Received: byte 0x{value[error.start]:02X} at byte {error.start} of text {index} of the batch, {value[:80]!r}"
        ) from error
