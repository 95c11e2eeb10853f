"""How much of a loss's gradient arrives at each step of a recurrent layer: arrays, before any picture."""

from contextlib import ExitStack
from typing import Protocol, runtime_checkable

import keras
import numpy as np

from keras_richctx.training.gradients import gradients


@runtime_checkable
class Probed(Protocol):
    r"""What a layer must have for its gradients to be looked at.

    These are `units`, a `cell` with a `recurrent_kernel`, `go_backwards`, and `probed`, a context in which something is added to $h_t$ at each step.
    """

    units: int
    cell: object
    go_backwards: bool

    def probed(self, probes): ...


def gradient_norms(model, x, y=None, mask=None, loss=None):
    r"""Measures $\lVert \partial L / \partial h_t \rVert$ at every step of every recurrent layer, without changing the model.

    The derivative is the total one, over all paths from $h_t$ to the loss. The model runs as in inference, without dropout.

    Args:
        model: `keras.Model` or layer that holds recurrent layers of this library, or is one.
        x: array of shape `(B, T)` or `(B, T, D)`, what the model reads.
        y: what the model's compiled loss compares its output with; or `None` for the loss of `loss`. Defaults to `None`.
        mask: boolean array of shape `(B, T)`, `True` at real steps, given to the model; or `None` for all. Defaults to `None`.
        loss: function from the model's output to a scalar; or `None` for the sum of squares of its last output: of the output at the last real step where
            the output has steps. Defaults to `None`.

    Returns:
        A dict from the layers' names to arrays of shape `(B, T)`, with a `mask` masked (`numpy.ma`) where it is `False`. Of a layer that reads from the end,
        the steps stand in the order of the text.

    Raises:
        ValueError: if the model holds no such layer, `y` is given and it is not compiled, or both `y` and `loss` are given.

    Example:
        >>> layer = krc.layers.SimpleRNN(3, name="rnn")
        >>> norms = gradient_norms(layer, np.ones((2, 5, 4)))
        >>> norms["rnn"].shape
        (2, 5)
    """
    if y is not None and loss is not None:
        raise ValueError(f"The loss is either that of the model against y, or the function given. Received: y of shape {np.shape(y)}, loss={loss}")
    if y is not None and not (isinstance(model, keras.Model) and model.compiled):
        raise ValueError(f"A loss against y needs a compiled model. Received: model={model}. Compile it, or pass a loss")
    x = keras.ops.convert_to_tensor(x)
    model(x)  # builds what is not built yet, outside of the derivative
    layers = recurrent_layers(model)
    probes = [keras.Variable(np.zeros((*x.shape[:2], layer.units)), dtype="float32", trainable=False) for layer in layers.values()]

    def of_probes():
        with ExitStack() as stack:
            for layer, probe in zip(layers.values(), probes):
                stack.enter_context(layer.probed(probe))
            output = model(x, training=False) if mask is None else model(x, mask=keras.ops.convert_to_tensor(mask), training=False)
        if y is not None:
            return model.compute_loss(x=x, y=y, y_pred=output, training=False)
        return _sum_of_squares(output, mask) if loss is None else loss(output)

    norms = [np.linalg.norm(gradient.astype("float64"), axis=-1) for gradient in gradients(of_probes, probes)]  # (B, T) each
    norms = [values[:, ::-1] if layer.go_backwards else values for layer, values in zip(layers.values(), norms)]
    return dict(zip(layers, norms if mask is None else [np.ma.array(values, mask=~np.asarray(mask, "bool")) for values in norms]))


def recurrent_layers(model):
    """Finds the recurrent layers of a model that can be probed.

    Args:
        model: `keras.Model` or layer.

    Returns:
        A dict from names to layers, in the order in which the model holds them.

    Raises:
        ValueError: if there is none.
    """
    layers = {}
    for layer in model._flatten_layers():
        if isinstance(layer, Probed):
            layers[layer.name if layer.name not in layers else layer.path] = layer
    if not layers:
        raise ValueError(f"There is no recurrent layer of krc.layers in it; those of Keras cannot be probed. Received: model={model}")
    return layers


def singular_values(layer):
    r"""Computes the singular values of each square map of the state, $W_{hh}$ or one of those of the gates.

    Args:
        layer: a built recurrent layer of this library.

    Returns:
        An array of shape `(maps, U)`, the largest first, the maps in the order of the layer's kernel.
    """
    kernel = keras.ops.convert_to_numpy(layer.cell.recurrent_kernel).astype("float64")  # (U, maps * U)
    maps = kernel.reshape(layer.units, -1, layer.units).swapaxes(0, 1)  # (maps, U, U)
    return np.linalg.svd(maps, compute_uv=False)


def _sum_of_squares(output, mask):
    """Returns the sum of squares of the last output: `(B, D)`, or the last real step of `(B, T, D)`."""
    output = output[0] if isinstance(output, list | tuple) else output
    if len(output.shape) > 2:
        real = np.ones(output.shape[:2], "bool") if mask is None else np.asarray(mask, "bool")
        last = np.arange(real.shape[1]) == real.shape[1] - 1 - np.argmax(real[:, ::-1], axis=1)[:, None]  # (B, T)
        output = keras.ops.where(last[..., None], output, 0)
    return keras.ops.sum(keras.ops.square(keras.ops.cast(output, "float32")))
