"""The LSTM here, Keras' own and PyTorch's, on every backend in one run: a forward pass and a training step, with what they reach of the machine's product.

Usage: bench_recurrent.py [BACKEND ...]     (tensorflow, jax and torch unless told; those whose package is missing are left out, and named)

Each side is a process of its own, so that no library's threads stand in another's way; they take turns, each waiting until it is asked.
"""

import contextlib
import importlib.util
import sys

import keras
import numpy as np
from harness import matmul_rate, measure, ratio, report
from worker import Worker, serve

BATCH, LENGTH, SIZES = 32, 128, (128, 512)
SIDES = {
    "tensorflow": ["keras_richctx, XLA", "keras_richctx, graph", "Keras, XLA", "Keras, graph"],
    "jax": ["keras_richctx", "Keras"],
    "torch": ["keras_richctx", "Keras", "torch.nn"],
}


def main(*backends):
    backends = backends or tuple(SIDES)
    missing = [backend for backend in backends if importlib.util.find_spec(backend) is None]
    if missing:
        print(f"Left out, since not installed: {', '.join(missing)}.")
    with start("torch" if "torch" in backends else backends[0], "device", 1) as worker:
        device = worker.ask("device")
    for units in SIZES:
        sides = {backend: SIDES[backend] for backend in backends if backend not in missing}
        compare(units, [(backend, side) for backend in sides for side in sides[backend]], device)


def compare(units, sides, device):
    """Measures all sides for one width and reports a table."""
    flops = 2 * BATCH * LENGTH * 4 * units * 2 * units  # a multiplication and an addition for each weight, at each step
    with contextlib.ExitStack() as stack:
        workers = {(backend, side): stack.enter_context(start(backend, side, units)) for backend, side in sides}
        failures, reference = {}, None
        for key, worker in list(workers.items()):
            answer = worker.ask("check")
            if answer.startswith("failed: "):
                failures[key] = answer
                del workers[key]
                continue
            reference = float(answer) if reference is None else reference
            assert abs(float(answer) - reference) < 2e-3 * reference, (worker.name, answer, reference)
        rate = float(next(iter(workers.values())).ask("rate"))
        timed = {
            what: measure({key: lambda worker=worker, what=what: worker.ask(what) for key, worker in workers.items()}, repeats=9)
            for what in ("forward", "step")
        }
    rows = []
    for backend, side in workers:
        row = {"backend": backend, "side": side}
        for what, work in (("forward", flops), ("step", 3 * flops)):
            rounds = timed[what]
            middle = float(np.median(rounds[backend, side]))
            row[f"{what}, ms"] = f"{middle * 1e3:.1f}"
            row[f"{what}: of the product"] = f"{work / middle / 1e9 / rate:.0%}"
            keras_sides = [key for key in workers if key[0] == backend and key[1].startswith("Keras")]
            best = min(keras_sides, key=lambda key: np.median(rounds[key]))
            row[f"{what}: times Keras' speed"] = f"{1 / ratio(rounds, (backend, side), best)[0]:.2f}"
            if ("torch", "torch.nn") in rounds:
                row[f"{what}: times torch.nn's"] = f"{1 / ratio(rounds, (backend, side), ('torch', 'torch.nn'))[0]:.2f}"
        rows.append(row)
    note = (
        f"Batch {BATCH}, length {LENGTH}, {units} features and units, float32. A step is forward, backward and the update. Keras' speed is that of the faster "
        f"of its two ways on the backend. The machine's product: a float32 product of 2,048 cubed, {rate:.0f} GF/s in this run."
    )
    note += "".join(f" {side} on {backend} {answer}" for (backend, side), answer in failures.items())
    report(f"recurrent_{units}{'_gpu' if device else ''}", f"LSTM of {units} units{f' on {device}' if device else ''}", rows, note)


def start(backend, side, units):
    """Starts the process of a side."""
    return Worker(f"{side} on {backend}", [sys.executable, __file__, "--work", side, str(units)], backend)


def work(side, units):
    """Runs in the process of a side: answers lines until its input ends."""
    x = np.random.default_rng(0).normal(size=(BATCH, LENGTH, units)).astype("float32")
    weights = [np.random.default_rng(i).normal(scale=0.5 / units**0.5, size=s).astype("float32") for i, s in enumerate([(units, 4 * units)] * 2 + [4 * units])]
    forward, step = (None, None) if side == "device" else torch_side(x, weights) if side == "torch.nn" else keras_side(side, x, weights)

    def check():
        try:
            step()
            return np.abs(forward()).sum()
        except Exception as failure:  # of the library that is compared
            return f"failed: {str(failure).splitlines()[0][:200]}"

    tasks = {"device": device_name, "check": check, "rate": matmul_rate, "forward": lambda: forward()[0, 0, 0], "step": step}
    serve(lambda task: tasks[task]())


def device_name():
    """Returns the name of the GPU, or nothing where there is none."""
    backend = keras.backend.backend()
    if backend == "torch":
        import torch

        return torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    return next((device for device in keras.distribution.list_devices() if not device.lower().startswith("cpu")), "")


def keras_side(side, x, weights):
    """Returns a forward pass and a training step of a layer alone, compiled as its side says; both give numbers, when their work is done."""
    import keras_richctx as krc

    name, _, how = side.partition(", ")
    layer = {"Keras": keras.layers.LSTM, "keras_richctx": krc.layers.LSTM}[name](x.shape[-1], return_sequences=True)
    model = keras.Sequential([keras.Input(x.shape[1:]), layer])
    layer.set_weights(weights)
    jit = {"XLA": True, "graph": False}.get(how, "auto")
    model.compile(optimizer=keras.optimizers.SGD(1e-6), loss="mse", jit_compile=jit)
    given, wanted = keras.ops.convert_to_tensor(x), keras.ops.zeros_like(x)
    if keras.backend.backend() == "torch":
        import torch

        with torch.no_grad():
            model(given)

        def forward():
            with torch.no_grad():
                return keras.ops.convert_to_numpy(model(given))

        return forward, lambda: model.train_on_batch(given, wanted)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        run = tf.function(lambda inputs: model(inputs, training=False), jit_compile=model.jit_compile)
        return lambda: run(given).numpy(), lambda: model.train_on_batch(given, wanted)
    import jax

    run = jax.jit(lambda trained, others, inputs: model.stateless_call(trained, others, inputs, training=False)[0])
    groups = (model.trainable_variables, model.non_trainable_variables)
    return lambda: np.asarray(run(*([v.value for v in group] for group in groups), given)), lambda: model.train_on_batch(given, wanted)


def torch_side(x, weights):
    """Returns the same two of `torch.nn.LSTM`."""
    import torch

    units = x.shape[-1]
    layer = torch.nn.LSTM(units, units, batch_first=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kernel, recurrent_kernel, bias = weights
    with torch.no_grad():
        for parameter, value in zip(layer.parameters(), (kernel.T, recurrent_kernel.T, bias, np.zeros_like(bias))):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(value)))
    layer.to(device)
    given, wanted = torch.from_numpy(x).to(device), torch.zeros(x.shape, device=device)
    optimizer = torch.optim.SGD(layer.parameters(), 1e-6)

    def forward():
        with torch.no_grad():
            return layer(given)[0].cpu().numpy()

    def step():
        optimizer.zero_grad()
        loss = ((layer(given)[0] - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return forward, step


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
