"""A mean over a batch that may lie on several devices."""

import contextlib
import contextvars

import keras

_PART = contextvars.ContextVar("part", default=None)


def batch_ratio(numerators, denominators):
    r"""Returns a sum over a batch divided by another one: the way to take a mean over its real positions.

    $$\frac{\sum_i n_i}{\sum_i d_i}$$

    On one device this is all that it does. Where `krc.training.fit` trains on several, each holds some rows, and the number of real positions differs from one
    to another: there the denominator is that of the whole batch, so that the mean over the devices is the ratio of the whole batch. (The mean of their own
    ratios is not.)

    Args:
        numerators: float tensor of shape `(B, ...)`.
        denominators: float tensor of shape `(B, ...)`, such as a mask or weights.

    Returns:
        A float tensor without axes; zero where the denominators sum to zero.

    Example:
        >>> float(krc.ops.batch_ratio(np.array([[2.0, 4.0], [6.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0]])))
        4.0
    """
    part = _PART.get()
    if part is None:
        return keras.ops.divide_no_nan(keras.ops.sum(numerators), keras.ops.sum(denominators))
    return part.ratio(numerators, denominators)


def batch_sum(values):
    """Returns the sum of a batch, such that the mean over the devices that share a batch is the sum of the whole; see `batch_ratio`.

    Args:
        values: float tensor of shape `(B, ...)`.

    Returns:
        A float tensor without axes.

    Example:
        >>> float(krc.ops.batch_sum(np.array([2.0, 4.0])))
        6.0
    """
    part = _PART.get()
    return keras.ops.sum(values) if part is None else part.parts * part.sum(values)


class BatchPart(contextlib.AbstractContextManager):
    """The part of a batch that a device holds: inside the `with` block, `batch_ratio` divides by what the parts hold together.

    It is used twice: first without `totals`, to learn the `sums` of the denominators here, then, once these have been added over all devices, with them.

    Args:
        rows: float tensor of shape `(B,)`, 1 for a row of the batch and 0 for one that fills up the part; such rows count nowhere.
        parts: integer, the number of parts.
        totals: list of the denominators of the whole batch, in the order in which `batch_ratio` asks for them, or `None`.

    Attributes:
        sums: list of tensors, the denominators of this part.
    """

    def __init__(self, rows, parts, totals=None):
        self.rows = rows
        self.parts = parts
        self.totals = totals
        self.sums = []

    def __enter__(self):
        self._token = _PART.set(self)
        return self

    def __exit__(self, *exception):
        _PART.reset(self._token)

    def ratio(self, numerators, denominators):
        """Returns the numerators' sum over the denominators' total, times the number of parts: the mean over the parts is the whole batch's ratio."""
        here = self.sum(denominators)
        total = here if self.totals is None else self.totals[len(self.sums)]
        self.sums.append(here)
        return self.parts * keras.ops.divide_no_nan(self.sum(numerators), keras.ops.cast(total, here.dtype))

    def sum(self, values):
        """Returns the sum over the rows of the batch."""
        rows = keras.ops.reshape(keras.ops.cast(self.rows, values.dtype), (-1,) + (1,) * (len(values.shape) - 1))  # (B, 1, ...)
        return keras.ops.sum(values * rows)
