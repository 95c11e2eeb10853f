"""Precision, recall and F1 from counts, by kind, micro and macro."""


def f_measure(predicted, gold, right):
    r"""Computes $P$, $R$ and $F_1 = 2 P R / (P + R)$ from counts; a quotient over nothing is 0.

    Args:
        predicted: integer, how many were predicted.
        gold: integer, how many there are.
        right: integer, how many of the predicted ones are there.

    Returns:
        A dict of `"precision"`, `"recall"` and `"f1"`, floats from 0 to 1.

    Example:
        >>> f_measure(predicted=4, gold=2, right=1)
        {'precision': 0.25, 'recall': 0.5, 'f1': 0.3333333333333333}
    """
    # 2 P R / (P + R) = 2 right / (predicted + gold)
    return {
        "precision": right / predicted if predicted else 0.0,
        "recall": right / gold if gold else 0.0,
        "f1": 2 * right / (predicted + gold) if predicted + gold else 0.0,
    }


def f_measures(counts, name):
    """Computes the measures of each kind, of all together (micro), and their means (macro).

    Args:
        counts: dict from a kind to a dict of the integers `"predicted"`, `"gold"` and `"right"`.
        name: string, the key of the kinds in the result.

    Returns:
        A dict of the three measures, micro; of `"macro"`, a dict of them; and of `name`, a dict from each kind to its measures and counts.
    """
    kinds = {kind: {**f_measure(**counts[kind]), **counts[kind]} for kind in sorted(counts)}
    total = {key: sum(count[key] for count in counts.values()) for key in ("predicted", "gold", "right")}
    macro = {key: sum(each[key] for each in kinds.values()) / len(kinds) if kinds else 0.0 for key in ("precision", "recall", "f1")}
    return {**f_measure(**total), "macro": macro, name: kinds}
