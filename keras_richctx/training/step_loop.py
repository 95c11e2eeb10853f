"""One training step or several as one program of XLA: whether, and how on TensorFlow."""

import contextlib
import functools
import itertools

import keras

from keras_richctx.training.after_steps import is_called_after_steps, metrics_of_epochs
from keras_richctx.training.changed import changed
from keras_richctx.training.read_ahead import ReadAhead, copy_to
from keras_richctx.training.wide_integers import narrow, widened


class StepLoop:
    """What `keras.Model.fit` calls for `steps_per_execution` steps: one XLA program, in which they are a loop.

    What Keras calls copies a batch to the GPU first, when that has done all that it was given, and then waits for it, to make numbers of the metrics: the GPU
    is idle while the next step is prepared. Here the batches are copied before they are asked for, and the metrics are read at the end of an epoch.

    Batches of different shapes, as the last one of an epoch may be, are trained on one by one. For each length XLA compiles a program anyhow; here it is also
    traced for it, so that loops over the length, and their gradients, have sizes that are known.

    It stays with the model, and is compiled once. Between a `begin` and an `end` it is at work; what calls it at another time, as `keras.Model.train_on_batch`
    does, is given what Keras makes.

    Args:
        model: a `keras.Model`, of which `can_loop`.
    """

    def __init__(self, model):
        self.model = model
        self._programs = {}  # of each kind of batch and number of steps
        self._runs = []  # more than one where a callback of a run begins another

    def begin(self, wants_logs, may_read_ahead):
        """Begins a run, in which the metrics are read after each call or not, and batches may be read before they are asked for or not."""
        self._runs.append(_Run(wants_logs, may_read_ahead))

    def end(self):
        """Ends a run; what was read for calls to come is dropped."""
        self._runs.pop().close()

    def anew(self):
        """Returns another one in its place, which is compiled anew and goes on where this one is."""
        other = StepLoop(self.model)
        other._runs = self._runs
        return other

    @property
    def wants_logs(self):
        """Whether the metrics are read after each call of this run."""
        return self._runs[-1].wants_logs

    @functools.cached_property
    def _by_keras(self):
        return self.model._make_function(self.model.train_step)

    def __call__(self, iterator):
        if not self._runs or not hasattr(iterator, "element_spec"):  # that of a batch by itself is a generator
            return self._by_keras(iterator)
        run = self._runs[-1]
        batches, spec = self._take(run, iterator)
        if not batches:
            raise StopIteration
        if len(batches) > 1 and are_alike(batches):
            logs = self._program(spec, batches)(batches)
        else:
            for batch in batches:
                logs = self._program(spec, [batch])([batch])
        return logs if run.wants_logs or run.iterator is not iterator else {}

    def _take(self, run, iterator):
        """Returns the batches of a call, a list, and the specification of one."""
        if run.iterator is None:  # it has one, without end; another one is that of a run of Keras' own in a callback
            run.iterator = iterator
            if run.may_read_ahead and gpus() and can_read_ahead(iterator):
                run.ahead = ReadAhead(self.model.steps_per_execution, copy_to(device_of(self.model.distribute_strategy)))
        if run.ahead is None or run.iterator is not iterator:
            return list(itertools.islice(iterator, self.model.steps_per_execution)), iterator.element_spec
        return run.ahead.take(iterator), widened(iterator.element_spec)

    def _program(self, spec, batches):
        """Returns the program of as many steps, for any number of rows where the dataset leaves it open: Keras weights what it reports by sizes it knows."""
        import tensorflow as tf

        def known(part, tensor):
            return tf.TensorSpec([*part.shape[:1], *tensor.shape[1:]], part.dtype) if isinstance(part, tf.TensorSpec) else part

        spec = tf.nest.map_structure(known, spec, batches[0])
        kind = (len(batches), *keras.tree.flatten_with_path(spec))
        if kind not in self._programs:
            self._programs[kind] = self._compile(spec, len(batches))
        return self._programs[kind]

    def _compile(self, spec, count):
        import tensorflow as tf

        train_step = self.model._autoconvert_optionals(self.model.train_step)

        def step(batch):
            self.model.distribute_strategy.run(train_step, args=(batch,))

        def steps(batches):
            if count == 1:
                step(narrow(batches[0]))
            else:
                loop_over(step, batches)
            return self.model.get_metrics_result()

        return tf.function(steps, input_signature=[[spec] * count], jit_compile=True, autograph=False)


