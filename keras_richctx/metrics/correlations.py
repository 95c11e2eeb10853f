"""Three correlations: of classes, of numbers, and of their ranks."""

import numpy as np


def matthews(predictions, labels):
    r"""Computes Matthews' correlation of predicted and true classes, the measure of CoLA.

    $$\phi = \frac{tp \cdot tn - fp \cdot fn}{\sqrt{(tp + fp)(tp + fn)(tn + fp)(tn + fn)}}$$

    for two classes, and its extension to more. It is 0 for guesses whatever the shares of the classes, and where all predictions or all labels are the same.

    Args:
        predictions: list or array of N classes.
        labels: list or array of N classes.

    Returns:
        A float from -1 to 1.

    Raises:
        ValueError: if the two are not as many, or none.

    Example:
        >>> round(matthews([1, 1, 0, 0], [1, 0, 0, 0]), 4)
        0.5774

    References:
        [Matthews, 1975](https://doi.org/10.1016/0005-2795(75)90109-9).
    """
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(*_pair(labels, predictions)))


def pearson(predictions, labels):
    r"""Computes the linear correlation of two rows of numbers.

    $$r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}{\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}$$

    Args:
        predictions: list or array of N numbers.
        labels: list or array of N numbers.

    Returns:
        A float from -1 to 1; NaN, with SciPy's warning, where all of one row are equal.

    Raises:
        ValueError: if the two are not as many, or fewer than two.

    Example:
        >>> round(pearson([1.0, 2.0, 4.0], [2.0, 4.0, 8.0]), 4)
        1.0
    """
    from scipy.stats import pearsonr

    return float(pearsonr(*_pair(predictions, labels, least=2)).statistic)


def spearman(predictions, labels):
    """Computes the rank correlation of two rows of numbers: `pearson` of their ranks, where equals share the mean of theirs.

    Args:
        predictions: list or array of N numbers.
        labels: list or array of N numbers.

    Returns:
        A float from -1 to 1; NaN, with SciPy's warning, where all of one row are equal.

    Raises:
        ValueError: if the two are not as many, or fewer than two.

    Example:
        >>> round(spearman([1.0, 2.0, 40.0], [2.0, 4.0, 8.0]), 4)
        1.0
    """
    from scipy.stats import spearmanr

    return float(spearmanr(*_pair(predictions, labels, least=2)).statistic)


def _pair(first, second, least=1):
    """Returns two arrays of rank 1, or raises where they do not correspond."""
    first, second = np.asarray(first), np.asarray(second)
    if first.ndim != 1 or first.shape != second.shape or len(first) < least:
        raise ValueError(f"There is one prediction for each label, of at least {least}. Received: shapes {first.shape} and {second.shape}")
    return first, second
