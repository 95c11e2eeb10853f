"""Arrays as an endless `tf.data.Dataset`, in an order that depends on a seed and on the number of the pass."""

import keras


def array_dataset(arrays, batch_size, shuffle=True, seed=0):
    """Returns an endless `tf.data.Dataset` of the batches of `arrays`, pass after pass, each in an order of its own if `shuffle`.

    The order of a pass is a function of `seed` and of the number of the pass alone, whatever the global seeds are. The arrays are in memory once, and each
    batch is gathered from them.

    Args:
        arrays: a tuple `(x,)`, `(x, y)` or `(x, y, sample_weight)` of nests of NumPy arrays or tensors, all of the same first dimension.
        batch_size: integer. The last batch of a pass may be smaller.
        shuffle: boolean, whether to draw an order. Defaults to `True`.
        seed: integer. Defaults to `0`.

    Returns:
        A `tf.data.Dataset`. Floats are of the type `keras.config.floatx()`, as in `keras.Model.fit`.

    Raises:
        ValueError: if the first dimensions differ, or are zero.

    Example:
        >>> batches = array_dataset((np.arange(5),), batch_size=3, shuffle=False)
        >>> [batch.numpy().tolist() for (batch,) in batches.take(3)]
        [[0, 1, 2], [3, 4], [0, 1, 2]]
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

    def order(number):
        rows = tf.range(size)  # (N,)
        rows = tf.random.experimental.stateless_shuffle(rows, (seed, number)) if shuffle else rows
        return tf.data.Dataset.from_tensor_slices(rows).batch(batch_size)

    def gather(rows):
        return keras.tree.map_structure(lambda tensor: tf.gather(tensor, rows), tensors)

    tensors = keras.tree.lists_to_tuples(keras.tree.map_structure(standardize, arrays))  # tf.data would stack a list into one tensor
    as_it_is = tf.autograph.experimental.do_not_convert  # nothing in them is to be rewritten for the graph
    return tf.data.Dataset.counter().flat_map(as_it_is(order)).map(as_it_is(gather), num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
