"""MiniLM fine-tuned for seven tasks, with seeds: text becomes arrays here, the training runs wherever Keras and an engine are, and the table is made here.

Usage: bench_finetune.py prepare FOLDER --weights DIR [--toy]   (official files in KERAS_RICHCTX_DATA; writes arrays, and the weights in float16)
       bench_finetune.py run FOLDER RESULTS.npz [--tasks rte mrpc] [--seeds 5] [--learning-rate 5e-5] [--epochs 3] [--dtype mixed_bfloat16] [--steps 2]
       bench_finetune.py table FOLDER RESULTS.npz ...

`run` needs Keras, its engine (KERAS_BACKEND) and what `import keras_richctx` takes, but neither TensorFlow nor data sets. Where RESULTS is there, what it holds
is not run again. `--side hugging-face` runs the same recipe for GLUE's tasks in the trainer of the library transformers.

SQuAD's training set is not used: its development set is parted by article, and the last three in ten articles are answered. WNUT-17 is measured on its test
set, GLUE on the development sets.
"""

import argparse
import json
import shutil
import time
from pathlib import Path

import numpy as np

GLUE = ("sst-2", "rte", "mrpc", "cola", "sts-b")
TASKS = (*GLUE, "wnut17", "squad-1.1")
# learning rate, batch size, epochs: of what is published, the highest rate, as befits a small encoder
RECIPES = {"sst-2": (5e-5, 32, 3), "squad-1.1": (5e-5, 16, 3), "wnut17": (5e-5, 16, 4), **dict.fromkeys(("rte", "mrpc", "cola", "sts-b"), (5e-5, 16, 4))}
LENGTH, WINDOW, SHARE = 128, 384, 0.7
TOKENIZER = ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "run", "table"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path, nargs="*")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--toy", action="store_true", help="a few dozen examples of each task")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--side", choices=["keras_richctx", "hugging-face"], default="keras_richctx")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--steps", type=int, help="stop each training after as many steps, to see that all works")
    parser.add_argument("--dtype", default="float32")
    options = parser.parse_args()
    {"prepare": prepare, "run": run, "table": table}[options.step](options)


def prepare(options):
    """Writes what `run` reads: the weights in float16, and of each task its rows."""
    from keras_richctx.bert import Bert
    from keras_richctx.checkpoints import read_safetensors, write_safetensors

    folder, weights = options.folder, options.folder / "weights"
    weights.mkdir(parents=True, exist_ok=True)
    for name in TOKENIZER:
        if (options.weights / name).is_file():
            shutil.copy(options.weights / name, weights / name)
    arrays = {name: array.astype("float16") if array.dtype.kind == "f" else array for name, array in read_safetensors(options.weights).items()}
    write_safetensors(weights / "model.safetensors", arrays, {"format": "pt"})
    bert = Bert.from_preset(weights)
    for name in TASKS:
        arrays = prepare_one(name, bert, 40 if options.toy else None)
        np.savez_compressed(folder / f"{name}.npz", **arrays)
        print(f"{name}: {(folder / f'{name}.npz').stat().st_size / 1e6:.2f} MB")


def examples_of(name, toy=None):
    """Returns the examples to train on and those to measure on."""
    import keras_richctx as krc

    task = krc.finetuning.task(name)
    if name == "squad-1.1":
        training, held_out = task.read(name, "validation").split_by_article(SHARE)
    else:
        training, held_out = task.read(name, "train"), task.read(name, "test" if name == "wnut17" else "validation")
    return training[:toy], held_out[:toy]


def prepare_one(name, bert, toy):
    """Returns the arrays of a task by name, those to train on with `train/` before it and those to measure on with `test/`."""
    import types

    import keras_richctx as krc
    from keras_richctx.finetuning.squad_task import span_targets

    task, model, arrays = krc.finetuning.task(name), types.SimpleNamespace(bert=bert), {}
    for part, examples in zip(("train", "test"), examples_of(name, toy)):
        if name == "wnut17":
            rows = {"sentences": np.array(json.dumps(examples.words)), "tags": np.array(json.dumps(examples.tags))}
        elif name == "squad-1.1":
            rows, windows = task.rows(model, examples, WINDOW)
            rows |= {"targets": span_targets(windows, examples), "max_context": windows["max_context"], "in_context": windows["spans"][..., 0] >= 0}
        else:
            rows = {**task.rows(model, examples, LENGTH), "targets": task.targets(examples)}
        arrays |= {f"{part}/{key}": small(key, array) for key, array in rows.items()}
    return arrays


