"""Compiles a search with the model's own weights, once for each kind of search and each length of its buffer."""

import contextlib
import logging
import types

import keras
import numpy as np

from keras_richctx.generation.search import search

BUCKET = 16  # buffers are rounded up to a multiple, so that a new length rarely needs a new program


class _Compiled(keras.Model):
    """A search as a model, so that Keras compiles it: `tf.function` on TensorFlow, `jit` on JAX."""

    def __init__(self, model, strategy, max_new_tokens):
        super().__init__(name="search", dtype=model.dtype_policy)  # weights are cast as in the model's own call
        self.model = model
        self.strategy = strategy
        self.max_new_tokens = max_new_tokens
        # XLA on TensorFlow would compile anew for each shape of batch; the plain graph takes any
        self.compile(jit_compile=False if keras.backend.backend() == "tensorflow" else "auto")

    def build(self, input_shape):
        self.built = True

    def call(self, inputs):
        inputs = dict(inputs)
        limits, own = inputs.pop("max_new_tokens"), inputs.pop("strategy")
        return search(self.model, inputs, self.strategy, limits, self.max_new_tokens, own)


def run(model, inputs, strategy, max_new_tokens, draw=None):
    """Runs a search on a batch.

    Args:
        model: a model with `start` and `step`.
        inputs: dict of arrays with leading axis B, what `model.start` takes.
        strategy: a hashable strategy; equal ones share a compiled program.
        max_new_tokens: positive integer, or an integer array of shape `(B,)` with a limit for each row.
        draw: function of B and the length of the buffer that returns a dict of arrays with leading axis B for the strategy's `begin`, or `None`.

    Returns:
        What the strategy's `finish` returns, as NumPy arrays.

    Raises:
        ValueError: if `max_new_tokens` is not positive, or has another shape.
    """
    batch = len(next(iter(inputs.values())))
    limits = np.asarray(max_new_tokens)
    if limits.dtype.kind not in "iu" or limits.shape not in ((), (batch,)) or limits.size == 0 or limits.min() < 1:
        raise ValueError(f"max_new_tokens is a positive integer, or one for each of the {batch} rows. Received: max_new_tokens={max_new_tokens!r}")
    limits = np.broadcast_to(limits.astype("int32"), (batch,))
    length = -(-int(limits.max()) // BUCKET) * BUCKET
    # kept on the model in a plain namespace: Keras neither tracks nor saves it there
    programs = vars(model).setdefault("_searches", types.SimpleNamespace(by_key={})).by_key
    key = (strategy, length)
    if key not in programs:
        programs[key] = _Compiled(model, strategy, length)
    with _without_retracing_warnings():
        return programs[key].predict_on_batch({**inputs, "max_new_tokens": np.array(limits), "strategy": draw(batch, length) if draw else {}})


@contextlib.contextmanager
def _without_retracing_warnings():
    """Keeps back TensorFlow's advice against tracing often: it counts all programs together, and each of these is traced for its first shapes and for any."""
    logger, keep = logging.getLogger("tensorflow"), lambda record: "retracing" not in record.getMessage()
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)
