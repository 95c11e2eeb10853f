"""How fast text becomes masked batches: this library, tensorflow-text's own masking and Hugging Face's tokenizer and collator, in one run.

The peers need an environment of their own, as their requirements differ: PEERS=/path/to/its/python bench_masking.py. Without it they are left out, and named.
Each side is a process; they take turns, each waiting until it is asked. All have one vocabulary, learnt from the text: Tiny Shakespeare,
thirty speeches a document.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from harness import measure, ratio, report
from worker import Worker, serve

ROWS, LENGTH, BATCHES, PASSES, VOCABULARY = 256, 128, 20, 4, 8000
SIDES = {"keras_richctx": ("token", "word", "span", "text", "pairs"), "tensorflow-text": ("token",), "Hugging Face": ("token", "text")}
WORK = {
    "token": "ids: tokens masked",
    "word": "ids: whole words masked",
    "span": "ids: spans masked",
    "text": "lines of text: tokenized, padded, masked",
    "pairs": "the corpus, tokenized before: paired, padded, masked",
}


def main():
    import keras_richctx as krc

    peers = os.environ.get("PEERS")
    sides = [side for side in SIDES if peers or side != "Hugging Face"]
    print(f"Left out, for want of PEERS: {', '.join(side for side in SIDES if side not in sides) or 'none'}.")
    rows = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        speeches = krc.datasets.load("tinyshakespeare").split("\n\n")
        scenes = ["\n".join(speeches[i : i + 30]) for i in range(0, len(speeches), 30)]
        Path(folder, "text.txt").write_text("\n\n".join(scenes), encoding="utf-8")
        krc.text.WordPieceTokenizer.train([Path(folder, "text.txt")], VOCABULARY).save_vocabulary(folder)
        pythons = {side: peers if side == "Hugging Face" else sys.executable for side in sides}
        workers = {side: stack.enter_context(Worker(side, [pythons[side], __file__, "--work", side, folder], "tensorflow")) for side in sides}
        for work, what in WORK.items():
            asked = {side: worker for side, worker in workers.items() if work in SIDES[side]}
            tokens = {side: int(worker.ask(f"{work} count")) for side, worker in asked.items()}
            rounds = measure({side: lambda worker=worker, work=work: worker.ask(f"{work} run") for side, worker in asked.items()}, repeats=7, warmup=2)
            for side, seconds in rounds.items():
                row = {"work": what, "side": side, "thousand tokens a second": f"{tokens[side] / np.median(seconds) / 1e3:,.0f}"}
                times, (low, high) = ratio(rounds, "keras_richctx", side)
                scale = tokens["keras_richctx"] / tokens[side]  # a side that cuts the text otherwise has other numbers of tokens
                same = side == "keras_richctx"
                row["keras_richctx is faster by"] = "" if same else f"{scale / times:.1f} ({scale / high:.1f} to {scale / low:.1f})"
                rows.append(row)
    note = (
        f"Real tokens, pads not counted, in rows of {LENGTH}; batches of {ROWS}. Masking 15 %, 80/10/10. Ids are rows without pads. "
        f"Lines of text are padded to {LENGTH // 4}. Hugging Face: "
        "the fast tokenizer and `torch_mask_tokens` of `DataCollatorForLanguageModeling`; tensorflow-text: `mask_language_model`."
    )
    report("masking", "Masked batches", rows, note)


def work(name, folder):
    """Runs in the process of a side."""
    tasks = {"keras_richctx": richctx_side, "tensorflow-text": tensorflow_text_side, "Hugging Face": hugging_face_side}[name](folder)

    def answer(task, what):
        tokens = tasks[task]()
        return tokens if what == "count" else "done"

    serve(answer)


def dense_rows(count):
    """Rows of ids without pads, `[CLS]` = 2 and `[SEP]` = 3 at the ends."""
    ids = np.random.default_rng(0).integers(5, VOCABULARY, (count, ROWS, LENGTH)).astype("int32")
    ids[..., 0], ids[..., -1] = 2, 3
    return ids


def lines_of(folder):
    """The lines of the text, cut where they are, without empty ones."""
    return [line for line in Path(folder, "text.txt").read_text(encoding="utf-8").split("\n") if line.strip()]


def richctx_side(folder):
    import tensorflow as tf

    import keras_richctx as krc

    tokenizer = krc.text.WordPieceTokenizer.from_preset(folder)
    full = tf.data.Dataset.from_tensor_slices(dense_rows(BATCHES)).enumerate()

    def masked(unit):
        def mask(i, ids):
            return krc.datasets.mask_tokens(ids, tf.ones_like(ids, tf.bool), tokenizer, tf.stack([0, i]), unit=unit)

        dataset = full.map(mask, num_parallel_calls=tf.data.AUTOTUNE).prefetch(4)
        return lambda: sum(1 for _ in dataset) * ROWS * LENGTH

    def from_text(i, texts):
        inputs = krc.text.pack_pairs(tokenizer, texts, length=LENGTH // 4)
        return inputs["padding_mask"], krc.datasets.mask_tokens(inputs["token_ids"], inputs["padding_mask"], tokenizer, tf.stack([0, i]))

    lines = tf.data.Dataset.from_tensor_slices(lines_of(folder)).batch(ROWS).cache().enumerate().map(from_text, num_parallel_calls=tf.data.AUTOTUNE).prefetch(4)
    pairs = krc.datasets.masked_lm_pairs([Path(folder, "text.txt")], tokenizer, batch_size=ROWS, length=LENGTH, cache_dir=folder)

    def run_pairs():
        return sum(int(x["padding_mask"].numpy().sum()) for x, _, _ in pairs.repeat(PASSES))

    def run_text():
        return sum(int(mask.numpy().sum()) for mask, _ in lines)

    return {**{unit: masked(unit) for unit in ("token", "word", "span")}, "text": run_text, "pairs": run_pairs}


def tensorflow_text_side(folder):
    import tensorflow as tf
    import tensorflow_text as tf_text

    selector = tf_text.RandomItemSelector(20, selection_rate=0.15, unselectable_ids=[2, 3])
    values = tf_text.MaskValuesChooser(VOCABULARY, 4, 0.8)

    def mask(ids):
        ragged = tf.RaggedTensor.from_tensor(ids)
        masked, positions, labels = tf_text.mask_language_model(ragged, selector, values)
        packed = [tf_text.pad_model_inputs(part, size) for part, size in ((masked, LENGTH), (positions, 20), (labels, 20))]
        return packed

    dataset = tf.data.Dataset.from_tensor_slices(dense_rows(BATCHES)).map(mask, num_parallel_calls=tf.data.AUTOTUNE).prefetch(4)
    return {"token": lambda: sum(1 for _ in dataset) * ROWS * LENGTH}


def hugging_face_side(folder):
    import torch
    import transformers

    vocab = Path(folder, "vocab.txt").read_text(encoding="utf-8").splitlines()
    tokenizer = transformers.BertTokenizerFast(vocab={token: i for i, token in enumerate(vocab)})
    collator = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    rows, special = torch.from_numpy(dense_rows(BATCHES)).long(), torch.zeros(ROWS, LENGTH, dtype=torch.bool)
    special[:, [0, -1]] = True
    lines = lines_of(folder)

    def masked():
        for ids in rows:
            collator.torch_mask_tokens(ids.clone(), special_tokens_mask=special)
        return rows.numel()

    def from_text():
        tokens = 0
        options = {"padding": "max_length", "truncation": True, "max_length": LENGTH // 4, "return_tensors": "pt", "return_special_tokens_mask": True}
        for start in range(0, len(lines), ROWS):
            encoded = tokenizer(lines[start : start + ROWS], **options)
            collator.torch_mask_tokens(encoded["input_ids"], special_tokens_mask=encoded["special_tokens_mask"].bool())
            tokens += int(encoded["attention_mask"].sum())
        return tokens

    return {"token": masked, "text": from_text}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
