"""Penalties on what a recurrent layer puts out: on large values, and on fast changes."""

import keras

from keras_richctx.ops.batch_ratio import batch_ratio
from keras_richctx.ops.masks import as_mask


@keras.saving.register_keras_serializable("keras_richctx")
class ActivationRegularization(keras.layers.Layer):
    r"""Adds to the loss, in training, how large the outputs of a recurrent layer are and how much they change from step to step.

    $$\alpha \, \overline{(m \odot h_t)^2} + \beta \, \overline{(h_t - h_{t+1})^2}$$

    where $m$ is the dropout of the outputs, and the bar the mean over rows, steps and units. (The paper writes the $L_2$ norm; the mean of squares is what its
    authors' code has, and what its values of $\alpha$ and $\beta$ are for.) Padding: pads do not count, nor does a step to or from one.

    Args:
        alpha: float, the weight of the activation regularization (AR). Defaults to `2.0`.
        beta: float, the weight of the temporal activation regularization (TAR). Defaults to `1.0`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        outputs: float tensor of shape `(B, T, U)`, $h$.
        dropped: float tensor of shape `(B, T, U)`, $m \odot h$.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        training: boolean, whether to add the penalties.

    Returns:
        `dropped` as it is.

    Raises:
        ValueError: if a weight is negative.

    Example:
        >>> layer = ActivationRegularization(alpha=2.0, beta=1.0)
        >>> h = np.array([[[1.0], [3.0]]], "float32")
        >>> _ = layer(h, h, training=True)
        >>> [float(loss) for loss in layer.losses]
        [10.0, 4.0]

    References:
        [Merity et al., 2018](https://arxiv.org/abs/1708.02182), section 4.6; [Merity et al., 2017](https://arxiv.org/abs/1708.01009).
    """

    def __init__(self, alpha=2.0, beta=1.0, **kwargs):
        super().__init__(**kwargs)
        for name, weight in (("alpha", alpha), ("beta", beta)):
            if not 0 <= weight < float("inf"):
                raise ValueError(f"The weight of a penalty is a number of at least zero. Received: {name}={weight!r}")
        self.alpha = alpha
        self.beta = beta
        self.supports_masking = True
        self.built = True

    def call(self, outputs, dropped, mask=None, training=False):
        if training and self.alpha:
            # alpha * mean of (m . h_t)^2
            self.add_loss(self.alpha * _mean_square(dropped, mask))
        if training and self.beta:
            # beta * mean of (h_t - h_{t+1})^2
            both = None if mask is None else keras.ops.logical_and(as_mask(mask)[:, :-1], as_mask(mask)[:, 1:])  # (B, T - 1)
            self.add_loss(self.beta * _mean_square(outputs[:, :-1] - outputs[:, 1:], both))
        return dropped

    def compute_output_shape(self, outputs_shape, dropped_shape=None):
        return outputs_shape

    def get_config(self):
        return {**super().get_config(), "alpha": self.alpha, "beta": self.beta}


def _mean_square(values, mask):
    """The mean of the squares of `values`, `(B, T, U)`, over the real positions, in float32; zero where there is none."""
    squares = keras.ops.mean(keras.ops.square(keras.ops.cast(values, "float32")), axis=-1)  # (B, T)
    real = keras.ops.ones_like(squares) if mask is None else keras.ops.cast(as_mask(mask), squares.dtype)
    return batch_ratio(squares * real, real)