class _Run:
    """What a `StepLoop` knows of a run: what is asked of it, and the iterator that it takes its batches from, ahead or not."""

    def __init__(self, wants_logs, may_read_ahead):
        self.wants_logs = wants_logs
        self.may_read_ahead = may_read_ahead
        self.iterator = self.ahead = None

    def close(self):
        if self.ahead is not None:
            self.ahead.close()


def can_loop(model):
    """Whether a model is trained by a `StepLoop`: on TensorFlow under XLA, where several steps are taken at once, and on a GPU always.

    Each step must be Keras' own, so that the model has the metrics of all of them.
    """
    if keras.backend.backend() != "tensorflow" or not model.jit_compile or model.run_eagerly:
        return False
    by_keras = all(getattr(getattr(model, name), "__func__", None) is getattr(keras.Model, name) for name in ("train_step", "compute_metrics"))
    return by_keras and (model.steps_per_execution > 1 or bool(gpus()))


def can_read_ahead(iterator):
    """Whether an iterator gives dense tensors, all of which one GPU can hold."""
    import tensorflow as tf

    return all(isinstance(spec, tf.TensorSpec) and spec.dtype != tf.string for spec in tf.nest.flatten(iterator.element_spec))


@contextlib.contextmanager
def looped(model, callbacks, may_read_ahead):
    """Has `keras.Model.fit` take the steps of a `StepLoop`, for a block.

    Args:
        model: a `keras.Model`, of which `can_loop`.
        callbacks: list of `keras.callbacks.Callback`; the metrics are read after each step if one of them is called then.
        may_read_ahead: boolean, whether batches may be taken from the data before they are asked for: not those of a `keras.utils.PyDataset` or a generator,
            which Keras stops at the end of an epoch.
    """

    has_begun = False

    def make_train_function(force=False):
        nonlocal has_begun
        if not isinstance(model.train_function, StepLoop):
            model.train_function = StepLoop(model)
        elif force:
            model.train_function = model.train_function.anew()
        if not has_begun:
            model.train_function.begin(any(map(is_called_after_steps, callbacks)), may_read_ahead)
            has_begun = True

    data = data_on_processor(model.distribute_strategy) if may_read_ahead else contextlib.nullcontext()
    try:
        with changed(model, make_train_function=make_train_function), metrics_of_epochs(model), data:
            yield
    finally:
        if has_begun and isinstance(model.train_function, StepLoop):
            model.train_function.end()


def data_on_processor(strategy):
    """Has a strategy with one replica leave the batches of a dataset where they are, for a block; by itself it copies them to its device, one by one."""
    import tensorflow as tf

    if not is_of_one_device(strategy):
        return contextlib.nullcontext()
    distribute, stay = strategy.experimental_distribute_dataset, tf.distribute.InputOptions(experimental_fetch_to_device=False)
    return changed(strategy, experimental_distribute_dataset=lambda dataset, options=None: distribute(dataset, options or stay))


def device_of(strategy):
    """Names the device on which a strategy with one replica computes, or TensorFlow without a strategy."""
    return strategy.extended.worker_devices[0] if is_of_one_device(strategy) else gpus()[0].name


def is_of_one_device(strategy):
    """Whether this is a strategy with one replica, and not that of TensorFlow without a strategy."""
    import tensorflow as tf

    return isinstance(strategy, (tf.distribute.MirroredStrategy, tf.distribute.OneDeviceStrategy)) and strategy.num_replicas_in_sync == 1


def are_alike(batches):
    """Whether all batches are of one shape, that is known."""
    shapes = [[tensor.shape for tensor in keras.tree.flatten(batch)] for batch in batches]
    return all(shape.is_fully_defined() for shape in shapes[0]) and all(each == shapes[0] for each in shapes)


def loop_over(step, batches):
    """Calls a function that changes variables on each of several batches of one shape, narrowed, in a loop of TensorFlow."""
    import tensorflow as tf

    stacked = tf.nest.map_structure(lambda *parts: tf.stack(parts), *batches)  # (steps, ...)

    def body(i):
        step(narrow(tf.nest.map_structure(lambda part: part[i], stacked)))
        return i + 1

    tf.while_loop(lambda i: i < len(batches), body, [0])


def gpus():
    """Lists the GPUs of TensorFlow."""
    import tensorflow as tf

    return tf.config.list_logical_devices("GPU")
