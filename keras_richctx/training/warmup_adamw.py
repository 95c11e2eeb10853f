"""The optimizer of BERT, for pre-training and for fine-tuning."""

import keras

from keras_richctx.training.slanted_triangular import slanted_triangular

NOT_DECAYED = ("bias", "gamma", "beta")  # what the names of variables hold: of biases, and of the scale and the shift of a normalisation
TO_ZERO = 1e9  # how many times the lowest rate goes into the highest: BERT's schedule is the slanted triangle that begins and ends at nothing


def warmup_adamw(learning_rate, steps, warmup=0.1, weight_decay=0.01):
    r"""Makes an AdamW whose rate rises in a straight line to its peak and falls in another to zero.

    $$\eta_t = \eta_{\max} \min\Bigl(\frac{t}{w T},\; \frac{T - t}{T - w T}\Bigr)$$

    for $T$ steps, of which the part $w$ is the rise. Weights decay, but not biases and the scales and shifts of normalisations, which are known by their names.
    Gradients are clipped to a global norm of 1, and epsilon is 1e-6, as in the authors' code, which leaves out Adam's correction of its first steps; here it is
    made, after Mosbach et al.

    Args:
        learning_rate: float, $\eta_{\max}$, the highest rate.
        steps: integer, T, how many there will be.
        warmup: float, w, at least zero and below one; the rise takes a step at least. Defaults to `0.1`.
        weight_decay: float. Defaults to `0.01`.

    Returns:
        A `keras.optimizers.AdamW`.

    Example:
        >>> rate = warmup_adamw(2e-5, steps=100).get_config()["learning_rate"]["config"]
        >>> rate["peak"], rate["steps"], rate["cut_fraction"]
        (2e-05, 100, 0.1)

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), appendix A.2, and the authors'
        [`optimization.py`](https://github.com/google-research/bert/blob/master/optimization.py); [Mosbach et al., 2021](https://arxiv.org/abs/2006.04884).
    """
    steps = max(steps, 2)
    rate = slanted_triangular(learning_rate, steps, max(warmup, 1 / steps), TO_ZERO)
    optimizer = keras.optimizers.AdamW(rate, weight_decay=weight_decay, epsilon=1e-6, global_clipnorm=1.0)
    optimizer.exclude_from_weight_decay(var_names=NOT_DECAYED)
    return optimizer
