"""Fine-tuning in a directory: a run for each learning rate and seed, the best model, and what all of them scored."""

import dataclasses
import hashlib
import json
import shutil

import keras
import numpy as np
from rich.table import Table

from richctx.console import note, results, say
from richctx.files import make_directory, written_whole
from richctx.model_directory import ModelDirectory
from richctx.training_run import versions


class FineTuneDirectory(ModelDirectory):
    """A `ModelDirectory` of several runs, `runs/NAME`, and the best model of them, `model`."""

    def __init__(self, path):
        super().__init__(path)
        self.model = self.path / "model"
        self.checkpoint = self.path / "runs"

    def save(self, model):
        """Puts a model in the place of the one that is there: in the layout of Hugging Face, or, where that has none for it, as `model.keras`."""
        part = self.path / "model.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        if hasattr(model, "save_to_preset"):
            model.save_to_preset(part)
        else:
            plain = type(model).from_config(model.get_config())  # without the optimizer, whose state is twice as large
            plain.set_weights(model.get_weights())
            plain.save(part / "model.keras")
        shutil.rmtree(self.model, ignore_errors=True)
        part.rename(self.model)


def finetune_model(out, task, weights, data, recipes, features, max_length, dtype):
    """Fine-tunes a model in a directory, once for each recipe, or goes on with it there, and says how good it is.

    Args:
        out: path of the directory.
        task: `keras_richctx.finetuning.Task`.
        weights: string, what `Bert.from_preset` takes.
        data: path of the directory of the official files, or `None`.
        recipes: list of `FineTuning`.
        features: `Features`.
        max_length: integer, the most tokens of a row.
        dtype: string, the dtype policy.

    Raises:
        FileNotFoundError: if weights or data are missing.
        ValueError: if the directory holds the runs of other settings or data, or the settings do not fit the task.
        OSError: if the directory cannot be written to, or its disk is full.
        KeyboardInterrupt: on Ctrl-C, with the state saved.
    """
    training = task.read(task.sets[0], "train", data)
    validation = {name: task.read(name, "validation", data) for name in task.sets}
    test = _test_sets(task, data)
    model = task.make_model(weights, training, features, max_length, dtype=dtype)  # what does not fit is an error before anything is written
    directory = FineTuneDirectory(out)
    result = directory.claim(_plan(task, weights, recipes, features, max_length, dtype, [training, *validation.values()]))
    if result:
        say(f"{out} holds this, trained already: {_best(result['runs'], task)['name']} is the best run. Nothing was done.")
        _show(result["runs"], task)
        return
    directory.check_space(model)
    say(f"{len(training):,} examples to train on, {sum(map(len, validation.values())):,} to validate on; {model.count_params():,} weights.")
    runs = []
    for recipe in recipes:
        name = f"lr-{recipe.learning_rate:g}-seed-{recipe.seed}"
        try:
            runs.append(_run(directory, name, task, recipe, (weights, training, features, max_length, dtype), validation, test, runs))
        except KeyboardInterrupt:
            raise KeyboardInterrupt("Run the same command again to go on.") from None
    directory.finish({"runs": runs, "best": _best(runs, task)["name"], "versions": versions()})
    _show(runs, task)
    say(f"The best model is in {directory.model}, predictions of each run in {directory.checkpoint}.")


def _run(directory, name, task, recipe, made_of, validation, test, runs):
    """Trains and measures one model, unless that is done; returns what is known of it, a dict."""
    place = make_directory(directory.checkpoint / name)
    record = place / "result.json"
    if record.exists():
        return json.loads(record.read_text(encoding="utf-8"))
    say(f"{name}:")
    weights, training, features, max_length, dtype = made_of
    keras.backend.clear_session()
    keras.utils.set_random_seed(recipe.seed)
    model = task.make_model(weights, training, features, max_length, dtype=dtype)
    batches = task.batches(model, training, max_length, recipe.batch_size, recipe.seed)
    groups = task.layer_groups(model) if recipe.layer_decay else None
    history = recipe.fit(model, batches, groups, checkpoint_dir=place / "checkpoint")
    scores = {split: _measure(task, model, sets, max_length, make_directory(place / split)) for split, sets in (("validation", validation), ("test", test))}
    run = {"name": name, **dataclasses.asdict(recipe), **scores}
    run["history"] = {key: [float(value) for value in values] for key, values in history.history.items()}
    if run is _best([*runs, run], task):
        directory.save(model)
    with written_whole(record) as part:
        part.write_text(json.dumps(run, indent=1), encoding="utf-8")
    shutil.rmtree(place / "checkpoint")
    return run


def _measure(task, model, sets, max_length, place):
    """Predicts for some sets, writes that down, and returns the scores of each where its labels are known."""
    scores = {}
    for name, examples in sets.items():
        predictions = task.predict(model, examples, max_length)
        task.write(predictions, examples, name, place)
        if getattr(examples, "labels", True) is not None:
            scores[name] = task.scores(predictions, examples)
    return scores


def _test_sets(task, data):
    """Reads the test sets that there are."""
    sets = {}
    for name in task.sets if task.has_test else ():
        try:
            sets[name] = task.read(name, "test", data)
        except FileNotFoundError as error:
            note(f"no predictions for a test set: {error}", "Note", "yellow")
    return sets


def _best(runs, task):
    """Returns the run with the highest score on the first validation set, the first of equals."""
    return max(runs, key=lambda run: run["validation"][task.sets[0]][task.measure])


def _plan(task, weights, recipes, features, max_length, dtype, examples):
    """What the results hang on."""
    digest = hashlib.sha256()
    for each in examples:
        for example in each:
            digest.update(repr(example).encode("utf-8", "surrogatepass"))
    settings = dataclasses.asdict(recipes[0])
    settings |= {"learning_rate": sorted({recipe.learning_rate for recipe in recipes}), "seed": sorted({recipe.seed for recipe in recipes})}
    where = {"task": task.name, "weights": weights, "max_length": max_length, "dtype": dtype, "examples": digest.hexdigest()[:16]}
    return {**where, **settings, **dataclasses.asdict(features)}


def _show(runs, task):
    """Prints the mean and the deviation of each learning rate, and the best run."""
    table = Table(box=None)
    for column in ("set", "measure", "learning rate", "mean", "deviation", "best", "runs"):
        table.add_column(column, justify="left" if column in ("set", "measure") else "right")
    for split in ("validation", "test"):
        for name, measures in runs[0][split].items():
            for measure in measures:
                for rate in dict.fromkeys(run["learning_rate"] for run in runs):
                    values = np.array([run[split][name][measure] for run in runs if run["learning_rate"] == rate])
                    scale = 1 if measure == "threshold" else 100
                    deviation = f"{scale * values.std(ddof=1):.2f}" if len(values) > 1 else "-"
                    shown = [f"{scale * values.mean():.2f}", deviation, f"{scale * values.max():.2f}", str(len(values))]
                    table.add_row(f"{name} {split}", measure, f"{rate:g}", *shown)
    results.print(table)
    say(f"The best on {task.sets[0]} by {task.measure}: {_best(runs, task)['name']}. All measures but thresholds are times 100.")
