"""A pre-training step of BERT-base on a GPU: this library on JAX or TensorFlow, and Hugging Face on PyTorch, eager and compiled, in one run.

Usage: KERAS_BACKEND=jax bench_bert_gpu.py

64 rows of 128 tokens, of which 20 are to be guessed, in bfloat16; masked LM and next sentence, AdamW. The sides take turns, each with the GPU for itself while
it is asked.
"""

import contextlib
import importlib.util
import os
import sys
import time

import numpy as np
from harness import measure, ratio, report
from worker import Worker, serve

BATCH, LENGTH, GUESSED, VOCABULARY, STEPS = 64, 128, 20, 30522, 20


def main():
    import keras

    if all(device.lower().startswith("cpu") for device in keras.distribution.list_devices()):
        print("Left out: it needs a GPU.")
        return
    sides = ["keras_richctx", "Hugging Face, eager", "Hugging Face, torch.compile"]
    if importlib.util.find_spec("transformers") is None:
        print("Left out, for want of transformers: Hugging Face.")
        sides = sides[:1]
    with contextlib.ExitStack() as stack:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the sides share the memory
        workers = {}
        for side in sides:
            backend = os.environ.get("KERAS_BACKEND", "jax") if side == "keras_richctx" else "torch"
            workers[side] = stack.enter_context(Worker(side, [sys.executable, __file__, "--work", side], backend))
        timed = measure({side: lambda worker=worker: worker.ask("train") for side, worker in workers.items()}, repeats=5, warmup=1)
    rows = []
    for side, seconds in timed.items():
        row = {
            "side": side,
            "ms a step": f"{np.median(seconds) / STEPS * 1e3:.1f}",
            "k tokens a second": f"{BATCH * LENGTH * STEPS / np.median(seconds) / 1e3:.0f}",
        }
        for peer in sides[1:]:
            row[f"times {peer}"] = f"{1 / ratio(timed, side, peer)[0]:.2f}"
        rows.append(row)
    report(
        "bert_gpu", "A pre-training step of BERT-base", rows, f"{BATCH} x {LENGTH} tokens, {GUESSED} of each row masked, bfloat16, AdamW; {STEPS} steps a time."
    )


def batch():
    """Returns ids, the places to guess, their ids, and the labels of the next sentence."""
    random = np.random.default_rng(0)
    ids = random.integers(1000, VOCABULARY, (BATCH, LENGTH))
    places = np.sort(np.stack([random.permutation(np.arange(1, LENGTH - 1))[:GUESSED] for _ in range(BATCH)]), axis=1)
    return ids.astype("int32"), places.astype("int32"), np.take_along_axis(ids, places, 1).astype("int32"), random.integers(0, 2, BATCH).astype("int32")


def model_and_data(count, size="bert_base", steps_per_execution=1):
    """Makes this library's model, compiled, and the arrays of `count` batches: inputs, targets and their weights."""
    import keras

    import keras_richctx as krc

    ids, places, guessed, labels = batch()
    model = krc.models.BertForPretraining(krc.models.Bert.from_preset(size, tokenizer=None, vocab_size=VOCABULARY, dtype="mixed_bfloat16"))
    model.compile(keras.optimizers.AdamW(1e-4, weight_decay=0.01), jit_compile=True, steps_per_execution=steps_per_execution)
    x = {"token_ids": ids, "segment_ids": np.zeros_like(ids), "padding_mask": np.ones_like(ids, bool), "mask_positions": places}
    y, weights = {"mlm_logits": guessed, "nsp_logits": labels}, {"mlm_logits": np.ones(guessed.shape, "float32"), "nsp_logits": np.ones(BATCH, "float32")}
    return model, *keras.tree.map_structure(lambda array: np.concatenate([array] * count), (x, y, weights))


def richctx_side():
    model, x, y, weights = model_and_data(STEPS)
    return lambda: model.fit(x, y, sample_weight=weights, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)


def torch_side(compiled, steps=STEPS):
    import torch
    import transformers

    ids, places, guessed, labels = batch()
    model = transformers.BertForPreTraining(transformers.BertConfig(vocab_size=VOCABULARY)).cuda().train()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.01, fused=True)
    targets = np.full(ids.shape, -100)
    np.put_along_axis(targets, places, guessed, 1)
    ids, targets, labels = (torch.tensor(array, dtype=torch.long).cuda() for array in (ids, targets, labels))
    mask = torch.ones_like(ids)
    forward = torch.compile(model) if compiled else model

    def train():
        for _ in range(steps):
            with torch.autocast("cuda", torch.bfloat16):
                loss = forward(input_ids=ids, attention_mask=mask, labels=targets, next_sentence_label=labels).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()

    return train


def work(side):
    """Runs in the process of a side."""
    train = richctx_side() if side == "keras_richctx" else torch_side(side.endswith("torch.compile"))

    def answer(what):
        start = time.perf_counter()
        train()
        return f"done {time.perf_counter() - start}"

    serve(answer)


if __name__ == "__main__":
    work(sys.argv[2]) if sys.argv[1:2] == ["--work"] else main()
