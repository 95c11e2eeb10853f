"""Integers of 32 bits as TensorFlow takes them to a GPU."""

import keras

AS_INT32 = "as int32"


def widen(*batch):
    """Makes integers of 32 bits into such of 64 within a batch, marked by a dict, because TensorFlow keeps the former in the memory of the processor."""
    import tensorflow as tf

    def wide(tensor):
        return {AS_INT32: tf.cast(tensor, tf.int64)} if tensor.dtype == tf.int32 else tensor

    batch = tf.nest.map_structure(wide, batch)
    return batch if len(batch) > 1 else batch[0]


def widened(spec):
    """Returns the `tf.TypeSpec`s of a batch that `widen` has made of one of these."""
    import tensorflow as tf

    return tf.nest.map_structure(lambda leaf: {AS_INT32: tf.TensorSpec(leaf.shape, tf.int64)} if leaf.dtype == tf.int32 else leaf, spec)


def narrow(batch):
    """Undoes `widen`."""

    def original(node):
        return keras.ops.cast(node[AS_INT32], "int32") if isinstance(node, dict) and AS_INT32 in node else None

    return keras.tree.traverse(original, batch)
