"""A learning rate that rises fast and falls slowly, for fine-tuning."""

import math

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class SlantedTriangular(keras.optimizers.schedules.LearningRateSchedule):
    """The schedule that `slanted_triangular` makes; its arguments are described there."""

    def __init__(self, peak, steps, cut_fraction=0.1, ratio=32):
        if not 0 < peak < math.inf:
            raise ValueError(f"The highest rate is a number above zero. Received: peak={peak!r}")
        if not 0 < cut_fraction < 1:
            raise ValueError(f"The rate rises during a part of the steps, more than none and less than all. Received: cut_fraction={cut_fraction!r}")
        if not 1 <= ratio < math.inf:
            raise ValueError(f"ratio says how many times the lowest rate goes into the highest, at least once. Received: ratio={ratio!r}")
        self.cut = math.floor(round(steps * cut_fraction, 9))  # rounded first: 100 * 0.29 is a little below 29
        if self.cut < 1:
            raise ValueError(
                f"The rate needs at least one step to rise in. Received: steps={steps!r}, cut_fraction={cut_fraction!r}, which is less than one step. "
                "Train longer, or raise cut_fraction."
            )
        self.peak = peak
        self.steps = steps
        self.cut_fraction = cut_fraction
        self.ratio = ratio

    def __call__(self, step):
        t = keras.ops.cast(step, "float32")
        # p = t / cut up to the cut, 1 - (t - cut) / (T - cut) after it
        p = keras.ops.minimum(t / self.cut, 1 - (t - self.cut) / (self.steps - self.cut))
        # eta_t = eta_max (1 + p (ratio - 1)) / ratio
        return self.peak * (1 + keras.ops.maximum(p, 0) * (self.ratio - 1)) / self.ratio

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps, "cut_fraction": self.cut_fraction, "ratio": self.ratio}


def slanted_triangular(peak, steps, cut_fraction=0.1, ratio=32):
    r"""Makes a learning rate schedule that rises in a straight line to its peak, and falls in a longer one to where it began.

    $$\mathit{cut} = \lfloor T \cdot \mathit{cut\_frac} \rfloor, \qquad
    p = \begin{cases} t / \mathit{cut} & t < \mathit{cut} \\ 1 - \dfrac{t - \mathit{cut}}{T - \mathit{cut}} & \text{otherwise} \end{cases}, \qquad
    \eta_t = \eta_{\max} \, \frac{1 + p \, (\mathit{ratio} - 1)}{\mathit{ratio}}$$

    The short rise lets a pre-trained model find the region of the new task, the long fall settles it there. The paper writes
    $\mathit{cut} \, (1 / \mathit{cut\_frac} - 1)$ for $T - \mathit{cut}$: the same number where $T \cdot \mathit{cut\_frac}$ is whole, and elsewhere one that
    lets the rate fall below its lowest value before the end. After step $T$ the rate stays at its lowest.

    Args:
        peak: float, $\eta_{\max}$, the highest rate.
        steps: integer, T, the number of training steps: batches of an epoch times epochs.
        cut_fraction: float between 0 and 1, the part of the steps in which the rate rises. Defaults to `0.1`.
        ratio: number, how many times smaller the lowest rate is than the highest. Defaults to `32`.

    Returns:
        A `keras.optimizers.schedules.LearningRateSchedule`, for the `learning_rate` of any optimizer.

    Raises:
        ValueError: if a number is out of its range, or the rise is shorter than a step.

    Example:
        >>> schedule = slanted_triangular(peak=0.01, steps=1000)
        >>> [round(float(schedule(step)), 6) for step in (0, 100, 550, 1000)]
        [0.000312, 0.01, 0.005156, 0.000312]
        >>> optimizer = keras.optimizers.Adam(schedule)

    References:
        [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), equation 3.
    """
    return SlantedTriangular(peak, steps, cut_fraction, ratio)
