"""A pre-training step of BERT-base on one GPU and on several: TensorFlow under `MirroredStrategy`, JAX under data parallelism, and Hugging Face, in one run.

Usage: bench_distribution.py [--gpus 2] [--steps 50] [--repeats 5] [--patience 300] [--sides "JAX, fit" ...]

64 rows of 128 tokens for each GPU, of which 20 are to be guessed, in bfloat16; masked LM and next sentence, AdamW. Each side is a process of its own; they take
turns. The time is that of an epoch of one long `fit`, so that nothing is compiled within it, until a weight of its end is here. Ten steps a call are
`steps_per_execution` of `keras.Model.compile`.
"""

import argparse
import concurrent.futures
import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time

import numpy as np
from bench_bert_gpu import BATCH, GUESSED, LENGTH, model_and_data, torch_side
from harness import measure, ratio, report
from worker import Worker, serve

MIRRORED = "TensorFlow, mirrored, ten steps a call"
BASELINES = ("TensorFlow, keras.Model.fit", MIRRORED, "JAX, plain step", "JAX, fit", "Hugging Face, torch.compile")


def sides_of(gpus):
    """Returns of each side the backend, the number of GPUs, the strategy, and the steps of one execution; GPUs are doubled up to this number."""
    sides = {
        "TensorFlow, keras.Model.fit": ("tensorflow", 1, None, 1),
        "TensorFlow, fit": ("tensorflow", 1, None, 1),
        "TensorFlow, fit, ten steps a call": ("tensorflow", 1, None, 10),
        MIRRORED: ("tensorflow", 1, "mirrored", 10),
        "JAX, plain step": ("jax", 1, None, 1),
        "JAX, fit": ("jax", 1, None, 1),
        "Hugging Face, torch.compile": ("torch", 1, None, 1),
    }
    count = 2
    while count <= gpus:
        sides[f"{MIRRORED}, {count} GPUs"] = ("tensorflow", count, "mirrored", 10)
        sides[f"JAX, data_parallel, {count} GPUs"] = ("jax", count, "data_parallel", 1)
        count *= 2
    return sides


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=2, help="the most, a power of two; all smaller ones are measured too")
    parser.add_argument("--steps", type=int, default=50, help="of an epoch")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--patience", type=float, help="seconds; a side that has not compiled by then is left out")
    parser.add_argument("--sides", nargs="+", help="those of the table to run; all where it is left out")
    parser.add_argument("--size", default="bert_base", help="of this library's sides, to try the script out")
    parser.add_argument("--work")
    options = parser.parse_args()
    if options.work:
        return work(options)
    described = sides_of(options.gpus)
    options.sides = options.sides or list(described)
    if unknown := set(options.sides) - set(described):
        parser.error(f"there are {list(described)}. Received: --sides {sorted(unknown)}")
    if options.size == "bert_base" and count_gpus() < options.gpus:
        print(f"Left out: it needs {options.gpus} GPUs of NVIDIA.")
        return None
    sides = [side for side in options.sides if importlib.util.find_spec({"torch": "transformers"}.get(described[side][0], described[side][0]))]
    print(f"Left out, for want of the package: {', '.join(side for side in options.sides if side not in sides) or 'none'}.")
    with contextlib.ExitStack() as stack:
        workers = {side: stack.enter_context(start(side, options)) for side in sides}
        for side in compile_all(workers, options.patience):
            workers.pop(side)
        if not workers:
            raise SystemExit("No side is left to measure.")
        timed = measure({side: lambda worker=worker: worker.ask("train") for side, worker in workers.items()}, repeats=options.repeats, warmup=1)
    rows = []
    for side, seconds in timed.items():
        gpus = described[side][1]
        tokens = gpus * BATCH * LENGTH * options.steps / np.median(seconds)
        row = {"side": side, "GPUs": gpus, "ms a step": f"{np.median(seconds) / options.steps * 1e3:.1f}", "k tokens a second": f"{tokens / 1e3:.0f}"}
        for peer in BASELINES:
            if peer in timed:
                row[f"times {peer}"] = f"{gpus / described[peer][1] / ratio(timed, side, peer)[0]:.2f}"
        rows.append(row)
    note = (
        f"{BATCH} x {LENGTH} tokens for each GPU, {GUESSED} of each row masked, bfloat16, AdamW; {options.steps} steps a time. Times another: tokens a second."
    )
    report("distribution", "A pre-training step of BERT-base, on TensorFlow and on JAX", rows, note)
    return None