def small(name, array):
    """Returns the same numbers in fewer bytes."""
    return array.astype({"token_ids": "uint16", "segment_ids": "uint8"}.get(name, array.dtype))


def run(options):
    """Trains and predicts, and writes the predictions, after each run."""
    (path,) = options.results
    done = dict(np.load(path)) if path.exists() else {}
    for name in options.tasks:
        if options.side == "hugging-face" and name not in GLUE:
            continue
        rate, batch_size, epochs = RECIPES[name]
        settings = {"learning_rate": options.learning_rate or rate, "batch_size": batch_size, "epochs": options.epochs or epochs}
        data = dict(np.load(options.folder / f"{name}.npz"))
        trainer = None
        for seed in range(options.seeds):
            key = f"{options.side}/{name}/{seed}"
            if f"{key}/seconds" in done:
                continue
            start = time.perf_counter()
            if options.side == "hugging-face":
                found = hugging_face(options.folder / "weights", data, settings, seed, options)
            else:
                trainer = trainer or Trainer(name, options.folder / "weights", data, settings, options)
                found = trainer.run(seed)
            seconds = time.perf_counter() - start
            done |= {f"{key}/{part}": array for part, array in found.items()} | {
                f"{key}/seconds": seconds,
                f"{options.side}/{name}/recipe": json.dumps(settings),
            }
            with open(path, "wb") as file:
                np.savez_compressed(file, **done)
            print(f"{key}: {seconds:.1f} s, the last loss {found['loss'][-1]:.4f}", flush=True)


