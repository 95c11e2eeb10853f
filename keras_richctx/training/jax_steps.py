"""Training steps on JAX that nothing waits for."""

import contextlib
import types

import keras

from keras_richctx.training.after_steps import is_called_after_steps
from keras_richctx.training.changed import changed
from keras_richctx.training.devices import on_gpu

# XLA would copy the gradients that it sums at once into one array, and back out of it, in small portions: together that takes longer than it saves
SUMS_OF_GRADIENTS = {"xla_disable_hlo_passes": "all-reduce-contiguous", "xla_gpu_all_reduce_combine_threshold_bytes": 100 * 2**20}


class Unread(dict):
    """No metrics, in the place of those of a step, that Keras would make numbers of."""

    def __init__(self, logs):
        super().__init__()
        self.logs = logs


class JaxSteps:
    """What `keras.Model.fit` calls for a step on JAX: the function that Keras made, with less around it.

    Keras makes numbers of the metrics after each step; here they are read at the end of an epoch. And to several devices Keras sends a batch when the step
    before has been given to them. JAX copies it when that is done, so that the devices are idle for as long. Here it is sent one step earlier, as Keras does
    on one device.

    Args:
        by_keras: function of the state and an iterator that returns the metrics and the next state.
        wants_logs: boolean, whether the metrics are read after each step.
        one_ahead: boolean, whether to take each batch from the iterator one step before it is trained on.
    """

    def __init__(self, by_keras, wants_logs, one_ahead):
        self.by_keras = by_keras
        self.wants_logs = wants_logs
        self.one_ahead = one_ahead
        self._iterator = self._batches = None

    def __call__(self, state, iterator):
        if self._iterator is not iterator:  # a new one in each epoch that has an end
            self._iterator, self._batches = iterator, one_ahead(iterator) if self.one_ahead else iterator
        logs, state = self.by_keras(state, self._batches)
        return (logs if self.wants_logs else Unread(logs)), state


def step_on_several(model):
    """Returns a model's training step for several GPUs, as Keras makes it but for how the gradients are summed."""
    import jax

    shardings = (None, model._get_state_sharding_spec())
    return model._make_function(jax.jit(model.train_step, donate_argnums=0, out_shardings=shardings, compiler_options=SUMS_OF_GRADIENTS))


def one_ahead(iterator):
    """Yields the items of an iterator, each after the next one has been taken."""
    for item in iterator:
        for following in iterator:
            yield item
            item = following
        yield item


def sharing_any_size():
    """Has Keras share batches of any size out to several devices, for a block: one that cannot be divided lies whole on each, which computes all of it."""
    import jax
    from keras.src.backend.jax import distribution_lib  # where Keras' trainer looks for the function; it has no public name

    by_keras = distribution_lib.distribute_data_input

    def share(batch, layout, batch_dim_name):
        sharding = getattr(layout, "backend_layout", layout)
        if batch.shape[0] % sharding.mesh.shape[batch_dim_name]:
            sharding = jax.sharding.NamedSharding(sharding.mesh, jax.sharding.PartitionSpec())
        return by_keras(batch, sharding, batch_dim_name)

    return changed(distribution_lib, distribute_data_input=share) if jax.process_count() == 1 else contextlib.nullcontext()


@contextlib.contextmanager
def eased(model, callbacks):
    """Has `keras.Model.fit` take the steps of `JaxSteps`, for a block, on batches of any size.

    Args:
        model: a `keras.Model`, on JAX.
        callbacks: list of `keras.callbacks.Callback`; the metrics are read after each step if one of them is called then.
    """
    make_by_keras, hook_of_keras, metrics_by_keras = model.make_train_function, model._setattr_hook, model._get_metrics_result_or_logs
    wants_logs = any(map(is_called_after_steps, callbacks))
    several = keras.distribution.distribution() is not None and on_gpu()  # on a processor nothing is copied, and XLA sums otherwise

    def make_train_function(force=False):
        if model.train_function is None and several and model.jit_compile and not (model.run_eagerly or keras.config.is_nnx_enabled()):
            model.train_function = step_on_several(model)
        make_by_keras(force)
        by_keras = model.train_function.by_keras if isinstance(model.train_function, JaxSteps) else model.train_function
        model.train_function = JaxSteps(by_keras, wants_logs, several)

    def untracked(name, value):
        # Keras looks through whatever a model is given, at each step through all arrays of its state, for layers and variables: not through a view of a dict
        return hook_of_keras(name, types.MappingProxyType(value) if name == "_jax_state" and isinstance(value, dict) else value)

    def metrics_of_epoch(logs):
        return metrics_by_keras(getattr(logs, "logs", logs))

    eased_parts = {"make_train_function": make_train_function, "_setattr_hook": untracked, "_get_metrics_result_or_logs": metrics_of_epoch}
    try:
        with changed(model, **eased_parts), sharing_any_size():
            yield
    finally:
        if isinstance(model.train_function, JaxSteps):
            model.train_function = model.train_function.by_keras
