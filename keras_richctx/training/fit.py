"""One call that trains: `keras.Model.fit`, with nothing lost when it is interrupted."""

import contextlib
import functools
import numbers
import random

import keras
import rich.console

from keras_richctx.training.checkpoint import Checkpoint
from keras_richctx.training.checkpoint_store import CheckpointStore
from keras_richctx.training.dataset_source import DatasetSource
from keras_richctx.training.distribution import Distribution, is_distributed
from keras_richctx.training.hold_out import hold_out
from keras_richctx.training.interruption import Interruption
from keras_richctx.training.on_jax import on_jax
from keras_richctx.training.open_source import open_source
from keras_richctx.training.position import Position
from keras_richctx.training.progress import Progress, show_line
from keras_richctx.training.resume import Resume, starting_position
from keras_richctx.training.run_state import RunState
from keras_richctx.training.step_loop import can_loop, looped
from keras_richctx.training.time_limit import TimeLimit
from keras_richctx.training.workers import Agreement, Workers


def fit(
    model,
    data,
    y=None,
    *,
    batch_size=None,
    epochs=1,
    callbacks=None,
    validation_data=None,
    validation_split=0.0,
    shuffle=True,
    class_weight=None,
    sample_weight=None,
    initial_epoch=0,
    steps_per_epoch=None,
    checkpoint_dir=None,
    save_every=180.0,
    save_every_steps=None,
    resume=True,
    patience=None,
    monitor="val_loss",
    progress=True,
    **fit_arguments,
):
    """Trains a compiled model as `keras.Model.fit` does, and keeps a checkpoint from which a run that was cut short goes on.

    The engine is `model.fit`; what is added works beside it. With `checkpoint_dir`, the state of the run is saved at the end of each epoch and every
    `save_every` seconds: weights, optimizer, the seeds of dropout, the averages of the epoch, the history, the best weights so far and the position in the
    data. The same call then goes on from there, after a crash or a kill, in the same process or in a new one:

    - A `tf.data.Dataset` of known size (or with `steps_per_epoch`) goes on at the very batch, and the run ends with the weights and the history of one that
      was never cut short. For that the dataset must be, under `.repeat()`, a function of its seeds and of the number of the pass. The batches of
      `keras_richctx.datasets` are; one with a plain `.shuffle(n, seed=...)` is where it is made anew, as in a new process. The batches before are computed
      and thrown away.
    - NumPy arrays and tensors on TensorFlow are made into such a dataset, shuffled by a seed that the checkpoint keeps.
    - Generators, `PyDataset`s and, on other backends, arrays go on at an epoch's start: an epoch that was cut short is started over, with the weights that it
      had reached. Its averages are over the steps since then.

    On TensorFlow with `jit_compile` of `compile`: on a GPU, the batches of arrays and of a `tf.data.Dataset` are copied there two calls before they are asked
    for, and the metrics are read at the end of an epoch, unless a callback is called after steps. With `steps_per_execution`, so many steps are one program;
    those of batches of different shapes are taken one by one.

    On several devices of JAX, a batch that they cannot divide is computed whole by each.

    With `steps_per_execution` of `compile`, an epoch of arrays or of a dataset is rounded up to whole executions, with batches of the pass that follows, where
    Keras would end it with a shorter one.

    The state is that of the model, its optimizer, each `keras.random.SeedGenerator` in it, and Keras' own `EarlyStopping`, `ModelCheckpoint` and
    `ReduceLROnPlateau`; not that of other callbacks, nor of the global generators of Python, NumPy, Keras and PyTorch (which draws dropout from it where a
    layer has no seed).

    Ctrl-C and SIGTERM are taken at the end of the step, or of the validation if that is running: the state is saved there, and `KeyboardInterrupt`, or
    `SystemExit` with code 143, is raised. A second one stops at once. A finished run that is called again returns its history at once; with more `epochs` it
    goes on. If the number of batches or the batch size has changed since, training goes on at the start of the epoch, with a warning.

    Args:
        model: a compiled `keras.Model`.
        data: a `tf.data.Dataset`, a `keras.utils.PyDataset`, a generator, or arrays, as `x` of `keras.Model.fit`.
        y: the targets of arrays.
        batch_size: integer, for arrays. Defaults to 32, as in Keras.
        epochs: integer, the total number of epochs, those of earlier runs included. Defaults to `1`.
        callbacks: list of `keras.callbacks.Callback`.
        validation_data: as in `keras.Model.fit`.
        validation_split: float, the part of arrays that is held out, from their end, where there is no `validation_data`. Defaults to `0.0`.
        shuffle: boolean, whether to draw a new order of arrays in each epoch. Defaults to `True`.
        class_weight: dict from class to weight, as in `keras.Model.fit`.
        sample_weight: the weights of arrays.
        initial_epoch: integer, the epoch to begin with where there is no checkpoint. Defaults to `0`.
        steps_per_epoch: integer, batches of an epoch, or `None` for all of the data.
        checkpoint_dir: path of the directory for the checkpoint, one for each run, or `None` for no checkpoint.
        save_every: number, seconds between saves within an epoch, or `None` to save at the ends of epochs only. Defaults to `180.0`.
        save_every_steps: integer, steps between saves within an epoch, or `None`. Both may be given: what comes first counts.
        resume: boolean, whether to go on from the checkpoint in `checkpoint_dir`; if not, the first save replaces it. Defaults to `True`.
        patience: integer, the number of epochs without improvement after which training stops, or `None`. With it, the best weights are restored at the end.
        monitor: string, the entry of the history that `patience` watches. Defaults to `"val_loss"`.
        progress: boolean. A bar on a terminal and in a notebook and plain lines elsewhere, in the place of Keras' own; `False` for silence. Defaults to `True`.
        **fit_arguments: the further arguments of `keras.Model.fit`: `validation_steps`, `validation_batch_size`, `validation_freq`.

    Returns:
        The `keras.callbacks.History` of all epochs, those before a resume included.

    Raises:
        ValueError: if an argument is out of range, the model is not compiled, or the checkpoint is of another model or optimizer, which is then left as it is.
        OSError: before training, if `checkpoint_dir` cannot be written; at its end, if the last save failed for the disk. A failed save in between is warned
            of, and tried again when the next one is due.
        FloatingPointError: at the end of training, if the last save was refused because the weights were no longer finite.
        KeyboardInterrupt: on Ctrl-C, with the state saved.
        SystemExit: with code 143 on SIGTERM, with the state saved.

    Example:
        >>> import tempfile
        >>> model = keras.Sequential([keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
        >>> run = tempfile.mkdtemp()
        >>> history = krc.training.fit(model, x, y, epochs=2, checkpoint_dir=run, progress=False)
        >>> history = krc.training.fit(model, x, y, epochs=3, checkpoint_dir=run, progress=False)  # one more
        >>> history.epoch
        [0, 1, 2]
    """
    callbacks = list(keras.tree.flatten(callbacks)) if callbacks is not None else []
    _check(model, epochs, save_every, save_every_steps, patience, monitor, validation_data, validation_split, fit_arguments)
    workers = Workers(model)
    if workers.count > 1 and any(isinstance(callback, TimeLimit) for callback in callbacks):
        raise ValueError("TimeLimit sets the learning rate by the clock, and each worker has its own. Received: TimeLimit with several workers. Give epochs.")
    progress = progress and workers.is_chief
    console = rich.console.Console(quiet=not progress)
    say = functools.partial(show_line, console)
    store = CheckpointStore(checkpoint_dir, writes=workers.is_chief) if checkpoint_dir is not None else None
    arrays, record = (store.read() if store and resume else None) or (None, None)
    seed = workers.chief_s(record["seed"] if record else random.randrange(2**31))
    _check_common_start(workers, record, checkpoint_dir)

    if validation_split and validation_data is None:
        (data, y, sample_weight), validation_data = hold_out((data, y, sample_weight), validation_split)
    beside = {"y": y, "class_weight": class_weight, "sample_weight": sample_weight}
    source = open_source(data, batch_size, steps_per_epoch, shuffle, seed, model.steps_per_execution, **beside)
    start = starting_position(record, source, say) if record else Position(initial_epoch)

    history = keras.callbacks.History()
    stopping = None if patience is None else keras.callbacks.EarlyStopping(monitor, patience=patience, restore_best_weights=True)
    callbacks += [] if stopping is None else [stopping]
    run_state = RunState(history, callbacks)
    if record:
        if run_state.is_over(record["run"]):
            epochs = start.epoch
        say(
            f"Going on from {start} with the checkpoint in {str(checkpoint_dir)!r}."
            if start.epoch < epochs
            else f"Nothing to do: {start.epoch} epochs are done."
        )

    with contextlib.ExitStack() as stack:
        # Resume is before the callbacks of the caller, so that they see the restored model, and Checkpoint behind all that it records.
        added = [*source.callbacks(start), *([Resume(arrays, start, source, checkpoint_dir)] if record else []), *callbacks, history]
        if progress:
            seconds_left = next((callback.seconds_left for callback in callbacks if isinstance(callback, TimeLimit)), None)
            added.append(stack.enter_context(Progress(epochs, start, console, seconds_left)))
        if store:
            interruption = stack.enter_context(Interruption())
            saved_state = (arrays, record["run"]) if record else None
            added.append(Checkpoint(store, source, run_state, interruption, seed, start, saved_state, save_every, save_every_steps, say, workers))
        if workers.count > 1:
            added.insert(-1 if store else len(added), Agreement(workers))
        arguments, fit_arguments = source.arguments(start), {"validation_batch_size": batch_size, **fit_arguments}
        if is_distributed(model):
            distribution = stack.enter_context(Distribution(model, source, callbacks))
            arguments = distribution.training(arguments)
            validation_data, fit_arguments["validation_steps"] = distribution.validation(
                validation_data, fit_arguments["validation_batch_size"], fit_arguments.get("validation_steps")
            )
        elif can_loop(model):
            stack.enter_context(looped(model, added, isinstance(source, DatasetSource)))
        elif keras.backend.backend() == "jax":
            stack.enter_context(on_jax(model))
        model.fit(
            **arguments,
            epochs=epochs,
            initial_epoch=start.epoch,
            validation_data=validation_data,
            callbacks=added,
            verbose=0,
            **fit_arguments,
        )
    if stopping is not None and stopping.stopped_epoch:
        say(f"Stopped early: {monitor} has not improved since epoch {stopping.best_epoch + 1}, the weights of which are restored.")
    return history


