"""GPT-2 small writes 128 tokens after 16: this library, KerasHub and Hugging Face, in one run.

Usage: bench_decode.py [DTYPE ...]     (float32 unless told; bfloat16 too)

The peers need an environment of their own, as their requirements differ: PEERS=/path/to/its/python bench_decode.py. Without it they are left out, and named.
Each side is a process; they take turns, each waiting until it is asked. All have random weights, and none has an end symbol.
"""

import contextlib
import importlib.util
import os
import sys
import time

import numpy as np
from harness import measure, ratio, report
from worker import Worker, serve

PROMPT, NEW, BATCHES, VOCABULARY = 16, 128, (1, 8), 50257
SIDES = [("keras_richctx", "tensorflow"), ("keras_richctx", "jax"), ("KerasHub", "tensorflow"), ("KerasHub", "jax"), ("Hugging Face", "torch")]


def main(*dtypes):
    peers = os.environ.get("PEERS")
    sides = [side for side in SIDES if importlib.util.find_spec(side[1]) and (peers or side[0] == "keras_richctx")]
    print(f"Left out, for want of a package or of PEERS: {', '.join(' on '.join(side) for side in SIDES if side not in sides) or 'none'}.")
    rows = []
    for dtype in dtypes or ("float32",):
        with contextlib.ExitStack() as stack:
            workers = {}
            for name, backend in sides:
                python = sys.executable if name == "keras_richctx" else peers
                workers[name, backend] = stack.enter_context(Worker(f"{name} on {backend}", [python, __file__, "--work", name, dtype], backend))
            first = next(iter(workers.values()))
            device, bandwidth = first.ask("device"), float(first.ask("bandwidth"))
            for batch in BATCHES if device == "CPU" else (*BATCHES, 64):
                failures = {key: answer for key, worker in workers.items() if (answer := worker.ask(f"check {batch}")).startswith("failed")}
                timed = measure({key: lambda w=w, b=batch: w.ask(f"write {b}") for key, w in workers.items() if key not in failures}, repeats=5, warmup=1)
                rows += rows_of(timed, dtype, batch, bandwidth)
                rows += [{"dtype": dtype, "batch": batch, "side": key[0], "backend": key[1], "ms a token": answer} for key, answer in failures.items()]
    note = (
        f"GPT-2 small (124M), greedy, {NEW} new tokens after a prompt of {PROMPT}. Tokens a second over all rows, prompt included in the time. The limit: "
        f"each step reads all weights once, at {bandwidth:.0f} GB/s, the rate at which this machine sums a large array."
    )
    report("decode" if device == "CPU" else "decode_gpu", f"Decoding on {device}", rows, note)


def rows_of(timed, dtype, batch, bandwidth):
    """Returns the rows of one batch size."""
    size = 124_439_808 * (2 if dtype == "bfloat16" else 4) / 1e9
    rows = []
    for side, backend in timed:
        seconds = float(np.median(timed[side, backend]))
        row = {"dtype": dtype, "batch": batch, "side": side, "backend": backend, "ms a token": f"{seconds / NEW * 1e3:.1f}"}
        row["tokens a second"] = f"{batch * NEW / seconds:.1f}"
        row["of the limit"] = f"{size * NEW / bandwidth / seconds:.0%}"
        for peer in [key for key in timed if key[0] != "keras_richctx"]:
            row[f"times {peer[0]} on {peer[1]}"] = f"{1 / ratio(timed, (side, backend), peer)[0]:.2f}"
        rows.append(row)
    return rows


def work(name, dtype):
    """Runs in the process of a side."""
    write = {"keras_richctx": richctx_side, "KerasHub": hub_side, "Hugging Face": torch_side}[name](dtype)

    def answer(what, batch=1):
        if what in ("bandwidth", "device"):
            return bandwidth() if what == "bandwidth" else device_name()
        ids = np.random.default_rng(0).integers(50000, size=(int(batch), PROMPT))
        try:
            shape = np.shape(write(ids))
        except Exception as failure:  # of the library that is compared
            return f"failed: {str(failure).splitlines()[0][:100]}"
        assert shape == (int(batch), PROMPT + NEW), shape
        return "done"

    serve(answer)


def bandwidth():
    """Measures the rate at which the memory is read, in GB/s."""
    import keras

    size = 2**26 if device_name() == "CPU" else 2**31
    x = keras.ops.ones((size,), dtype="float32")
    seconds = []
    for _ in range(9):
        start = time.perf_counter()
        float(keras.ops.sum(x))
        seconds.append(time.perf_counter() - start)
    return 4 * size / 1e9 / np.median(seconds)


def device_name():
    """Returns the kind of the device that Keras computes on: `CPU`, or the GPU's name."""
    import keras

    devices = keras.distribution.list_devices()
    if all(device.lower().startswith("cpu") for device in devices):
        return "CPU"
    import torch

    return torch.cuda.get_device_name()


class NoEnd:
    """The ids of GPT-2's vocabulary, without an end symbol."""

    vocab_size, pad_id, bos_id, eos_id = VOCABULARY, 50256, 50256, None


def richctx_side(dtype):
    import keras_richctx as krc

    model = krc.models.GPT2(NoEnd(), dtype=dtype)
    return lambda ids: krc.generation.greedy(model, ids, NEW)


def hub_side(dtype):
    import keras_hub

    sizes = {"num_layers": 12, "num_heads": 12, "hidden_dim": 768, "intermediate_dim": 3072}
    backbone = keras_hub.models.GPT2Backbone(vocabulary_size=VOCABULARY, max_sequence_length=1024, dtype=dtype, **sizes)
    model = keras_hub.models.GPT2CausalLM(backbone=backbone, preprocessor=None)
    model.compile(sampler="greedy")

    def write(ids):
        room = np.zeros((len(ids), NEW), "int32")
        inputs = {"token_ids": np.concatenate([ids, room], axis=1).astype("int32")}
        inputs["padding_mask"] = np.concatenate([np.ones_like(ids), room], axis=1).astype("int32")
        return model.generate(inputs, stop_token_ids=None)["token_ids"]

    return write


def torch_side(dtype):
    import torch
    import transformers

    device = "cuda" if torch.cuda.is_available() and os.environ.get("JAX_PLATFORMS") != "cpu" else "cpu"
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval().to(device, getattr(torch, dtype))

    def write(ids):
        with torch.no_grad():
            given = torch.from_numpy(ids).to(device)
            options = {"max_new_tokens": NEW, "min_new_tokens": NEW, "do_sample": False, "pad_token_id": 50256}
            return model.generate(given, attention_mask=torch.ones_like(given), **options).cpu()

    return write


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
