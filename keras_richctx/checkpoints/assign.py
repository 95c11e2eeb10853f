"""Puts the arrays of a checkpoint into variables: all of them, or none."""

import fnmatch

import keras
import numpy as np


def assign(targets, source, ignored=(), variables=()):
    """Assigns arrays to variables, strictly: what is left over on either side, or does not fit, is an error, and then no variable has changed.

    All arrays are read and checked before the first is assigned, so the checkpoint is once in memory beside the model.

    Args:
        targets: dictionary from names in `source` to where the array goes: a variable; a pair `(variable, transform)`, where `transform` is a function from the
            array to one of the variable's shape; or a list of these, for an array that is cut into several variables.
        source: mapping from names to NumPy arrays, such as `read_safetensors` returns.
        ignored: sequence of patterns, as of `fnmatch`, for the names in `source` that may be left over, such as `"*/adam_m"`. Case counts.
        variables: sequence of variables that must all be assigned, such as `model.weights`; empty for just those of `targets`.

    Raises:
        TypeError: if `ignored` is one string.
        ValueError: if a name is missing in `source`, a name there is neither used nor ignored, a shape or type does not fit, or a variable is assigned twice or
            not at all. The message lists up to ten of each kind.

    Example:
        >>> dense = keras.layers.Dense(3)
        >>> dense.build((None, 2))
        >>> source = {"fc.weight": np.ones((3, 2)), "fc.bias": np.zeros(3), "step": np.array(7)}
        >>> assign({"fc.weight": (dense.kernel, np.transpose), "fc.bias": dense.bias}, source, ignored=["step"])
        >>> float(dense.kernel[1, 2])
        1.0
    """
    if isinstance(ignored, str):
        raise TypeError(f"ignored is a sequence of patterns. Received: ignored={ignored!r}; pass [{ignored!r}]")
    targets = {name: _pairs(value) for name, value in targets.items()}
    aims = [variable for pairs in targets.values() for variable, _ in pairs]
    times = {id(variable): sum(aim is variable for aim in aims) for variable in aims}
    wrong, ready = [], []
    for name in [name for name in targets if name in source]:
        array = np.asarray(source[name])
        for variable, transform in targets[name]:
            value, complaint = _prepare(array, variable, transform)
            ready.append((variable, value))
            wrong += [f"{name} {complaint}"] if complaint else []
    _raise_any(
        source,
        {
            "missing in the source": [f"{name} (for {', '.join(v.path for v, _ in pairs)})" for name, pairs in targets.items() if name not in source],
            "in the source, and neither used nor ignored": [
                name for name in source if name not in targets and not any(fnmatch.fnmatchcase(name, pattern) for pattern in ignored)
            ],
            "of a shape or type that does not fit": wrong,
            "assigned more than once": sorted({variable.path for variable in aims if times[id(variable)] > 1}),
            "not assigned at all": [variable.path for variable in variables if id(variable) not in times],
        },
    )
    while ready:
        variable, value = ready.pop()  # its memory is free once assigned
        variable.assign(value)


def _pairs(value):
    """Returns a target as a list of pairs of a variable and a function or `None`."""
    return [pair if isinstance(pair, tuple) else (pair, None) for pair in (value if isinstance(value, list) else [value])]


def _prepare(array, variable, transform):
    """Returns what is to be assigned, and what is wrong with it or `None`."""
    try:
        value = array if transform is None else np.asarray(transform(array))
    except (ValueError, IndexError) as error:  # NumPy's, where the shape is not what the transform wants
        return None, f"{array.shape} cannot be turned into {tuple(variable.shape)} of {variable.path}: {error}"
    wanted, dtype = tuple(variable.shape), keras.backend.standardize_dtype(variable.dtype)
    if value.shape != wanted:
        return None, f"{array.shape} gives {value.shape}, and {variable.path} is {wanted}"
    if value.dtype.kind not in "biufV" or (value.dtype.kind in "fV" and "float" not in dtype):
        return None, f"is of dtype {value.dtype}, and {variable.path} of {dtype}"
    return value, None


def _raise_any(source, kinds):
    """Raises one error with all kinds of offenders, if there are any."""
    lines = [f"{len(found)} {kind}: {', '.join(found[:10])}{', ...' if len(found) > 10 else ''}" for kind, found in kinds.items() if found]
    if lines:
        received = repr(source) if not isinstance(source, dict) else f"a dictionary of {len(source)} arrays"
        raise ValueError("\n  ".join([f"The weights do not fit the model, and none was assigned. Received: source={received}, with", *lines]))
