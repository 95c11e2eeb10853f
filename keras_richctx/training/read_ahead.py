"""Batches on the GPU before they are asked for, on TensorFlow."""

import collections
import concurrent.futures
import itertools

from keras_richctx.training.wide_integers import widen

CALLS_AHEAD = 2


class ReadAhead:
    """Takes batches from an iterator and copies them to where they are computed on, in another thread.

    TensorFlow begins to copy when a GPU has done all that it was given until then, and what is given to it next waits for its batches. So those of a call are
    sent two calls before: while one is computed, the next can be prepared. And those of one call are sent together, since each copy would wait anew.

    Args:
        count: integer, the batches of a call.
        copy: function of a list of batches that returns them on the GPU: `copy_to(device)` or `copy_to_replicas(strategy)`.
    """

    def __init__(self, count, copy):
        self._count = count
        self._copy = copy
        self._iterator = self._thread = None
        self._calls = collections.deque()

    def take(self, iterator):
        """Returns the next batches of an iterator, whose batches lie in the memory of the processor: those of a call, a list, fewer or none at the end.

        What was read of another iterator before is dropped.
        """
        if self._iterator is not iterator:
            self.close()
            self._iterator, self._thread = iterator, concurrent.futures.ThreadPoolExecutor(1)
            self._calls.extend(self._thread.submit(self._read, iterator) for _ in range(CALLS_AHEAD))
        batches = self._calls.popleft().result()
        self._calls.append(self._thread.submit(self._read, iterator))
        return batches

    def close(self):
        """Drops what was read; waits for the batch that is being read, so that the data is no longer in use."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)
            self._calls.clear()
            self._iterator = self._thread = None

    def _read(self, iterator):
        batches = list(itertools.islice(iterator, self._count))
        return self._copy(batches) if batches else []


def copy_to(device):
    """Returns a function that copies a list of batches to a device, as `widen` makes them."""
    import tensorflow as tf

    def copy(batches):
        with tf.device("CPU:0"):
            batches = widen(batches)
        with tf.device(device):
            return tf.nest.map_structure(tf.identity, batches)

    return tf.function(copy, autograph=False, reduce_retracing=True)


def copy_to_replicas(strategy):
    """Returns a function that copies a list of batches, each with a part for each replica of a strategy, to the replicas' devices."""
    import tensorflow as tf

    def on_replica(batches):
        return tf.nest.map_structure(tf.identity, batches)

    return tf.function(lambda batches: strategy.run(on_replica, args=(batches,)), autograph=False, reduce_retracing=True)
