"""The last part of arrays, kept for validation."""

import keras


def hold_out(arrays, fraction):
    """Splits arrays into a first part and a last part of `fraction` of the examples, as `validation_split` of `keras.Model.fit` does.

    Args:
        arrays: nest of arrays or tensors of the same first dimension; `None` stays `None`.
        fraction: float between 0 and 1.

    Returns:
        Two nests, the examples to train on and those held out.

    Raises:
        ValueError: if something is not an array, or if a part would be empty.
    """
    leaves = [leaf for leaf in keras.tree.flatten(arrays) if leaf is not None]
    if not all(hasattr(leaf, "shape") and hasattr(leaf, "__getitem__") for leaf in leaves):
        kinds = ", ".join(sorted({type(leaf).__name__ for leaf in leaves}))
        raise ValueError(
            f"Only arrays can be split. Received: validation_split={fraction} with data of type {kinds}. Split it before, and pass validation_data."
        )
    size = leaves[0].shape[0]
    first = int(size * (1 - fraction))
    if not 0 < first < size:
        raise ValueError(f"Each part of a split needs an example. Received: validation_split={fraction} of {size} examples.")

    def part(rows):
        return keras.tree.map_structure(lambda leaf: None if leaf is None else leaf[rows], arrays)

    return part(slice(None, first)), part(slice(first, None))
