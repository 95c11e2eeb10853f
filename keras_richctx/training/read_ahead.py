"""Batches on the GPU before they are asked for, on TensorFlow."""

import collections
import concurrent.futures
import itertools

from keras_richctx.training.wide_integers import widen, widened

CALLS_AHEAD = 2


class ReadAhead:
    """Takes batches from an iterator and copies them to a GPU, in another thread.

    TensorFlow begins to copy when the GPU has done all that it was given until then, and what is given to it next waits for its batches. So those of a call
    are sent two calls before: while one is computed, the next can be prepared. And those of one call are sent together, since each copy would wait anew.

    Args:
        iterator: a `tf.data.Iterator` over dense tensors.
        count: integer, the batches of a call.
        device: string, the name of the GPU.
    """

    def __init__(self, iterator, count, device):
        import tensorflow as tf

        self.iterator = iterator
        self.element_spec = widened(iterator.element_spec)
        self._count = count

        def copy(batches):
            with tf.device("CPU:0"):
                batches = widen(batches)
            with tf.device(device):
                return tf.nest.map_structure(tf.identity, batches)

        self._copy = tf.function(copy, autograph=False, reduce_retracing=True)
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._calls = collections.deque(self._thread.submit(self._read) for _ in range(CALLS_AHEAD))

    def take(self):
        """Returns the batches of the next call, a list, as `widen` makes them; an empty one at the end."""
        batches = self._calls.popleft().result()
        self._calls.append(self._thread.submit(self._read))
        return batches

    def close(self):
        """Drops what was read."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _read(self):
        batches = list(itertools.islice(self.iterator, self._count))
        return self._copy(batches) if batches else []
