"""Dropout that is the same at all steps."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class VariationalDropout(keras.layers.SpatialDropout1D):
    r"""Drops features of a sequence, one draw for each row and the same at all of its steps.

    $$y_{bt} = \frac{m_b \odot x_{bt}}{1 - p}, \qquad m_{bd} \sim \mathrm{Bernoulli}(1 - p)$$

    A mask that changes from step to step would wash out what a recurrent layer carries along; one mask for the whole sequence takes a feature out of the model
    for that sequence. It is what Keras calls `SpatialDropout1D`, under the name that recurrent networks know it by. Padding: the mask of the draw is the same
    at pads, and the Keras mask is passed on.

    Args:
        rate: float, p, the share of features that are dropped.
        seed: integer, the seed of the draws, or `None`.
        **kwargs: `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        training: boolean, whether to drop.

    Returns:
        A float tensor of shape `(B, T, D)`.

    Raises:
        ValueError: if `rate` is not between 0 and 1.

    Example:
        >>> y = VariationalDropout(0.5)(np.ones((1, 3, 8), "float32"), training=True).numpy()
        >>> bool((y == y[:, :1]).all()), sorted({float(value) for value in y.ravel()})
        (True, [0.0, 2.0])

    References:
        [Gal and Ghahramani, 2016](https://arxiv.org/abs/1512.05287), section 4; [Merity et al., 2018](https://arxiv.org/abs/1708.02182), section 4.2.
    """
