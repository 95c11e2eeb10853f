"""The step of an optimizer as a pure function, on TensorFlow too."""

import contextlib
import functools

import keras
from keras.src.optimizers.base_optimizer import BaseOptimizer  # Keras has no public name for what all backends share

from keras_richctx.training.changed import changed

_TENSORFLOW_S_OWN = (
    "_apply_weight_decay",
    "_backend_increment_gradient_accumulators",
    "_backend_update_step",
    "_clip_by_norm",
    "_overwrite_model_variables_with_average_value",
    "assign",
    "assign_add",
    "assign_sub",
    "stateless_apply",
)


def pure_update(optimizer, optimizer_values, gradients, trainable_values):
    """Returns what the optimizer makes of its variables and of the weights, and changes none of them.

    It is `optimizer.stateless_apply`, which Keras has on JAX and refuses on TensorFlow, where its optimizers reduce the gradients of several devices
    themselves, after they have clipped them: here the gradients are those of the whole batch before anything is done with them. Clipping, weight decay,
    accumulation of gradients, moving averages and the loss scale of float16 are Keras' own.

    Args:
        optimizer: a built `keras.optimizers.Optimizer`.
        optimizer_values: list of tensors, the values of `optimizer.variables`.
        gradients: list of tensors or `None`, one for each trainable variable.
        trainable_values: list of tensors, the weights.

    Returns:
        Two lists of tensors, the new weights and the new values of the optimizer's variables.
    """
    with contextlib.ExitStack() as stack:
        for one in filter(None, (optimizer, getattr(optimizer, "inner_optimizer", None))):
            stack.enter_context(_backend_free(one))
        return optimizer.stateless_apply(optimizer_values, gradients, trainable_values)


def _backend_free(optimizer):
    """Gives an optimizer the methods of Keras' base class, that change variables only through Keras, in the place of TensorFlow's, for a block."""
    if keras.backend.backend() != "tensorflow":
        return contextlib.nullcontext()
    from keras.src.backend.tensorflow.optimizer import TFOptimizer

    keys = {id(variable): optimizer._var_key(variable) for variable in optimizer._trainable_variables}
    # a subclass of its own keeps its method
    replaced = [name for name in _TENSORFLOW_S_OWN if getattr(type(optimizer), name) is getattr(TFOptimizer, name)]
    methods = {name: getattr(BaseOptimizer, name).__get__(optimizer) for name in replaced}
    methods["_var_key"] = lambda variable: keys[id(variable)]
    methods["_backend_apply_gradients"] = functools.partial(_apply_gradients, optimizer)
    return changed(optimizer, **methods)


def _apply_gradients(optimizer, gradients, variables):
    """Keras' method of this name; where that assigns variables in the branches of a condition, both outcomes are computed here, and one is chosen."""

    def update(gradients):
        gradients = optimizer._clip_gradients(gradients)
        optimizer._apply_weight_decay(variables)
        optimizer._backend_update_step(gradients, variables, optimizer.learning_rate)

    steps = optimizer.gradient_accumulation_steps
    if steps:
        sums = [optimizer._accumulated_gradients[optimizer._get_variable_index(variable)] for variable in variables]

        def update_by_mean():
            update([(gradient + so_far) / steps for gradient, so_far in zip(gradients, sums)])
            optimizer._backend_reset_gradient_accumulators()

        def collect():
            optimizer._backend_increment_gradient_accumulators(gradients, sums)

        _choose(optimizer, (optimizer._iterations + 1) % steps == 0, update_by_mean, collect)
    else:
        update(gradients)
    if optimizer.use_ema:
        averaged = optimizer._trainable_variables
        optimizer._update_model_variables_moving_average(averaged)
        if optimizer.ema_overwrite_frequency:
            now = (optimizer.iterations + 1) % optimizer.ema_overwrite_frequency == 0
            _choose(optimizer, now, lambda: optimizer._overwrite_model_variables_with_average_value(averaged), lambda: None)


def _choose(optimizer, condition, if_true, if_false):
    """Assigns what one of two functions assigns."""
    variables = [*optimizer._trainable_variables, *optimizer.variables]
    outcomes = []
    for function in (if_true, if_false):
        with keras.StatelessScope(state_mapping=[(variable, variable.value) for variable in variables]) as scope:
            function()
        outcomes.append([scope.get_current_value(variable) for variable in variables])
    for variable, one, other in zip(variables, *outcomes):
        if one is not other:
            variable.assign(keras.ops.where(condition, one, other))