class Trainer:
    """One model for all seeds of a task, so that each shape of a batch is compiled once: every run starts from the same weights, with a head of its own."""

    def __init__(self, name, weights, data, settings, options):
        import keras

        from keras_richctx.finetuning import FineTuning
        from keras_richctx.finetuning.abstract_task import new_heads

        self.name, self.steps = name, options.steps
        self.recipe = FineTuning(**settings)
        self.parts = {part: {key.removeprefix(f"{part}/"): array for key, array in data.items() if key.startswith(f"{part}/")} for part in ("train", "test")}
        keras.utils.set_random_seed(0)
        with new_heads():
            self.model, self.head = self.make_model(weights, options.dtype)
        self.first = self.model.get_weights()
        self.inputs, self.targets, self.multiple = self.rows()
        self.model.compile(self.recipe.optimizer(-(-len(self.targets) // self.recipe.batch_size) * self.recipe.epochs))
        self.model.optimizer.build(self.model.trainable_variables)

    def make_model(self, weights, dtype):
        """Returns the model, and the matrix of its head, which is new."""
        from keras_richctx.bert import Bert, SpanAnswerer, TextClassifier
        from keras_richctx.tagging import BertWords, TokenTagger

        if self.name == "wnut17":
            tags = sorted({tag for part in self.parts.values() for sentence in json.loads(str(part["tags"])) for tag in sentence})
            model = TokenTagger(BertWords(Bert.from_preset(weights, pooler=False, dtype=dtype)), tags, dtype=dtype)
        elif self.name == "squad-1.1":
            model = SpanAnswerer.from_preset(weights, dtype=dtype)
        else:
            classes = 1 if self.name == "sts-b" else int(self.parts["train"]["targets"].max()) + 1
            model = TextClassifier(Bert.from_preset(weights, pooler=True, dtype=dtype), classes)
        outer = {id(variable) for variable in (model.encoder.bert if self.name == "wnut17" else model.bert).variables}
        (head,) = (variable for variable in model.trainable_variables if id(variable) not in outer and variable.path.endswith("/kernel"))
        return model, head

    def rows(self):
        """Returns what the model reads to train on, its targets, and of what the lengths of batches are multiples."""
        if self.name != "wnut17":
            part = self.parts["train"]
            return self.given(part), part["targets"], 64 if self.name in GLUE else 192
        inputs, targets = self.words("train")
        return inputs, targets, inputs["token_ids"].shape[1]  # one shape

    def given(self, part):
        """Returns the inputs among the arrays of a part."""
        inputs = {name: part[name].astype("int32") for name in ("token_ids", "segment_ids")} | {"padding_mask": part["padding_mask"]}
        if self.name == "squad-1.1":
            inputs["context_mask"] = part["in_context"] | (np.arange(inputs["token_ids"].shape[1]) == 0)
        return inputs

    def words(self, part):
        """Returns the inputs of all sentences, and their tags, -1 at pads."""
        inputs = self.model.prepare(json.loads(str(self.parts[part]["sentences"])))
        targets = np.full(inputs["word_mask"].shape, -1, "int32")
        for row, tags in zip(targets, json.loads(str(self.parts[part]["tags"]))):
            row[: len(tags)] = [self.model.tags.index(tag) for tag in tags]
        return inputs, targets

    def reset(self, seed):
        """Brings the model back to its first weights, with a head and dropout of the seed, and forgets what the optimizer knows."""
        import keras

        self.model.set_weights(self.first)
        rng = np.random.default_rng(seed)
        self.head.assign(rng.normal(scale=0.02, size=self.head.shape).astype("float32"))
        for layer in self.model._flatten_layers():
            for generator in vars(layer).values():
                if isinstance(generator, keras.random.SeedGenerator):
                    generator.state.assign(rng.integers(2**31, size=2).astype("uint32"))
        for variable in self.model.optimizer.variables:
            variable.assign(np.zeros(variable.shape))

    def run(self, seed):
        """Trains, and returns what the model says of the examples to measure on, and the loss of each epoch."""
        import itertools

        from keras_richctx.datasets import row_batches

        self.reset(seed)
        batches = row_batches(self.inputs, self.targets, self.recipe.batch_size, seed=seed, pad_to_multiple=self.multiple)
        if self.steps:
            losses = [float(self.model.train_on_batch(x, y, return_dict=True)["loss"]) for x, y in itertools.islice(iter_batches(batches), self.steps)]
        else:
            losses = self.model.fit(batches, epochs=self.recipe.epochs, verbose=0, shuffle=False).history["loss"]
        return {**self.predict(), "loss": np.array(losses)}

    def predict(self):
        from keras_richctx.bert.answer import window_spans
        from keras_richctx.bert.run import run_rows

        part = self.parts["test"]
        if self.name == "squad-1.1":
            windows = {"spans": np.where(part["in_context"], 0, -1)[..., None], "max_context": part["max_context"]}
            found = window_spans(self.model, self.given(part), windows, n_best=1)
            return {key: np.array([each[key] for each in found]) for key in found[0]}
        if self.name == "wnut17":
            inputs, _ = self.words("test")
            count = len(inputs["word_mask"])
            ids = []
            for start in range(0, count, 32):
                rows = np.minimum(np.arange(start, start + 32), count - 1)
                ids.append(np.asarray(self.model.predict_on_batch({name: array[rows] for name, array in inputs.items()})).argmax(axis=-1))
            return {"tags": np.concatenate(ids)[:count].astype("int8"), "names": np.array(self.model.tags)}
        return {"logits": np.stack(run_rows(self.model, self.given(part), lambda logits, rows: np.asarray(logits, "float32")))}


def iter_batches(batches):
    """Goes through a pass of batches of either kind."""
    return (batches[i] for i in range(len(batches))) if hasattr(batches, "on_epoch_end") else ((x, y) for x, y in batches)


def hugging_face(weights, data, settings, seed, options):
    """The same recipe in the trainer of the library transformers, for a task of GLUE."""
    import tempfile

    import torch
    import transformers

    transformers.set_seed(seed)
    targets = data["train/targets"]
    classes = 1 if targets.dtype.kind == "f" else int(targets.max()) + 1
    model = transformers.AutoModelForSequenceClassification.from_pretrained(weights, num_labels=classes, dtype=torch.float32)

    def rows(part):
        lengths = data[f"{part}/padding_mask"].sum(axis=1)
        for i, length in enumerate(lengths):
            row = {"input_ids": data[f"{part}/token_ids"][i, :length].astype(int).tolist(), "token_type_ids": data[f"{part}/segment_ids"][i, :length].tolist()}
            label = data[f"{part}/targets"][i]
            yield {**row, "attention_mask": [1] * int(length), "labels": float(label[0]) if classes == 1 else int(label)}

    def collate(batch):
        width = max(len(row["input_ids"]) for row in batch)
        tensors = {name: torch.tensor([row[name] + [0] * (width - len(row[name])) for row in batch]) for name in batch[0] if name != "labels"}
        return {**tensors, "labels": torch.tensor([row["labels"] for row in batch])}

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            learning_rate=settings["learning_rate"],
            per_device_train_batch_size=settings["batch_size"],
            per_device_eval_batch_size=32,
            num_train_epochs=settings["epochs"],
            max_steps=options.steps or -1,
            warmup_steps=0.1,  # below one, the part of the steps
            lr_scheduler_type="linear",
            weight_decay=0.01,
            adam_epsilon=1e-6,
            max_grad_norm=1.0,
            bf16=options.dtype == "mixed_bfloat16",
            seed=seed,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            logging_steps=1 if options.steps else 100,
        )
        trainer = transformers.Trainer(model=model, args=arguments, train_dataset=list(rows("train")), data_collator=collate)
        trainer.train()
        logits = trainer.predict(list(rows("test"))).predictions
    return {"logits": np.asarray(logits, "float32"), "loss": np.array([entry["loss"] for entry in trainer.state.log_history if "loss" in entry])}


def table(options):
    """Scores all runs, and writes the table."""
    from harness import report

    from keras_richctx.bert import Bert

    done = {key: array for path in options.results for key, array in np.load(path).items()}
    bert = Bert.from_preset(options.folder / "weights")
    rows = []
    for name in TASKS:
        for side in ("keras_richctx", "hugging-face"):
            seeds = sorted(int(key.split("/")[2]) for key in done if key.startswith(f"{side}/{name}/") and key.endswith("/seconds"))
            if not seeds:
                continue
            scores = [
                score(name, bert, {key.split("/")[3]: done[key] for key in done if key.startswith(f"{side}/{name}/{seed}/")}, options.toy) for seed in seeds
            ]
            settings = json.loads(str(done[f"{side}/{name}/recipe"]))
            for measure in scores[0]:
                values = 100 * np.array([each[measure] for each in scores])
                row = {"task": name, "measure": measure, "side": side, "mean": f"{values.mean():.2f}"}
                row["deviation"] = f"{values.std(ddof=1):.2f}" if len(values) > 1 else ""
                row |= {"lowest": f"{values.min():.2f}", "highest": f"{values.max():.2f}", "seeds": len(values)}
                rows.append({**row, "recipe": f"{settings['learning_rate']:g}, {settings['batch_size']}, {settings['epochs']}"})
    note = (
        "all-MiniLM-L6-v2 (22.7 million weights, read from float16). All measures times 100, the deviation that of a sample. The recipe is the highest "
        "learning rate, the batch size and the epochs. SQuAD is trained on the first seven in ten articles of the development set, and measured on the others."
    )
    report("finetune", "MiniLM fine-tuned", rows, note)


def score(name, bert, found, toy):
    """Scores one run on the examples that were held out: a dict of floats."""
    import types

    import keras_richctx as krc
    from keras_richctx.bert.answer import join_windows

    task, (_, examples) = krc.finetuning.task(name), examples_of(name, 40 if toy else None)
    if name == "wnut17":
        names = found["names"].tolist()
        predictions = [[names[i] for i in ids[: len(words)]] for ids, words in zip(found["tags"], examples.words)]
    elif name == "squad-1.1":
        _, windows = task.rows(types.SimpleNamespace(bert=bert), examples, WINDOW)
        spans = [{key: found[key][i] for key in ("starts", "ends", "scores", "null_scores")} for i in range(len(windows["example"]))]
        predictions = task.decide(join_windows(windows, spans, [each.context for each in examples], n_best=1), examples)
    else:
        predictions = task.decide(found["logits"])
    return task.scores(predictions, examples)


if __name__ == "__main__":
    main()
