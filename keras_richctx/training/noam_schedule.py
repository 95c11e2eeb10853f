"""The learning rate of the Transformer's paper: a linear rise, then a slow fall."""

import math

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class NoamSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """The schedule that `noam_schedule` makes; its arguments are described there."""

    def __init__(self, width, warmup_steps=4000, factor=1.0):
        for name, number in (("width", width), ("warmup_steps", warmup_steps), ("factor", factor)):
            if not 0 < number < math.inf:
                raise ValueError(f"{name} is a number above zero. Received: {name}={number!r}")
        self.width = width
        self.warmup_steps = warmup_steps
        self.factor = factor

    def __call__(self, step):
        t = keras.ops.cast(step, "float32") + 1  # the first step is number 1
        # eta_t = factor D^(-1/2) min(t^(-1/2), t warmup^(-3/2))
        return self.factor * self.width**-0.5 * keras.ops.minimum(keras.ops.rsqrt(t), t * self.warmup_steps**-1.5)

    def get_config(self):
        return {"width": self.width, "warmup_steps": self.warmup_steps, "factor": self.factor}


def noam_schedule(width, warmup_steps=4000, factor=1.0):
    r"""Makes the learning rate schedule of the Transformer's paper.

    $$\eta_t = \mathit{factor} \cdot D^{-1/2} \min(t^{-1/2},\; t \cdot \mathit{warmup}^{-3/2})$$

    The rise protects the first steps, in which the averages of Adam know nothing yet and a block with its normalisation at the end passes large gradients.

    Args:
        width: integer, D, the width of the model.
        warmup_steps: integer, the steps of the rise. Defaults to `4000`.
        factor: float. Defaults to `1.0`.

    Returns:
        A `keras.optimizers.schedules.LearningRateSchedule`, for the `learning_rate` of any optimizer; the paper's is Adam with `beta_2=0.98` and
        `epsilon=1e-9`.

    Raises:
        ValueError: if a number is not above zero.

    Example:
        >>> schedule = noam_schedule(width=512)
        >>> [round(float(schedule(step)), 6) for step in (0, 1999, 3999, 15999)]
        [0.0, 0.000349, 0.000699, 0.000349]

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 3.
    """
    return NoamSchedule(width, warmup_steps, factor)
