"""A directory that holds one trained model, how it was trained, and the checkpoint of a training that is under way."""

import json
import zipfile
from pathlib import Path

import keras

import keras_richctx  # noqa: F401  # registers the classes that a model file holds
from keras_richctx.translation import Translator
from richctx.files import check_space, make_directory, written_whole


class ModelDirectory:
    """Keeps `model.keras`, `training.json` and `checkpoint/` of one model apart from those of every other.

    `training.json` is written before training begins, so that a directory is its model's from the first checkpoint on: another model, of other settings,
    pairs or vocabularies, is refused there, and nothing is overwritten.

    Args:
        path: path of the directory.
        writes: boolean; `False` for a worker beside the one that writes. Defaults to `True`.
    """

    def __init__(self, path, writes=True):
        self.path = Path(path)
        self.writes = writes
        self.model = self.path / "model.keras"
        self.checkpoint = self.path / "checkpoint"
        self._record = self.path / "training.json"

    def claim(self, plan):
        """Makes the directory, if it is not there, and writes down what will be trained in it.

        Args:
            plan: dict of all that the trained model hangs on, with names for people to read, that JSON can hold.

        Returns:
            The result of the training, a dict, if it has ended already; else `None`.

        Raises:
            ValueError: if the directory is another model's; the message names what differs.
            OSError: if it cannot be written to.
        """
        make_directory(self.path)
        record, begun = self.record(), self.model.exists() or any(self.checkpoint.glob("*"))
        if not begun:
            if self.writes:
                self._write({"plan": plan})
            return None
        if record is None:
            what = "a model or a checkpoint, and no training.json that tells how it was made"
            raise ValueError(f"{self.path} holds {what}. Choose another --out; nothing was changed.")
        if record["plan"] != plan:
            there = record["plan"]
            different = "; ".join(f"{name} {there.get(name)} there, {plan.get(name)} here" for name in {**there, **plan} if there.get(name) != plan.get(name))
            raise ValueError(f"{self.path} holds another model: {different}. Choose another --out, or delete {self.path}; nothing was changed.")
        return record.get("result") if self.model.exists() else None

    def record(self):
        """Returns what `training.json` holds, or `None` if there is no such file.

        Raises:
            ValueError: if it is damaged.
        """
        try:
            record = json.loads(self._record.read_text(encoding="utf-8"))
            if not isinstance(record["plan"], dict):
                raise ValueError("its plan is no table")
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self._record} is damaged ({error}). Put a copy back, or delete {self.path}; nothing was changed.") from error
        return record

    def check_space(self, model):
        """Raises `OSError` where the disk has no room for the model and its checkpoints.

        These are three while one is written, and each holds the weights, the two averages of the optimizer, and the best weights.
        """
        size = 4 * model.count_params()  # bytes, in float32
        check_space(self.path, size * (3 * 4 + 1))

    def save(self, model):
        """Writes the model, without its optimizer, whose state is twice as large."""
        plain = type(model).from_config(model.get_config())
        plain.set_weights(model.get_weights())
        with written_whole(self.model) as part:
            plain.save(part)

    def finish(self, result):
        """Adds the result, a dict, to `training.json`."""
        self._write({**self.record(), "result": result})

    def load(self):
        """Loads the model.

        Raises:
            FileNotFoundError: if there is none; the message says whether its training can go on.
            ValueError: if the file is damaged, or holds something else than a translation model.
        """
        if not self.model.is_file():
            if self.checkpoint.exists():
                raise FileNotFoundError(f"The training in {self.path} has not ended. Run its `richctx translate train` again to go on with it.")
            raise FileNotFoundError(f"{self.path} holds no model.keras. Train one: richctx translate train --pairs FILE --out {self.path}")
        if not zipfile.is_zipfile(self.model):
            raise ValueError(f"{self.model} is damaged, or no model: a .keras file is a zip archive. Put a copy back, or train again with another --out.")
        try:
            model = keras.saving.load_model(self.model)
        except Exception as error:  # a damaged archive can fail in any way
            raise ValueError(f"{self.model} cannot be read as a model: {type(error).__name__}: {error}") from error
        if not isinstance(model, Translator):
            raise ValueError(f"{self.model} is not a translation model. Received: a {type(model).__name__}")
        return model

    def _write(self, record):
        with written_whole(self._record) as part:
            part.write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
