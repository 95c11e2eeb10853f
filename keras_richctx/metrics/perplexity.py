"""Perplexity of a loss."""

import math


def perplexity(loss):
    r"""Turns the mean cross-entropy of a token into perplexity: how many equally likely tokens would leave the model as unsure.

    $$\mathrm{PPL} = e^{L}, \qquad L = -\frac1N \sum_{i=1}^{N} \log p(y_i)$$

    Args:
        loss: float, the mean cross-entropy of a token in nats, as Keras' losses give it.

    Returns:
        A float; infinity where the loss is too large for the exponential (above 709).

    Example:
        >>> round(perplexity(math.log(10)), 6)
        10.0
    """
    try:
        return math.exp(loss)
    except OverflowError:
        return math.inf
