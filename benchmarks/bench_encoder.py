"""An encoder of BERT-base's size beside a stack of plain Keras layers, KerasHub and Hugging Face, in one run: forward, and a step of training.

Usage: bench_encoder.py [BACKEND ...] [--layers 12] [--repeats 5] [--dtype float32]     (tensorflow unless told)

Each side is a process of its own; they take turns. KerasHub and Hugging Face need an environment of their own, as their requirements differ:
PEERS=/path/to/its/python bench_encoder.py. Without it they are left out, and named. Weights are random; the step is forward, backward and SGD, with dropout.
"""

import argparse
import contextlib
import os
import sys

import numpy as np
from harness import measure, report, timing_rows
from worker import Worker, serve

ROWS, LENGTH, WIDTH, HEADS = 8, 128, 768, 12
FORWARD, STEP, DROPOUT = "forward", "step", 0.1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backends", nargs="*", default=["tensorflow"])
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--work")
    options = parser.parse_args()
    if options.work:
        return work(options)
    peers, command = os.environ.get("PEERS"), [__file__, "--layers", str(options.layers), "--dtype", options.dtype, "--work"]
    sides = [(name, backend) for backend in options.backends for name in ("keras_richctx", "Keras' layers", "KerasHub")] + [("Hugging Face", "torch")]
    if not peers:
        print("Left out, since PEERS names no Python that has them: KerasHub, Hugging Face.")
        sides = [side for side in sides if side[0] not in ("KerasHub", "Hugging Face")]
    with contextlib.ExitStack() as stack:
        workers = {}
        for name, backend in sides:
            python = peers if name in ("KerasHub", "Hugging Face") else sys.executable
            workers[f"{name} on {backend}"] = stack.enter_context(Worker(f"{name} on {backend}", [python, *command, name], backend))
        for task, title in ((FORWARD, "Forward"), (STEP, "A step of training")):
            rounds = measure({side: lambda worker=worker, task=task: worker.ask(task) for side, worker in workers.items()}, options.repeats)
            note = f"{options.layers} layers of {WIDTH} with {HEADS} heads, {ROWS} rows of {LENGTH}, {options.dtype}."
            report(f"encoder_{task}", title, timing_rows(rounds, next(iter(workers))), note)
    return None


def work(options):
    """Runs in the process of a side."""
    if options.work == "Hugging Face":
        return serve(hugging_face_side(options))
    import keras

    make = {"keras_richctx": richctx_encoder, "Keras' layers": keras_encoder, "KerasHub": hub_encoder}[options.work]
    inputs = keras.Input((LENGTH, WIDTH))
    model = keras.Model(inputs, make(options)(inputs))
    model.compile("sgd", "mse")
    x = np.random.default_rng(0).normal(size=(ROWS, LENGTH, WIDTH)).astype("float32")
    tasks = {FORWARD: lambda: model.predict_on_batch(x).shape, STEP: lambda: f"{float(model.train_on_batch(x, x)):.4f}"}
    return serve(lambda task: str(tasks[task]()))


def richctx_encoder(options):
    import keras_richctx as krc

    return krc.layers.TransformerEncoder(options.layers, HEADS, 4 * WIDTH, activation="gelu", dropout=DROPOUT, dtype=policy(options))


def keras_encoder(options):
    """The stack that anyone writes: attention, addition, normalisation, two dense layers."""
    from keras import layers

    def encode(x):
        for _ in range(options.layers):
            attended = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, dropout=DROPOUT, dtype=policy(options))(x, x)
            x = layers.LayerNormalization(dtype=policy(options))(x + layers.Dropout(DROPOUT)(attended))
            hidden = layers.Dense(4 * WIDTH, "gelu", dtype=policy(options))(x)
            hidden = layers.Dense(WIDTH, dtype=policy(options))(hidden)
            x = layers.LayerNormalization(dtype=policy(options))(x + layers.Dropout(DROPOUT)(hidden))
        return x

    return encode


def hub_encoder(options):
    import keras_hub

    def encode(x):
        for _ in range(options.layers):
            x = keras_hub.layers.TransformerEncoder(4 * WIDTH, HEADS, dropout=DROPOUT, activation="gelu", dtype=policy(options))(x)
        return x

    return encode


def policy(options):
    return {"float32": "float32", "bfloat16": "mixed_bfloat16"}[options.dtype]


def hugging_face_side(options):
    import torch
    import transformers
    from transformers.models.bert.modeling_bert import BertEncoder

    config = transformers.BertConfig(hidden_size=WIDTH, num_hidden_layers=options.layers, num_attention_heads=HEADS, intermediate_size=4 * WIDTH)
    config._attn_implementation = "sdpa"
    encoder = BertEncoder(config)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.01)
    x = torch.randn(ROWS, LENGTH, WIDTH)

    def run(task):
        with torch.autocast("cpu", torch.bfloat16, enabled=options.dtype == "bfloat16"):
            if task == FORWARD:
                with torch.no_grad():
                    return str(tuple(encoder.eval()(x).last_hidden_state.shape))
            loss = torch.nn.functional.mse_loss(encoder.train()(x).last_hidden_state, x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return f"{loss.item():.4f}"

    return run


if __name__ == "__main__":
    main()
