"""The gradient's way back through time: measured in one or several networks and drawn in one figure."""

from dataclasses import dataclass

import numpy as np

from keras_richctx.viz.figure import Picture
from keras_richctx.viz.gradient_curves import gradient_curves
from keras_richctx.viz.gradient_norms import gradient_norms, recurrent_layers, singular_values


@dataclass(frozen=True)
class GradientFlow:
    r"""What `gradient_flow` measured, and its picture, which a notebook shows.

    Args:
        norms: dict from names to arrays of shape `(B, T)`, the norms of the derivative, masked (`numpy.ma`) at masked steps.
        singular_values: dict from the same names to arrays of shape `(maps, U)`.
        figure: the matplotlib figure.
    """

    norms: dict[str, np.ndarray]
    singular_values: dict[str, np.ndarray]
    figure: Picture

    def _repr_png_(self):
        """Returns the figure's picture."""
        return self.figure._repr_png_()


def gradient_flow(model, x, y=None, mask=None, loss=None, relative=False, title=None, dark=None):
    r"""Measures and draws how the gradient of a loss runs back through time: $\lVert \partial L / \partial h_t \rVert$ against $t$.

    Beside the curves stand the singular values of $W_{hh}$, of gated layers those of each map of the state. The loss is that of the model against `y`;
    without `y`, the function `loss`; without either, the sum of squares of the last output. The derivative is the total one, over all paths from $h_t$
    to the loss. An LSTM passes on more than that: what its cell carries past $h_t$ is not in it.

    Args:
        model: `keras.Model` or layer that holds recurrent layers of this library, or is one; or a dict from names to such, to be compared in one figure.
        x: array of shape `(B, T)` or `(B, T, D)`, what each of them reads.
        y: what the compiled loss compares the output with, or `None`. Defaults to `None`.
        mask: boolean array of shape `(B, T)`, `True` at real steps, or `None` for all. Defaults to `None`.
        loss: function from the output to a scalar, or `None`. Defaults to `None`.
        relative: bool, whether to draw each example's norms divided by that of its last real step. The arrays stay as they are. Defaults to `False`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A `GradientFlow` with the arrays `norms` and `singular_values`, dicts by the name of the layer, and the `figure`. In a comparison the name is that
        in the dict, followed by the layer's where a model has several.

    Raises:
        ValueError: if a model holds no recurrent layer of this library, `y` is given and it is not compiled, or both `y` and `loss` are given.

    Example:
        >>> networks = {"RNN": krc.layers.SimpleRNN(3), "LSTM": krc.layers.LSTM(3)}
        >>> flow = gradient_flow(networks, np.random.normal(size=(2, 7, 4)))
        >>> flow.norms["LSTM"].shape, flow.singular_values["LSTM"].shape
        ((2, 7), (4, 3))

    References:
        [Pascanu et al., 2013](https://arxiv.org/abs/1211.5063), section 2.
    """
    norms, values = {}, {}
    for prefix, network in model.items() if isinstance(model, dict) else [(None, model)]:
        measured = gradient_norms(network, x, y, mask, loss)
        layers = recurrent_layers(network)
        for name, layer in layers.items():
            label = name if prefix is None else prefix if len(layers) == 1 else f"{prefix}: {name}"
            norms[label], values[label] = measured[name], singular_values(layer)
    return GradientFlow(norms, values, gradient_curves(norms, values, relative, title, dark))
