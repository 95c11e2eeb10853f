"""Which task trains next."""

import numpy as np

KINDS = ("proportional", "temperature", "round_robin")


class TaskSampler:
    r"""Decides how often each of several tasks trains, by the sizes of their data.

    $$p_k = \frac{n_k^{1/\tau}}{\sum_j n_j^{1/\tau}}$$

    - `"proportional"`, $\tau = 1$: each as often as it has batches. A small task is hardly seen beside a large one.
    - `"temperature"`: in between. The higher $\tau$ is, the more alike are the shares.
    - `"round_robin"`: one after the other, all alike, in a fixed order. A small task is repeated many times while a large one is read once.

    The shares are kept to within a batch in each pass, in an order that is drawn; nothing but the order is left to chance.

    Args:
        kind: string, one of the three. Defaults to `"proportional"`.
        temperature: float, $\tau$ of `"temperature"`, 1 at least. Defaults to `5.0`.

    Raises:
        ValueError: if the kind is unknown, or the temperature below 1.

    Example:
        >>> TaskSampler("temperature", temperature=2.0).shares([900, 100]).round(2)
        array([0.75, 0.25])
        >>> TaskSampler("round_robin").order([900, 100], steps=5)
        array([0, 1, 0, 1, 0])

    References:
        [Sanh et al., 2019](https://arxiv.org/abs/1811.06031); [Raffel et al., 2020](https://arxiv.org/abs/1910.10683), section 3.5.2;
        [Søgaard and Goldberg, 2016](https://aclanthology.org/P16-2038/).
    """

    def __init__(self, kind="proportional", temperature=5.0):
        if kind not in KINDS:
            raise ValueError(f"Tasks are sampled {', '.join(KINDS)}. Received: kind={kind!r}")
        if not temperature >= 1:
            raise ValueError(f"A temperature below 1 would favour large tasks beyond their size; it is 1 at least. Received: temperature={temperature!r}")
        self.kind = kind
        self.temperature = temperature

    def shares(self, sizes):
        """Returns the share of the steps that each task gets.

        Args:
            sizes: list of K positive numbers.

        Returns:
            A float array of shape `(K,)`, which sums to 1.
        """
        sizes = np.asarray(sizes, "float64")
        if sizes.ndim != 1 or not sizes.size or not (sizes > 0).all():
            raise ValueError(f"Each task has data. Received: sizes={sizes.tolist()}")
        # p_k = n_k^(1 / tau) / sum_j n_j^(1 / tau)
        powers = {"proportional": sizes, "temperature": sizes ** (1 / self.temperature), "round_robin": np.ones_like(sizes)}[self.kind]
        return powers / powers.sum()

    def order(self, sizes, steps, seed=0):
        """Returns which task each step of a pass is of.

        Args:
            sizes: list of K positive numbers.
            steps: integer.
            seed: what `numpy.random.default_rng` takes. Defaults to `0`.

        Returns:
            An integer array of shape `(steps,)`, from 0 to K - 1.
        """
        shares = self.shares(sizes)
        if self.kind == "round_robin":
            return np.arange(steps) % len(shares)
        exact = shares * steps
        counts = np.floor(exact).astype(int)
        counts[np.argsort(counts - exact, kind="stable")[: steps - counts.sum()]] += 1  # the largest remainders
        return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(shares)), counts))

    def __repr__(self):
        return f"TaskSampler({self.kind!r}" + (f", temperature={self.temperature})" if self.kind == "temperature" else ")")
