"""Compiles a search with the model's own weights, once for each kind of search and each length of its buffer."""

import contextlib
import logging
import types

import keras
import numpy as np

from keras_richctx.generation.prompts import read_prompts, round_up
from keras_richctx.generation.search import advance, begin, once_cast, search
from keras_richctx.training.devices import on_gpu
from keras_richctx.training.varied_shapes import VariedShapes

GPU_ROWS = 8
# what JAX records into one graph of CUDA, which the GPU runs by itself: whole loops too, where by default the processor starts each of their steps
CUDA_GRAPH = {"xla_gpu_enable_command_buffer": "FUSION,CUBLAS,CUBLASLT,CUSTOM_CALL,CUDNN,CONDITIONAL,WHILE,DYNAMIC_SLICE_FUSION"}


class _Compiled(VariedShapes):
    """A search, or a part of one, as a model, so that Keras compiles it: `tf.function` on TensorFlow, `jit` on JAX."""

    def __init__(self, model, strategy, max_new_tokens, part):
        super().__init__(name="search", dtype=model.dtype_policy)  # weights are cast as in the model's own call
        self.model = model
        self.strategy = strategy
        self.max_new_tokens = max_new_tokens
        self.part = part
        self.compile()

    def build(self, input_shape):
        self.built = True

    def make_predict_function(self, force=False):
        """Makes what Keras does, on JAX with a GPU as one graph of CUDA."""
        if self.predict_function is not None and not force:  # asked for at each token that is watched
            return self.predict_function
        if keras.backend.backend() != "jax" or not on_gpu() or keras.distribution.distribution() is not None:
            return super().make_predict_function(force)
        import jax

        def predict(state, batch):
            outputs, non_trainable = self.predict_step(state, batch)
            return outputs, (state[0], non_trainable)

        compiled = jax.jit(predict, donate_argnums=0, compiler_options=CUDA_GRAPH)
        self.predict_function = lambda state, batches: compiled(state, next(batches))
        return self.predict_function

    def call(self, inputs):
        inputs = dict(inputs)
        if self.part == "advance":
            with once_cast(self.model):
                return advance(self.model, self.strategy, inputs["carry"], inputs["memory"], 1)
        limits, own = inputs.pop("max_new_tokens"), inputs.pop("strategy")
        if self.part == "begin":
            return begin(self.model, inputs, self.strategy, limits, self.max_new_tokens, own)
        return search(self.model, inputs, self.strategy, limits, self.max_new_tokens, own)


def run(model, inputs, strategy, max_new_tokens, own=None, on_token=None):
    """Runs a search on a batch.

    Args:
        model: a model with `start` and `step`.
        inputs: prompts, or a dict of arrays with leading axis B; see `read_prompts`.
        strategy: a hashable strategy; equal ones share a compiled program.
        max_new_tokens: positive integer, or an integer array of shape `(B,)` with a limit for each row.
        own: function of B and the length of the buffer that returns a dict of arrays for the strategy's `begin`, or `None`.
        on_token: function of an integer array `(B,)`, called with the tokens of each step when it is done, or `None`.

    Returns:
        What the strategy's `finish` returns, as NumPy arrays, with the prompts before its `tokens`, and these cut to the longest limit.

    Raises:
        ValueError: if `max_new_tokens` is not positive or has another shape, or the prompts are none.
    """
    limits = np.asarray(max_new_tokens)
    if limits.dtype.kind not in "iu" or limits.ndim > 1 or limits.size == 0 or limits.min() < 1:
        raise ValueError(f"max_new_tokens is a positive integer, or one for each row. Received: max_new_tokens={max_new_tokens!r}")
    longest = int(limits.max())
    prompts = read_prompts(model, inputs, longest)
    if limits.shape not in ((), (prompts.batch,)):
        raise ValueError(f"max_new_tokens is a positive integer, or one for each of the {prompts.batch} rows. Received: max_new_tokens={max_new_tokens!r}")
    length, rows = round_up(longest), _rows_to_run(prompts.batch)
    given = {name: rows(array) for name, array in prompts.inputs.items()}
    given["max_new_tokens"] = rows(np.broadcast_to(limits.astype("int32"), (prompts.batch,)))
    given["strategy"] = own(len(given["max_new_tokens"]), length) if own else {}
    if on_token is None:
        result = _program(model, strategy, length, "search")(given)
    else:
        result = _run_step_by_step(model, strategy, length, given, lambda tokens: on_token(tokens[: prompts.batch]))
    result = {name: array[: prompts.batch] for name, array in result.items()}
    return {**result, "tokens": _join(prompts.before, result["tokens"][..., : 1 + longest])}


def _rows_to_run(batch):
    """Returns a function that brings arrays with leading axis B to the number of rows that is run.

    On a GPU that is a multiple of eight, with copies of the last row: XLA's products of less than eight rows take longer there than those of eight.
    """
    extra = -batch % GPU_ROWS if keras.backend.backend() != "torch" and on_gpu() else 0
    return lambda array: np.concatenate([array, np.repeat(array[-1:], extra, axis=0)])


def _run_step_by_step(model, strategy, length, given, on_token):
    carry, memory = _program(model, strategy, length, "begin")(given)
    take_step = _program(model, strategy, length, "advance")
    for t in range(int(given["max_new_tokens"].max())):
        carry = take_step({"carry": carry, "memory": memory})
        on_token(carry["lines"]["tokens"][:, t + 1].copy())
        if carry["lines"]["done"].all():
            break
    return strategy.finish(carry["lines"])


def _join(before, tokens):
    """Puts the prompts, `(B, T)`, before lines of shape `(B, L)` or `(B, K, L)`."""
    if tokens.ndim == 3:
        before = np.repeat(before[:, None], tokens.shape[1], axis=1)  # (B, K, T)
    return np.concatenate([before, tokens], axis=-1)


def _program(model, strategy, length, part):
    """Returns the compiled program as a function of a dict of arrays; it is kept on the model, in a plain namespace that Keras neither tracks nor saves."""
    programs = vars(model).setdefault("_searches", types.SimpleNamespace(by_key={})).by_key
    key = (strategy, length, part)
    if key not in programs:
        programs[key] = _Compiled(model, strategy, length, part)

    def call(given):
        with _without_retracing_warnings():
            return programs[key].predict_on_batch(given)

    return call


@contextlib.contextmanager
def _without_retracing_warnings():
    """Keeps back TensorFlow's advice against tracing often: it counts all programs together, and each of these is traced for its first shapes and for any."""
    logger, keep = logging.getLogger("tensorflow"), lambda record: "retracing" not in record.getMessage()
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)
