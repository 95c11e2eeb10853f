"""The variables of a model and its optimizer as named arrays, and back."""

import contextlib
import itertools
import re

import keras


def named_variables(model):
    """Returns a dict of all that training changes: weights, the state of seed generators (dropout), and the optimizer's variables.

    Names are such as `"model/0003/sequential/dense/kernel"`: the owner, the place in its list and the variable's own path.
    """
    return {**_named("model", model.variables), **_named("optimizer", model.optimizer.variables)}


def named_metric_variables(model):
    """Returns a dict of the running sums from which the averages of an epoch are made."""
    return _named("metrics", model.metrics_variables)


def capture(variables):
    """Returns the values of a dict of variables as NumPy arrays."""
    return {name: keras.ops.convert_to_numpy(variable) for name, variable in variables.items()}


def difference(variables, arrays):
    """Returns what first differs between a dict of variables and saved arrays, in words, or `None`.

    The numbers that Keras appends to make a name unique are left out of the comparison: a model that is built twice in one session has others the second time.
    """
    for present, saved in itertools.zip_longest(variables.items(), arrays.items()):
        ours, theirs = _describe(present), _describe(saved)
        if _without_numbers(ours) != _without_numbers(theirs):
            return f"the model has {ours}, the checkpoint {theirs}"
    return None


def restore(variables, arrays):
    """Assigns saved arrays to the variables of the same place."""
    for variable, array in zip(variables.values(), arrays.values(), strict=True):
        variable.assign(array)


def build_by_tracing(model, batch_spec):
    """Makes every variable that training on batches of `batch_spec` uses, without running a step (TensorFlow).

    Keras on TensorFlow makes the variables of a metric, and of a model that does not know its input yet, in the first step; a checkpoint must fill them before.
    """
    import tensorflow as tf

    class Traced(Exception):
        """Ends the trace: `tf.function` would trace once more, now that all variables are there, and that is left to `keras.Model.fit`."""

    def step(batch):
        model.train_step(batch)
        raise Traced

    def tensor_spec(leaf):
        return tf.TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, keras.KerasTensor) else leaf

    with contextlib.suppress(Traced):
        tf.function(step, autograph=False).get_concrete_function(keras.tree.map_structure(tensor_spec, batch_spec))


def _named(owner, variables):
    return {f"{owner}/{index:04d}/{variable.path}": variable for index, variable in enumerate(variables)}


def _describe(item):
    """`dense/kernel of shape (4, 8)`, for a `(name, variable or array)`; `nothing more` for `None`."""
    if item is None:
        return "no further variable"
    name, value = item
    return f"{name.split('/', 2)[2]} of shape {tuple(value.shape)}"


def _without_numbers(description):
    return re.sub(r"_\d+(?=[_/ ]|$)", "", description)
