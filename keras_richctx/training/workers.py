"""The machines of a run, and what they have to agree on."""

import functools

import keras


class Workers:
    """The workers that train a model together, one process each; of one process alone where there is no `MultiWorkerMirroredStrategy`.

    What is done at a step has to be done by all at the same one, since each step waits for all. What one of them alone would decide by its own clock, its own
    signals or its own random numbers is therefore asked of all.

    Args:
        model: a `keras.Model`.

    Attributes:
        count: integer, the number of workers.
        is_chief: boolean, whether this one writes the checkpoints and shows the progress.
    """

    def __init__(self, model):
        self.count, self.is_chief = 1, True
        if keras.backend.backend() != "tensorflow":
            return
        import tensorflow as tf

        self._strategy = model.distribute_strategy
        if isinstance(self._strategy, tf.distribute.MultiWorkerMirroredStrategy):
            resolver = self._strategy.cluster_resolver
            self.count = sum(len(tasks) for tasks in resolver.cluster_spec().as_dict().values())
            first = "chief" if "chief" in resolver.cluster_spec().as_dict() else "worker"
            self.is_chief = (resolver.task_type, resolver.task_id) == (first, 0)

    def sum(self, number):
        """Returns the sum of an integer of each worker. All of them have to call it at the same place."""
        return number if self.count == 1 else int(self._summing(number))

    def any(self, flag):
        """Returns whether a flag is true for any of the workers; likewise for all to call."""
        return bool(flag) if self.count == 1 else self.sum(int(bool(flag))) > 0

    def chief_s(self, number):
        """Returns the chief's integer, from zero to 2³¹ - 1; likewise for all to call."""
        return self.sum(number if self.is_chief else 0)

    @functools.cached_property
    def _summing(self):
        import tensorflow as tf

        strategy, replicas = self._strategy, self._strategy.num_replicas_in_sync // self.count

        @tf.function(autograph=False)
        def added(number):
            def on_replica():
                context = tf.distribute.get_replica_context()
                here = context.replica_id_in_sync_group % replicas == 0  # one replica speaks for its worker
                return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.where(here, number, 0))

            return strategy.experimental_local_results(strategy.run(on_replica))[0]

        return lambda number: added(tf.constant(number, "int64"))


class Agreement(keras.callbacks.Callback):
    """Ends training on all workers after the step at which a callback of one of them has asked for it, such as a limit of time."""

    reads_metrics_of_steps = False

    def __init__(self, workers):
        super().__init__()
        self.workers = workers

    def on_train_batch_end(self, batch, logs=None):
        if self.workers.any(self.model.stop_training) and not self.model.stop_training:
            self.model.stop_training = True
