"""BERT beside Hugging Face's library: a step of pre-training, and texts of mixed length classified.

Usage: bench_bert.py [BACKEND ...] [--size bert_mini] [--rows 16] [--repeats 5] [--compiled]     (tensorflow unless told)

Each side is a process of its own; they take turns. Hugging Face's side runs where PEERS names a Python that has transformers and torch, and is left out, and
named, without. The step is forward, backward and AdamW on random rows of 128 tokens, 20 of them to foretell, of both heads, with dropout. The texts are of 8 to
128 tokens, one in four long, as those of GLUE are; padding to the longest means that of each batch as the texts come.
"""

import argparse
import contextlib
import os
import sys
import warnings
from pathlib import Path

import numpy as np
from harness import measure, report, timing_rows
from worker import Worker, serve

VOCABULARY, LENGTH, PREDICTIONS, TEXTS = 30_522, 128, 20, 256
STEP, MIXED = "step", "mixed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backends", nargs="*", default=["tensorflow"])
    parser.add_argument("--size", default="bert_mini")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--compiled", action="store_true", help="run Hugging Face's step under torch.compile too")
    parser.add_argument("--work")
    options = parser.parse_args()
    if options.work:
        sides = {"keras_richctx": richctx_side, "Hugging Face": hugging_face_side, "Hugging Face, compiled": hugging_face_side}
        tasks = sides[options.work](options)
        return serve(lambda task: tasks[task]() or "done")
    arguments = ["--size", options.size, "--rows", str(options.rows)]
    with contextlib.ExitStack() as stack:
        workers = {}
        for backend in options.backends:
            command = [sys.executable, __file__, "--work", "keras_richctx", *arguments]
            workers[f"keras_richctx on {backend}"] = stack.enter_context(Worker(backend, command, backend))
        if os.environ.get("PEERS"):
            for name in ("Hugging Face", "Hugging Face, compiled") if options.compiled else ("Hugging Face",):
                workers[name] = stack.enter_context(Worker(name, [os.environ["PEERS"], __file__, "--work", name, *arguments], "torch"))
        else:
            print("Left out, since PEERS names no Python that has it: Hugging Face.")
        baseline = "Hugging Face" if "Hugging Face" in workers else next(iter(workers))
        rounds = measure({side: lambda worker=worker: worker.ask(STEP) for side, worker in workers.items()}, repeats=options.repeats)
        sizes = f"{options.size}, {options.rows} rows of {LENGTH}, {PREDICTIONS} tokens to foretell in each, float32."
        report("bert_step", "A step of pre-training", timing_rows(rounds, baseline), sizes)
        ours = next(iter(workers.values()))
        ways = {"in length buckets": "buckets", "padded to the longest of each batch": "as they come", "padded to 128": "full"}
        rounds = measure({way: lambda task=task: ours.ask(task.replace(" ", "_")) for way, task in ways.items()}, repeats=options.repeats)
        words = f"{options.size} on {options.backends[0]}, {TEXTS} rows in batches of 32, of {lengths().sum():,} tokens together, float32."
        report("bert_mixed", "Rows of mixed length, classified", timing_rows(rounds, "padded to the longest of each batch"), words)
    return None


def lengths():
    """The lengths of the rows to classify: three in four of 8 to 32 tokens, the others of 33 to 128."""
    rng = np.random.default_rng(0)
    return np.where(rng.random(TEXTS) < 0.75, rng.integers(8, 33, TEXTS), rng.integers(33, LENGTH + 1, TEXTS))


def batch(rows):
    """A batch of pre-training: ids, segments, positions to foretell, what stands there, and whether the second text is next."""
    rng = np.random.default_rng(1)
    ids = rng.integers(5, VOCABULARY, (rows, LENGTH)).astype("int32")
    segments = np.repeat((np.arange(LENGTH) >= LENGTH // 2)[None], rows, axis=0).astype("int32")
    positions = np.sort(np.stack([rng.permutation(LENGTH)[:PREDICTIONS] for _ in range(rows)]), axis=1).astype("int32")
    return ids, segments, positions, rng.integers(5, VOCABULARY, (rows, PREDICTIONS)).astype("int32"), rng.integers(0, 2, rows).astype("int32")


def richctx_side(options):
    import keras

    import keras_richctx as krc
    from keras_richctx.bert.run import run_rows

    model = krc.models.BertForPretraining(krc.models.Bert.from_preset(options.size, tokenizer=None, vocab_size=VOCABULARY))
    model.compile(krc.training.warmup_adamw(1e-4, 1000), weighted_metrics=None)
    ids, segments, positions, labels, is_next = batch(options.rows)
    x = {"token_ids": ids, "segment_ids": segments, "padding_mask": np.ones(ids.shape, bool), "mask_positions": positions}
    y = {"mlm_logits": labels, "nsp_logits": is_next}
    weights = {"mlm_logits": np.ones(labels.shape, "float32"), "nsp_logits": np.ones(len(is_next), "float32")}
    classifier = krc.models.TextClassifier(krc.models.Bert.from_preset(options.size, tokenizer=None, vocab_size=VOCABULARY), 2)
    mask = np.arange(LENGTH) < lengths()[:, None]
    rows = {"token_ids": np.where(mask, np.random.default_rng(2).integers(5, VOCABULARY, mask.shape), 0).astype("int32"), "padding_mask": mask}
    rows["segment_ids"] = np.zeros_like(rows["token_ids"])

    def in_order(width_of):
        for start in range(0, TEXTS, 32):
            width = width_of(lengths()[start : start + 32])
            classifier.predict_on_batch({name: array[start : start + 32, :width] for name, array in rows.items()})

    keras.utils.set_random_seed(0)
    return {
        STEP: lambda: f"{float(model.train_on_batch(x, y, weights, return_dict=True)['loss']):.4f}",
        "buckets": lambda: str(len(run_rows(classifier, rows, lambda logits, _: logits))),
        "as_they_come": lambda: in_order(lambda counts: int(counts.max())),
        "full": lambda: in_order(lambda counts: LENGTH),
    }


def hugging_face_side(options):
    import torch
    import transformers

    sys.path.insert(0, str(Path(__file__).parents[1]))
    layers, width = {"bert_tiny": (2, 128), "bert_mini": (4, 256), "bert_small": (4, 512), "bert_medium": (8, 512), "bert_base": (12, 768)}[options.size]
    config = transformers.BertConfig(
        vocab_size=VOCABULARY, hidden_size=width, num_hidden_layers=layers, num_attention_heads=width // 64, intermediate_size=4 * width
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = transformers.BertForPreTraining(config).to(device).train()
    if options.work.endswith("compiled"):
        model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    ids, segments, positions, labels, is_next = (torch.as_tensor(array).long().to(device) for array in batch(options.rows))
    targets = torch.full_like(ids, -100).scatter(1, positions, labels)

    def step():
        loss = model(input_ids=ids, token_type_ids=segments, labels=targets, next_sentence_label=is_next).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return f"{loss.item():.4f}"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step()
    return {STEP: step}


if __name__ == "__main__":
    main()
