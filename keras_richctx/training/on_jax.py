"""What `fit` does differently on JAX."""

import contextlib
import types

import keras

from keras_richctx.training.changed import changed
from keras_richctx.training.devices import on_gpu

# XLA would copy the gradients that it sums at once into one array, and back out of it, in small portions: together that takes longer than it saves
SUMS_OF_GRADIENTS = {"xla_disable_hlo_passes": "all-reduce-contiguous", "xla_gpu_all_reduce_combine_threshold_bytes": 100 * 2**20}


@contextlib.contextmanager
def on_jax(model):
    """Has `keras.Model.fit` train a model on batches of any size on several devices, sum gradients in another way on several GPUs, and do less around a step.

    Args:
        model: a compiled `keras.Model`.
    """
    make_by_keras, hook_of_keras = model.make_train_function, model._setattr_hook

    def make_train_function(force=False):
        if (force or model.train_function is None) and can_sum_otherwise(model):
            model.train_function = step_on_gpus(model)
        else:
            make_by_keras(force)

    def untracked(name, value):
        # Keras looks through whatever a model is given, at each step through all arrays of its state, for layers and variables: not through a view of a dict
        return hook_of_keras(name, types.MappingProxyType(value) if name == "_jax_state" and isinstance(value, dict) else value)

    with changed(model, make_train_function=make_train_function, _setattr_hook=untracked), sharing_any_size():
        yield


def can_sum_otherwise(model):
    """Whether several GPUs share the batches of a model, in steps that Keras compiles."""
    several = isinstance(keras.distribution.distribution(), keras.distribution.DataParallel) and on_gpu()
    by_keras = type(model).make_train_function is keras.Model.make_train_function
    return several and by_keras and model.jit_compile and not model.run_eagerly and not keras.config.is_nnx_enabled()


def step_on_gpus(model):
    """Returns a model's training step for several GPUs, as Keras makes it but for how the gradients are summed."""
    import jax

    shardings = (None, model._get_state_sharding_spec())
    return model._make_function(jax.jit(model.train_step, donate_argnums=0, out_shardings=shardings, compiler_options=SUMS_OF_GRADIENTS))


def sharing_any_size():
    """Has Keras share batches of any size out to several devices, for a block: one that cannot be divided lies whole on each, which computes all of it."""
    import jax
    from keras.src.backend.jax import distribution_lib  # where Keras' trainer looks for the function; it has no public name

    by_keras = distribution_lib.distribute_data_input

    def share(batch, layout, batch_dim_name):
        sharding = getattr(layout, "backend_layout", layout)
        if sharding is not None and batch.ndim and batch.shape[0] % sharding.mesh.shape[batch_dim_name]:
            sharding = jax.sharding.NamedSharding(sharding.mesh, jax.sharding.PartitionSpec())
        return by_keras(batch, sharding, batch_dim_name)

    return changed(distribution_lib, distribute_data_input=share) if jax.process_count() == 1 else contextlib.nullcontext()