def _check_common_start(workers, record, checkpoint_dir):
    """Refuses to start where the workers do not go on from the same checkpoint."""
    if workers.any((record is not None) != bool(workers.chief_s(int(record is not None)))):
        raise ValueError(
            f"Every worker goes on from the same checkpoint. Received: checkpoint_dir={str(checkpoint_dir)!r}, in which some find one and some do not. "
            "Give a directory that all of them see."
        )


def _check(model, epochs, save_every, save_every_steps, patience, monitor, validation_data, validation_split, fit_arguments):
    """Refuses what would fail, or be ignored, later."""
    if not model.compiled:
        raise ValueError(f"The model must be compiled before it is trained. Received: model={model.name!r}. Call model.compile(optimizer, loss).")
    for name, value, least in [("epochs", epochs, 1), ("save_every_steps", save_every_steps, 1), ("patience", patience, 0)]:
        if value is not None and not (isinstance(value, numbers.Integral) and value >= least):
            raise ValueError(f"{name} must be an integer of at least {least}. Received: {name}={value!r}")
    if save_every is not None and not save_every > 0:
        raise ValueError(f"save_every must be a positive number of seconds, or None. Received: save_every={save_every!r}")
    if patience is not None and monitor.startswith("val_") and validation_data is None and not validation_split:
        raise ValueError(
            f"patience watches {monitor!r}, which needs validation data. Received: patience={patience}, validation_data=None. Pass some, or monitor='loss'."
        )
    if "verbose" in fit_arguments:
        raise ValueError(f"fit draws its own progress. Received: verbose={fit_arguments['verbose']!r}. Pass progress=False for silence.")
