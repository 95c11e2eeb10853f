"""A model seen as a function of the vectors of its tokens."""

import contextlib

import keras
import numpy as np

from keras_richctx.training.changed import changed
from keras_richctx.viz.undisturbed import undisturbed


class Vectors:
    """The vectors that a model makes of its tokens, and the model as a function of them.

    Where the model embeds token ids, these are what the first call of its embedding gives; all else that it makes of the ids, such as masks, stays as it is.
    Where it embeds none, they are its inputs.

    Args:
        model: `keras.Model` or layer.
        inputs: what the model is called with, a nest of tensors.
        embedding: name of the `keras.layers.Embedding` to take, or `None` for the one that is called first. Defaults to `None`.

    Attributes:
        value: float32 array of shape `(B, T, D)`.

    Raises:
        ValueError: if there is no such embedding, or there are no vectors.
    """

    def __init__(self, model, inputs, embedding=None):
        self.model = model
        self.inputs = inputs
        layers = [layer for layer in model._flatten_layers() if isinstance(layer, keras.layers.Embedding)]
        if embedding is not None:
            names = [layer.name for layer in layers]
            layers = [layer for layer in layers if layer.name == embedding]
            if not layers:
                raise ValueError(f"No embedding has this name. Received: embedding={embedding!r}. There are {', '.join(names) or 'none'}")
        called = []
        if layers:
            with contextlib.ExitStack() as stack:
                for layer in layers:
                    stack.enter_context(changed(layer, call=_noting(layer, called)))
                self._call()
        if called:
            self.layer, value = called[0]
        else:
            self.layer, value = None, inputs
        if not hasattr(value, "shape") or len(value.shape) != 3 or "float" not in keras.backend.standardize_dtype(value.dtype):
            what = f"those of {self.layer.name}" if self.layer is not None else "a model without a keras.layers.Embedding that was called"
            raise ValueError(f"Tokens have vectors of shape (batch, tokens, width). Received: {what}, with {getattr(value, 'shape', type(value).__name__)}")
        self.value = np.array(keras.ops.convert_to_numpy(keras.ops.cast(value, "float32")))

    def embed(self, token_id):
        """Returns the vector of one token id, float32 `(D,)`."""
        if self.layer is None:
            raise ValueError(f"Without an embedding, a token id has no vector. Received: token id {token_id}. Give the vector itself.")
        with undisturbed():
            vector = self.layer(keras.ops.full((1, 1), token_id, dtype="int32"))
        return np.array(keras.ops.convert_to_numpy(keras.ops.cast(vector, "float32")))[0, 0]

    def output(self, vectors):
        """Returns what the model puts out for other vectors, `(N * B, T, D)`, N times those of all rows; what else it reads is the same each time."""
        if self.layer is None:
            return self.model(vectors, training=False)
        original, count = self.layer.call, []

        def call(*args, **kwargs):
            count.append(1)
            given = original(*args, **kwargs)
            return keras.ops.cast(vectors, given.dtype) if len(count) == 1 else given

        with changed(self.layer, call=call):
            return self._call(vectors.shape[0] // len(self.value))

    def _call(self, times=1):
        inputs = keras.tree.map_structure(lambda x: keras.ops.concatenate([x] * times), self.inputs) if times > 1 else self.inputs
        return self.model(inputs, training=False)


def _noting(layer, called):
    """Returns the `call` of a layer, with a note of what it gave in a list."""
    original = layer.call

    def call(*args, **kwargs):
        result = original(*args, **kwargs)
        called.append((layer, result))
        return result

    return call
