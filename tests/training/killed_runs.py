"""Runs that die in different ways, each in a process of its own: `python killed_runs.py DIRECTORY` leaves one `.npz` for each run that ended.

TensorFlow is imported once and the processes are forked from there, before it has done anything, since importing it takes longer than all of the runs.
"""

import json
import os
import pathlib
import resource
import signal
import sys
import traceback

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

EPOCHS, STEPS = 3, 5


def train(directory, result=None, die=None, **options):
    """Trains the one model on the one dataset; `die(model, step)` is called before each step, counted over the whole run."""
    import keras
    import numpy as np
    import tensorflow as tf

    from keras_richctx.training import fit

    class Die(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if die is not None:
                die(int(self.model.optimizer.iterations))

    inputs = keras.Input((4,))
    hidden = keras.layers.Dropout(0.4)(keras.layers.Dense(7, activation="tanh")(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
    schedule = keras.optimizers.schedules.CosineDecay(0.05, EPOCHS * STEPS)
    model.compile(keras.optimizers.Adam(schedule), "mse", metrics=["mae"], jit_compile=False)
    if directory.name == "reference":  # the weights that every run starts from; what a resumed run draws must not matter
        model.save_weights(directory.parent / "start.weights.h5")
    elif not directory.exists():
        model.load_weights(directory.parent / "start.weights.h5")
    model.get_layer(index=2).seed_generator.state.assign([11, 0] if not directory.exists() else [99, 9])

    x = np.random.default_rng(0).normal(size=(18, 4)).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(18, seed=5).batch(4)
    assert int(dataset.cardinality()) == STEPS
    history = fit(model, dataset, epochs=EPOCHS, callbacks=[Die()], checkpoint_dir=directory, progress=False, **options)
    arrays = {f"{index}": keras.ops.convert_to_numpy(v) for index, v in enumerate(model.variables + model.optimizer.variables)}
    np.savez(result, history=json.dumps(history.history), **arrays)


def in_child(function, *arguments, **options):
    """Runs `function` in a forked process; returns its exit code, negative for the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            function(*arguments, **options)
            code = 0
        except OSError as error:
            print(error, flush=True)
            code = 74
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at(target):
    return lambda step: step == target and os.kill(os.getpid(), signal.SIGKILL)


def kill_at_first(module, name, after_bytes=None):
    """Replaces a function of `module` by one that dies when it is called, having written half of a file where that is its work."""
    real = getattr(module, name)

    def dying(target, *arguments, **options):
        if after_bytes is not None:
            target.write(b"PK\x03\x04" + b"x" * after_bytes)
            target.flush()
        elif pathlib.Path(target).name == "checkpoint.npz":
            real(target, *arguments, **options)  # the first of the two renames is done
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(module, name, dying)


def main(root):
    import keras  # noqa: F401
    import numpy as np
    import tensorflow  # noqa: F401

    import keras_richctx.training  # noqa: F401

    codes = {}

    def run(name, function, *arguments, **options):
        codes[name] = in_child(function, *arguments, **options)

    run("reference", train, root / "reference", root / "reference.npz")

    # One run, killed again and again, saved at each step.
    chain = root / "chain"
    run("chain: in epoch 1", train, chain, die=kill_at(2), save_every_steps=1)
    run("chain: between epochs 1 and 2", train, chain, die=kill_at(STEPS), save_every_steps=1)

    def dies_writing(step):
        if step == 7:
            kill_at_first(np, "savez", after_bytes=99)

    run("chain: while writing", train, chain, die=dies_writing, save_every_steps=1)

    def dies_renaming(step):
        if step == 8:
            kill_at_first(os, "replace")

    run("chain: between the renames", train, chain, die=dies_renaming, save_every_steps=1)
    run("chain: end", train, chain, root / "chain.npz", save_every_steps=1)

    # Saved at the ends of epochs only, and the disk is full from the second epoch on: that epoch is done again.
    full = root / "full"

    def fills(step):
        if step == STEPS:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

    run("full: disk", train, full, root / "full.npz", die=fills)
    run("full: end", train, full, root / "full.npz")

    (root / "codes.json").write_text(json.dumps(codes))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
