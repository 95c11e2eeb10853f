"""The step of `keras.Model.fit` and `evaluate` under a strategy of `tf.distribute`."""

import itertools
import math

import keras

from keras_richctx.training.pure_update import pure_update
from keras_richctx.training.read_ahead import ReadAhead, copy_to_replicas
from keras_richctx.training.replica_step import ReplicaStep
from keras_richctx.training.step_loop import are_alike, loop_over
from keras_richctx.training.wide_integers import narrow

BUCKET_BYTES = 64 * 2**20


class DistributedStep:
    """Runs a step on every replica of a strategy, and changes the model as one device would that had the whole batch.

    On each replica it is three programs, of XLA where the model is compiled so, with the reductions between them:

    1. the denominators of the losses and the number of rows, which are added over the replicas;
    2. forward and backward: the gradients, in few large buckets, are added over the replicas;
    3. the update, which every replica makes for itself, of the same gradients, and so to the same weights.

    On GPUs of one machine, under XLA, the three and the reductions are one program, and with `steps_per_execution` it is one for all of these steps. XLA has
    no reductions over parts of a processor, nor are those over several machines tried here; there the three are apart. On GPUs of one machine, batches are
    copied to them before they are asked for.

    Args:
        model: a `keras.Model`, built and compiled within the strategy's scope.
        wants_logs: boolean, whether the metrics are read after each step; if not, after an epoch only. Defaults to `True`.

    Raises:
        ValueError: if the model's step is not of this kind; see `ReplicaStep`.
    """

    def __init__(self, model, wants_logs=True):
        import tensorflow as tf

        self.tf = tf
        self.model = model
        self.strategy = model.distribute_strategy
        self.replicas = self.strategy.num_replicas_in_sync
        self.step = ReplicaStep(model, self.replicas)
        self.wants_logs = wants_logs
        self.devices = self.strategy.extended.worker_devices
        on_gpus = isinstance(self.strategy, tf.distribute.MirroredStrategy) and are_gpus(self.devices)
        self.is_one_program = on_gpus and bool(model.jit_compile)
        self.reads_ahead = on_gpus and not model.run_eagerly
        self._ahead = {}
        self._make_programs()

    def _make_programs(self):
        def program(function):
            return self.tf.function(function, jit_compile=self.model.jit_compile, reduce_retracing=True, autograph=False)

        self._denominators = program(self.step.denominators)
        self._gradients = program(self._loss_and_gradients)
        self._update = program(self._updated)
        self._evaluation = program(self.step.loss)

    def train_function(self, anew=False):
        """Returns what `keras.Model.fit` calls with an iterator over the replicas' batches, for one step.

        Args:
            anew: boolean, whether all is traced and compiled again, as where the optimizer has other weights to train. Defaults to `False`.
        """
        if anew:
            self._make_programs()
        return self._function(self._train_on_replica)

    def test_function(self):
        """Returns what `keras.Model.evaluate` calls so."""
        return self._function(self._test_on_replica)

    def _function(self, on_replica):
        run = self._compiled(on_replica) if self.is_one_program else self._one_after_the_other(on_replica)
        count = self.model.steps_per_execution

        def steps(batches):
            self.strategy.run(run, args=batches)
            return self.model.get_metrics_result() if self.wants_logs else {}

        def next_steps(iterator):
            return steps([next(iterator) for _ in range(count)])

        if self.model.run_eagerly:
            return next_steps
        if not self.reads_ahead:
            return self.tf.function(next_steps, autograph=False, reduce_retracing=True)
        compiled = self.tf.function(steps, autograph=False, reduce_retracing=True)
        ahead = self._ahead.setdefault(on_replica, ReadAhead(count, copy_to_replicas(self.strategy)))

        def take_steps(iterator):
            batches = ahead.take(iterator)
            if not batches:
                raise StopIteration
            return compiled(batches)

        return take_steps

    def close(self):
        """Drops what was read for calls to come."""
        for ahead in self._ahead.values():
            ahead.close()

    def _one_after_the_other(self, on_replica):
        def steps(*batches):
            for batch in batches:
                on_replica(narrow(batch))

        return steps

    def _compiled(self, on_replica):
        """Makes one program of the steps, for each replica its own, which holds that one's copies of the variables."""

        def steps(*batches):
            if len(batches) > 1 and are_alike(batches):
                loop_over(on_replica, batches)
            else:
                self._one_after_the_other(on_replica)(*batches)

        programs = [self.tf.function(steps, jit_compile=True, autograph=False, reduce_retracing=True) for _ in self.devices]

        def call(*batches):
            replica = int(self.tf.get_static_value(self._replica()))
            with self.tf.device(self.devices[replica]):
                programs[replica](*batches)

        return call

    def _train_on_replica(self, batch):
        model, optimizer = self.model, self.model.optimizer
        values, replica = self._values(), self._replica()
        totals, rows = self._totals(values, batch, replica, training=True)
        scale = optimizer.dynamic_scale.value if hasattr(optimizer, "dynamic_scale") else optimizer.loss_scale_factor
        loss, buckets, changed = self._gradients(values, batch, totals, replica, scale)
        buckets = self._sum_over_replicas(buckets)
        weights, of_optimizer = self._update(buckets, values["trainable"], self._read(optimizer.variables))
        self._assign(model.trainable_variables, weights)
        self._assign(optimizer.variables, of_optimizer)
        self._assign_non_trainable(changed["non_trainable"])
        self._measure(loss, changed, batch, rows)

    def _test_on_replica(self, batch):
        values, replica = self._values(), self._replica()
        totals, rows = self._totals(values, batch, replica, training=False)
        loss, changed = self._evaluation(values, batch, totals, replica, training=False)
        self._measure(loss, changed, batch, rows)

    def _totals(self, values, batch, replica, training):
        """Returns the denominators of the whole batch, and the number of its rows."""
        here = self._denominators(values, batch, replica, training=training)
        *totals, rows = self._sum_over_replicas([*here, self.tf.reduce_sum(batch["rows"])])
        return totals, rows

    def _loss_and_gradients(self, values, batch, totals, replica, scale):
        with self.tf.GradientTape() as tape:
            tape.watch(values["trainable"])
            loss, changed = self.step.loss(values, batch, totals, replica, training=True)
            # the mean over the replicas, and for float16 the factor that keeps small gradients from vanishing
            scaled = loss / self.replicas if scale is None else loss / self.replicas * scale
        gradients = tape.gradient(scaled, values["trainable"])
        self.connected = [gradient is not None for gradient in gradients]
        # an embedding's is sparse, and, where the length of the rows is not known beforehand, of no known shape
        dense = [self.tf.ensure_shape(gradient, value.shape) for gradient, value in zip(gradients, values["trainable"]) if gradient is not None]
        return loss, to_buckets(dense), changed

    def _updated(self, buckets, weights, of_optimizer):
        connected = [weight for weight, one in zip(weights, self.connected) if one]
        gradients = iter(from_buckets(buckets, connected))
        return pure_update(self.model.optimizer, of_optimizer, [next(gradients) if one else None for one in self.connected], weights)

    def _values(self):
        model = self.model
        return {"trainable": self._read(model.trainable_variables), "non_trainable": self._read(model.non_trainable_variables)}

    def _read(self, variables):
        return [self.tf.convert_to_tensor(variable.value) for variable in variables]

    def _replica(self):
        return self.tf.distribute.get_replica_context().replica_id_in_sync_group

    def _sum_over_replicas(self, tensors):
        if not tensors:
            return tensors
        context, add = self.tf.distribute.get_replica_context(), self.tf.distribute.ReduceOp.SUM
        return [context.all_reduce(add, tensor) for tensor in tensors] if self.is_one_program else context.all_reduce(add, tensors)

    def _assign(self, variables, values):
        """Gives this replica's copies their new values, which are the same on all."""
        for variable, value in zip(variables, values, strict=True):
            self._copy_of(variable).assign(self.tf.cast(value, variable.dtype))

    def _assign_non_trainable(self, changed):
        """Averages what the layers have measured over the replicas; counters and seeds are the same on all."""
        changed = [(self.model.non_trainable_variables[i], value) for i, value in changed.items()]
        measured = [keras.backend.is_float_dtype(variable.dtype) for variable, _ in changed]
        means = iter(self._sum_over_replicas([value / self.replicas for (_, value), one in zip(changed, measured) if one]))
        self._assign([variable for variable, _ in changed], [next(means) if one else value for (_, value), one in zip(changed, measured)])

    def _measure(self, loss, changed, batch, all_rows):
        """Adds this replica's part to the metrics; Keras sums their variables over the replicas when they are read."""
        model, rows = self.model, self.tf.reduce_sum(batch["rows"])
        # the mean over the replicas; like Keras, by rows for the whole and by batches for each output
        parts = [(model._loss_tracker, loss, all_rows, rows)]
        if model._compile_loss is not None:
            parts += [(tracker, value, 1.0, 1.0 / self.replicas) for tracker, value in zip(model._compile_loss.metrics, changed["each"])]
        for tracker, value, weight, share in parts:
            self._add([tracker.total, tracker.count], [value / self.replicas * self.tf.cast(weight, value.dtype), share])
        if model._compile_metrics is not None:
            self._add(model._compile_metrics.variables, changed["metrics"])

    def _add(self, variables, values):
        for variable, value in zip(variables, values, strict=True):
            self._copy_of(variable).assign_add(self.tf.cast(value, variable.dtype))

    def _copy_of(self, variable):
        """This replica's own copy of a variable; on a TPU the variable, where assigning within a replica means its copy."""
        if isinstance(self.strategy, self.tf.distribute.TPUStrategy):
            return variable.value
        copies = self.strategy.experimental_local_results(variable.value)
        return copies[int(self.tf.get_static_value(self._replica())) % len(copies)]


def are_gpus(devices):
    """Whether all of these names are of GPUs."""
    return all("GPU:" in device for device in devices)


def to_buckets(tensors):
    """Joins tensors into few flat ones of about `BUCKET_BYTES`, each of one dtype."""
    return [keras.ops.concatenate([keras.ops.reshape(tensors[i], (-1,)) for i in places]) for places in _places(tensors)]


def from_buckets(buckets, like):
    """Takes joined tensors apart again, into the shapes of those in `like`."""
    parts = []
    for bucket, places in zip(buckets, _places(like), strict=True):
        sizes = [math.prod(like[i].shape) for i in places]
        for i, size, end in zip(places, sizes, itertools.accumulate(sizes), strict=True):
            parts.append(keras.ops.reshape(bucket[end - size : end], like[i].shape))
    return parts


def _places(tensors):
    """Lists which tensors share a bucket: a list of lists of places, all in order."""
    buckets, size = [], 0
    for i, tensor in enumerate(tensors):
        if not buckets or size >= BUCKET_BYTES or tensors[i - 1].dtype != tensor.dtype:
            buckets.append([])
            size = 0
        buckets[-1].append(i)
        size += math.prod(tensor.shape) * tensor.dtype.size
    return buckets