def compile_all(workers, patience):
    """Has all workers take their first steps side by side; returns those that failed, or took too long and were stopped."""
    left_out = []
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        first = {pool.submit(worker.ask, "train"): side for side, worker in workers.items()}
        began = time.perf_counter()
        try:
            for done in concurrent.futures.as_completed(first, timeout=patience):
                if done.exception():
                    left_out.append(first[done])
                    print(f"Left out: {done.exception()}", flush=True)
                else:
                    print(f"{first[done]}: compiled and trained for an epoch in {time.perf_counter() - began:.0f} s", flush=True)
        except TimeoutError:
            slow = [side for one, side in first.items() if not one.done()]
            print(f"Left out, for not having compiled after {patience:.0f} s: {', '.join(slow)}", flush=True)
            left_out += slow
            for side in slow:
                workers[side].process.kill()
    return left_out


def count_gpus():
    """Counts the GPUs without taking hold of one."""
    if shutil.which("nvidia-smi") is None:
        return 0
    return len(subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True).stdout.splitlines())


def start(side, options):
    """Starts the process of a side, which sees no more GPUs than it is to use."""
    backend, gpus, *_ = sides_of(options.gpus)[side]
    command = ["env", f"CUDA_VISIBLE_DEVICES={','.join(map(str, range(gpus)))}"]
    if backend == "tensorflow" and "TF_LIBS" in os.environ:  # where its libraries lie apart from those of the others
        command.append(f"LD_LIBRARY_PATH={os.environ['TF_LIBS']}")
    command += [sys.executable, __file__, "--work", side, "--steps", str(options.steps), "--gpus", str(options.gpus), "--size", options.size]
    return Worker(side, command, backend)


def work(options):
    """Runs in the process of a side."""
    if options.work.startswith("Hugging Face"):
        train = torch_side(compiled=True, steps=options.steps)
    elif options.work == "JAX, plain step":
        train = plain_step(options)
    else:
        return serve_epochs(options)
    return serve(lambda what: train() or "done")


def serve_epochs(options):
    """Runs one `fit` of which each epoch waits until it is asked for."""
    import keras

    import keras_richctx as krc
    from keras_richctx.training.array_dataset import array_dataset

    class Turns(keras.callbacks.Callback):
        """Begins an epoch when a line comes, and answers at its end."""

        def on_epoch_begin(self, epoch, logs=None):
            if not sys.stdin.readline():
                os._exit(0)

        def on_epoch_end(self, epoch, logs=None):
            keras.ops.convert_to_numpy(self.model.trainable_variables[-1].value)
            print("done", file=sys.__stdout__, flush=True)

    _, gpus, name, steps_of_a_call = sides_of(options.gpus)[options.work]
    scope = krc.training.strategy(name, devices=gpus).scope() if name else contextlib.nullcontext()
    with contextlib.redirect_stdout(sys.stderr), scope:
        model, x, y, weights = model_and_data(gpus * options.steps, options.size, steps_of_a_call)
        if "keras.Model" in options.work:
            batches = array_dataset((x, y, weights), BATCH)
            return model.fit(batches, steps_per_epoch=options.steps, epochs=10**6, callbacks=[Turns()], verbose=0)
        krc.training.fit(model, x, y, sample_weight=weights, batch_size=gpus * BATCH, epochs=10**6, callbacks=[Turns()], progress=False)


def plain_step(options):
    """The step that one writes in JAX by hand, on arrays that are on the GPU."""
    import jax
    import keras

    model, x, y, _ = model_and_data(1, options.size)
    model(x)
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
    x, y = jax.device_put((x, y))
    crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def loss_of(trainable, others):
        outputs, others = model.stateless_call(trainable, others, x, training=True)
        return sum(crossentropy(y[name], outputs[name]) for name in y), others

    def step(trainable, others, of_optimizer):
        (loss, others), gradients = jax.value_and_grad(loss_of, has_aux=True)(trainable, others)
        trainable, of_optimizer = optimizer.stateless_apply(of_optimizer, gradients, trainable)
        return trainable, others, of_optimizer, loss

    compiled = jax.jit(step, donate_argnums=(0, 1, 2))
    state = [[variable.value for variable in variables] for variables in (model.trainable_variables, model.non_trainable_variables, optimizer.variables)]

    def train():
        for _ in range(options.steps):
            *state[:], _ = compiled(*state)
        jax.block_until_ready(state)

    return train


if __name__ == "__main__":
    main()
