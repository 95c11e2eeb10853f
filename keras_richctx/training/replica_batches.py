"""A batch, dealt out to the devices that train on it."""

import keras


def replica_batches(dataset, batch_size, replicas, first, count):
    """Returns a `tf.data.Dataset` of the parts of each batch that `count` of the `replicas` devices hold, one part an element.

    Each part has `ceil(batch_size / replicas)` rows, so that all steps have one shape. A batch of fewer rows than the parts hold together, as the last one of
    an epoch is, is filled up with copies of its first row, which `rows` marks with 0: the losses and metrics do not count them.

    Args:
        dataset: a `tf.data.Dataset` of batches `x`, `(x, y)` or `(x, y, sample_weight)`.
        batch_size: integer, the most rows of a batch.
        replicas: integer, the number of devices in all.
        first: integer, the number of the first device that is dealt to.
        count: integer, the number of devices that are dealt to, in a row.

    Returns:
        A `tf.data.Dataset` of dicts of `x`, `rows`, float of shape `(ceil(batch_size / replicas),)`, and, where there are any, `y` and `sample_weight`.
    """
    import tensorflow as tf

    share = -(-batch_size // replicas)

    def deal(*batch):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(batch)
        parts = {name: part for name, part in (("x", x), ("y", y), ("sample_weight", sample_weight)) if part is not None}
        size = tf.shape(tf.nest.flatten(x)[0])[0]
        ok = tf.debugging.assert_less_equal(size, share * replicas, f"A batch has more rows than batch_size={batch_size}")
        with tf.control_dependencies([ok]):
            places = tf.range(first * share, (first + count) * share)  # (count * share,)
        order = tf.where(places < size, places, 0)
        parts = tf.nest.map_structure(lambda tensor: tf.gather(tensor, order), parts)
        parts["rows"] = tf.cast(places < size, keras.config.floatx())
        return tf.nest.map_structure(split, parts)

    def split(tensor):
        return tf.reshape(tensor, [count, share, *(tf.shape(tensor)[axis] if size is None else size for axis, size in enumerate(tensor.shape[1:], 1))])

    return dataset.map(deal, num_parallel_calls=tf.data.AUTOTUNE).unbatch().prefetch(2 * count)
