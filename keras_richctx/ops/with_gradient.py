"""A function together with its derivative, where the derivative that a backend would find costs more than it has to."""

import keras


def with_gradient(forward, backward, save=True):
    r"""Joins a function to its gradient, on every backend.

    What a backend differentiates by itself it differentiates step by step. Where the whole has a shorter derivative than its steps, this says so: $y = f(x)$
    goes forward as `forward`, and $\partial L / \partial x$ comes from `backward` when $\partial L / \partial y$ is known. XLA compiles both; a derivative of
    the derivative is that of `backward`, but not on PyTorch.

    Args:
        forward: function `(*tensors, **constants, save) -> (output, saved)`: one tensor, and a nest of what the derivative needs of the way, which is not
            looked at where `save` is `False`.
        backward: function `(saved, upstream, *tensors, **constants) -> gradients`: from $\partial L / \partial y$, of the output's shape, a tuple with one
            gradient for each of the tensors.
        save: boolean, whether to keep what the derivative needs. Without, a derivative costs the way forward once more, and its absence nothing. Defaults to
            `True`.

    Returns:
        A function `(*tensors, **constants) -> output`. The constants are float tensors that have no derivative, or `None`.

    Example:
        >>> cube = with_gradient(lambda x, save: (x**3, x**2), lambda squared, upstream, x: (upstream * 3 * squared,))
        >>> x = keras.Variable(2.0)
        >>> float(cube(x.value)), [float(g) for g in krc.training.gradients(lambda: cube(x.value), [x])]
        (8.0, [12.0])
    """

    def joined(*tensors, **constants):
        names = [name for name, constant in constants.items() if constant is not None]
        count = len(tensors)

        @keras.ops.custom_gradient
        def run(*everything):  # all tensors as arguments: what a function closes over cannot be traced on JAX
            given = {**constants, **dict(zip(names, everything[count:]))}
            output, saved = forward(*everything[:count], **given, save=save)

            def gradient(*arguments, upstream=None):
                # TensorFlow and JAX pass the upstream gradient alone, PyTorch the tensors before it
                upstream = arguments[0] if upstream is None else upstream
                way = saved if save else forward(*everything[:count], **given, save=True)[1]
                gradients = backward(way, upstream, *everything[:count], **given)
                gradients = (*gradients, *(keras.ops.zeros_like(constant) for constant in everything[count:]))
                return gradients if len(gradients) > 1 else gradients[0]

            return output, gradient

        return run(*tensors, *(constants[name] for name in names))

    return joined
