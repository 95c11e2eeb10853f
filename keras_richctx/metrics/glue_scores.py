"""The measures of the GLUE tasks."""

import numpy as np

from keras_richctx.metrics.correlations import matthews, pearson, spearman

TASKS = {
    "cola": ("matthews",),
    "sst-2": ("accuracy",),
    "mrpc": ("accuracy", "f1"),
    "sts-b": ("pearson", "spearman"),
    "qqp": ("accuracy", "f1"),
    "mnli-m": ("accuracy",),
    "mnli-mm": ("accuracy",),
    "qnli": ("accuracy",),
    "rte": ("accuracy",),
    "wnli": ("accuracy",),
}


def glue_scores(task, predictions, labels):
    """Computes the measures that GLUE has for a task.

    Args:
        task: string, a name of `keras_richctx.datasets`, in either case: `"cola"` (Matthews' correlation), `"sst-2"`, `"mnli-m"`, `"mnli-mm"`, `"qnli"`,
            `"rte"`, `"wnli"` (accuracy), `"mrpc"`, `"qqp"` (accuracy and the F1 of class 1) or `"sts-b"` (Pearson's and Spearman's correlation).
        predictions: list or array of N integers, the ids of classes; of N numbers for STS-B.
        labels: list or array of the same.

    Returns:
        A dict from the name of each measure to a float, at most 1: GLUE's tables have a hundred times as much.

    Raises:
        ValueError: if there is no such task, the two are not as many, or classes are no integers.

    Example:
        >>> glue_scores("MRPC", [1, 1, 0, 1], [1, 0, 0, 1])
        {'accuracy': 0.75, 'f1': 0.8}

    References:
        [Wang et al., 2019](https://arxiv.org/abs/1804.07461), table 1.
    """
    from sklearn.metrics import accuracy_score, f1_score

    if task.lower() not in TASKS:
        raise ValueError(f"The tasks are {', '.join(TASKS)}. Received: task={task!r}")
    predictions, labels = np.asarray(predictions), np.asarray(labels)
    if predictions.shape != labels.shape or predictions.ndim != 1 or not len(labels):
        raise ValueError(f"There is one prediction for each label. Received: shapes {predictions.shape} and {labels.shape}")
    if task.lower() != "sts-b" and not (np.issubdtype(predictions.dtype, np.integer) and np.issubdtype(labels.dtype, np.integer)):
        raise ValueError(f"Classes are integers, their ids. Received: predictions of {predictions.dtype}, labels of {labels.dtype}")
    measures = {
        "accuracy": lambda: accuracy_score(labels, predictions),
        "f1": lambda: f1_score(labels, predictions, zero_division=0.0),
        "matthews": lambda: matthews(predictions, labels),
        "pearson": lambda: pearson(predictions, labels),
        "spearman": lambda: spearman(predictions, labels),
    }
    return {name: float(measures[name]()) for name in TASKS[task.lower()]}
