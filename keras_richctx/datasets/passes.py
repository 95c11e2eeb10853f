"""A dataset whose passes are numbered, so that each can differ from the others and be had again."""

import itertools


def numbered_passes(make_passes, cardinality):
    """Makes a `tf.data.Dataset` of which pass `k` is what a function makes of the number `k`.

    Iterating over the dataset again is the next pass, as with the `shuffle` of `tf.data`. Its `repeat(count)` gives the passes `0, 1, 2, …`, whatever was
    iterated before; with that of `tf.data`, which counts on from the last iteration, a run could not be continued exactly in the process that began it.
    A transformed dataset (`map`, `prefetch`, …) has the `repeat` of `tf.data`, so repeat first.

    Args:
        make_passes: function of a dataset of pass numbers, int64 scalars, to a dataset of the elements of these passes, one pass after the other.
        cardinality: int, the number of elements of a pass.

    Returns:
        A `tf.data.Dataset` of known cardinality.

    Example:
        >>> import tensorflow as tf
        >>> dataset = numbered_passes(lambda numbers: numbers.flat_map(lambda k: tf.data.Dataset.from_tensors(k).repeat(2)), cardinality=2)
        >>> [int(k) for k in dataset], [int(k) for k in dataset]
        ([0, 0], [1, 1])
        >>> [int(k) for k in dataset.repeat(3).skip(1)]
        [0, 1, 1, 2, 2]
    """
    import tensorflow as tf

    def elements(numbers, size):
        return make_passes(numbers).apply(tf.data.experimental.assert_cardinality(size))

    def repeat(count=None, name=None):
        if count is None or count < 0:  # for ever, as in `tf.data`
            return elements(tf.data.Dataset.counter(), tf.data.INFINITE_CARDINALITY)
        return elements(tf.data.Dataset.range(count), count * cardinality)

    iterations = itertools.count()
    next_number = tf.data.Dataset.from_generator(lambda: [next(iterations)], output_signature=tf.TensorSpec((), tf.int64))
    dataset = elements(next_number, cardinality)
    dataset.repeat = repeat
    return dataset


def numbered_steps(make_batch, cardinality):
    """Makes a `tf.data.Dataset` of batches of which each is what a function makes of its number, counted over all passes.

    It behaves as that of `numbered_passes`, and `repeat().skip(n)` begins with batch `n` at once: none of those before it is made.

    Args:
        make_batch: function of a number, an int64 scalar tensor, to a batch: batch `i` of pass `k` has the number `k * cardinality + i`.
        cardinality: int, the number of batches of a pass.

    Returns:
        A `tf.data.Dataset` of known cardinality.

    Example:
        >>> dataset = numbered_steps(lambda step: step, cardinality=3)
        >>> [int(step) for step in dataset], [int(step) for step in dataset.repeat(3).skip(2).take(3)]
        ([0, 1, 2], [2, 3, 4])
    """
    import tensorflow as tf

    def batches(steps):
        return steps.map(make_batch, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True).prefetch(tf.data.AUTOTUNE)

    dataset = numbered_passes(lambda numbers: batches(numbers.flat_map(lambda k: tf.data.Dataset.range(k * cardinality, (k + 1) * cardinality))), cardinality)
    repeat = dataset.repeat

    def repeat_from_any_step(count=None, name=None):
        repeated = repeat(count, name)
        end = tf.int64.max if count is None or count < 0 else count * cardinality
        size = tf.data.INFINITE_CARDINALITY if end == tf.int64.max else end

        def skip(count, name=None):
            left = size if size < 0 else max(0, size - count)
            return batches(tf.data.Dataset.range(count, end)).apply(tf.data.experimental.assert_cardinality(left))

        repeated.skip = skip
        return repeated

    dataset.repeat = repeat_from_any_step
    return dataset
