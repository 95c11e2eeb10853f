"""Derivatives, on whatever backend runs."""

import keras


def gradients(function, variables):
    r"""Computes $\partial f / \partial v$ of a function without arguments that gives a scalar.

    For looking at derivatives: it fetches them as arrays, and compiles nothing. `fit` does not use it.

    Args:
        function: function without arguments that gives a tensor of rank 0; it reads the variables through `variable.value` or in layers.
        variables: list of `keras.Variable`.

    Returns:
        A list of NumPy arrays of the shapes of the variables; zeros for one that the function does not depend on.

    Example:
        >>> x = keras.Variable([1.0, 2.0])
        >>> gradients(lambda: keras.ops.sum(x.value**2), [x])
        [array([2., 4.], dtype=float32)]
    """
    found = {"tensorflow": _on_tensorflow, "jax": _on_jax, "torch": _on_torch}[keras.backend.backend()](function, variables)
    return [keras.ops.convert_to_numpy(gradient if gradient is not None else keras.ops.zeros_like(v)) for v, gradient in zip(variables, found)]


def _on_tensorflow(function, variables):
    import tensorflow as tf

    with tf.GradientTape(watch_accessed_variables=False) as tape:
        values = [variable.value for variable in variables]
        tape.watch(values)
        scalar = function()
    return [None if gradient is None else tf.convert_to_tensor(gradient) for gradient in tape.gradient(scalar, values)]


def _on_jax(function, variables):
    import jax

    def of_values(values):
        with keras.StatelessScope(state_mapping=list(zip(variables, values))):
            return function()

    return jax.grad(of_values)([variable.value for variable in variables])


def _on_torch(function, variables):
    import torch

    return torch.autograd.grad(function(), [variable.value for variable in variables], allow_unused=True)
