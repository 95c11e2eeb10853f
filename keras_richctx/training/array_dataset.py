"""Arrays as a `tf.data.Dataset` in an order that depends on a seed and on the number of the pass."""

import keras


def array_dataset(arrays, batch_size, shuffle=True, seed=0):
    """Returns a `tf.data.Dataset` of batches of `arrays`, in a new order at each pass if `shuffle`.

    The order is drawn from `seed`, so a dataset made anew with the same seed gives the same batches pass after pass. The arrays are in memory once, and each
    batch is gathered from them.

    Args:
        arrays: a tuple `(x,)`, `(x, y)` or `(x, y, sample_weight)` of nests of NumPy arrays or tensors, all of the same first dimension.
        batch_size: integer. The last batch of a pass may be smaller.
        shuffle: boolean, whether to draw an order. Defaults to `True`.
        seed: integer. Defaults to `0`.

    Returns:
        A `tf.data.Dataset` of known size. Floats are of the type `keras.config.floatx()`, as in `keras.Model.fit`.

    Raises:
        ValueError: if the first dimensions differ, or are zero.
    """
    import tensorflow as tf

    sizes = {int(leaf.shape[0]) for leaf in keras.tree.flatten(arrays)}
    if len(sizes) > 1:
        raise ValueError(f"All arrays must hold the same number of examples. Received: first dimensions {sorted(sizes)} in x, y and sample_weight.")
    (size,) = sizes
    if size == 0:
        raise ValueError("There is nothing to train on. Received: arrays without examples.")

    def standardize(leaf):
        tensor = tf.convert_to_tensor(leaf)
        return tf.cast(tensor, keras.config.floatx()) if tensor.dtype.is_floating else tensor

    tensors = keras.tree.lists_to_tuples(keras.tree.map_structure(standardize, arrays))  # tf.data would stack a list into one tensor
    order = tf.data.Dataset.range(size)
    if shuffle:
        order = order.shuffle(size, seed=seed)

    @tf.autograph.experimental.do_not_convert
    def gather(rows):
        return keras.tree.map_structure(lambda tensor: tf.gather(tensor, rows), tensors)

    return order.batch(batch_size).map(gather, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
