"""The tasks of the GLUE benchmark, from their official files."""

import dataclasses
import math
import warnings

from keras_richctx.datasets.labelled_texts import LabelledTexts
from keras_richctx.datasets.locate import locate_local
from keras_richctx.datasets.read_pairs import decode_lines

SITE = "https://gluebenchmark.com/tasks"
FILES = {"train": "train.tsv", "validation": "dev.tsv", "test": "test.tsv"}
ENTAILMENT = {"entailment": 0, "not_entailment": 1}


@dataclasses.dataclass(frozen=True)
class Task:
    """Where a task is and how its files are laid out.

    Args:
        folder: string, its folder.
        texts: tuple of the names of the columns with the text, or the two texts.
        label: string, the name of the column with the label.
        classes: dict from what the file writes to the id, or `None` for a number.
        names: tuple of strings, the names of the classes, or `None` for those of `classes`.
        files: dict from a split to the name of its file.
        columns: tuple of the names of the columns of training and validation files without a header, or `None`. Test files have one.
    """

    folder: str
    texts: tuple
    label: str
    classes: dict | None
    names: tuple | None = None
    files: dict = dataclasses.field(default_factory=lambda: FILES)
    columns: tuple | None = None


def _mnli(kind):
    files = {"train": "train.tsv", "validation": f"dev_{kind}.tsv", "test": f"test_{kind}.tsv"}
    return Task("MNLI", ("sentence1", "sentence2"), "gold_label", {"entailment": 0, "neutral": 1, "contradiction": 2}, files=files)


TASKS = {
    "cola": Task("CoLA", ("sentence",), "label", {"0": 0, "1": 1}, ("unacceptable", "acceptable"), columns=("source", "label", "mark", "sentence")),
    "sst-2": Task("SST-2", ("sentence",), "label", {"0": 0, "1": 1}, ("negative", "positive")),
    "mrpc": Task("MRPC", ("#1 String", "#2 String"), "Quality", {"0": 0, "1": 1}, ("not_equivalent", "equivalent")),
    "sts-b": Task("STS-B", ("sentence1", "sentence2"), "score", None),
    "qqp": Task("QQP", ("question1", "question2"), "is_duplicate", {"0": 0, "1": 1}, ("not_duplicate", "duplicate")),
    "mnli-m": _mnli("matched"),
    "mnli-mm": _mnli("mismatched"),
    "qnli": Task("QNLI", ("question", "sentence"), "label", ENTAILMENT),
    "rte": Task("RTE", ("sentence1", "sentence2"), "label", ENTAILMENT),
    "wnli": Task("WNLI", ("sentence1", "sentence2"), "label", {"0": 0, "1": 1}, ("not_entailment", "entailment")),
}


def load_glue(name, split="train", data_dir=None, on_bad="error"):
    r"""Loads one split of a task of GLUE, from the files that GLUE gives out.

    They are looked for as `glue/CoLA/train.tsv` or `CoLA/train.tsv` and so on in the data directory; they are not downloaded. MNLI is two tasks with the same
    training split, validated and tested on texts of the same kinds (`"mnli-m"`) and of others (`"mnli-mm"`).

    Columns go by the names in the header (CoLA's training and validation files have none). There is no quoting: a quotation mark is a character like any other,
    as in MRPC, where they do not come in pairs. A byte order mark is not text. Spaces around a text are dropped.

    Args:
        name: string, one of `"cola"`, `"sst-2"`, `"mrpc"`, `"sts-b"`, `"qqp"`, `"mnli-m"`, `"mnli-mm"`, `"qnli"`, `"rte"` and `"wnli"`.
        split: `"train"`, `"validation"` or `"test"`, which has no labels. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the files, or `None` for the one that the environment variable `KERAS_RICHCTX_DATA` names.
            Defaults to `None`.
        on_bad: string, what to do with a line that has too few columns or another label: `"error"`, or `"skip"` to leave it out, with a warning that says how
            many. Some lines of QQP's training file, where a question holds a line end, need it. Defaults to `"error"`.

    Returns:
        `LabelledTexts`: ids of classes in the order of its `names`, numbers from 0 to 5 for STS-B.

    Raises:
        FileNotFoundError: if there is no local copy of the file.
        ValueError: if there is no such split, or the file is not what it should be; the message names the file and the line.

    References:
        [Wang et al., 2019](https://arxiv.org/abs/1804.07461).
    """
    task = TASKS[name]
    if split not in task.files:
        raise ValueError(f"{name} has the splits {', '.join(task.files)}. Received: split={split!r}.")
    if on_bad not in ("error", "skip"):
        raise ValueError(f'on_bad must be "error" or "skip". Received: on_bad={on_bad!r}.')
    path = locate_local([f"{folder}{task.folder}/{task.files[split]}" for folder in ("glue/", "")], SITE, data_dir)
    lines = decode_lines(path.read_bytes(), path)
    header, first = (task.columns, 1) if task.columns and split != "test" else (tuple(lines[0].split("\t")), 2)
    wanted = (*task.texts, *(() if split == "test" else (task.label,)))
    if missing := [column for column in wanted if column not in header]:
        raise ValueError(
            f"{path}, line 1: the header of {name} has the columns {', '.join(wanted)}. Received: {', '.join(header)}, without {', '.join(missing)}."
        )
    places, rows, bad = [header.index(column) for column in wanted], [], []
    for number, line in enumerate(lines[first - 1 :], start=first):
        try:
            rows.append(_row(line.split("\t"), places, len(header), task, split))
        except ValueError as error:
            bad.append(f"{path}, line {number}: {error} Received: {line[:80]!r}")
            if on_bad == "error":
                raise ValueError(f'{bad[0]}. Mend the file, or leave such lines out with on_bad="skip".') from None
    if bad:
        warnings.warn(f"{len(bad):,} of {len(lines) - first + 1:,} lines left out, the first of them {bad[0]}.", stacklevel=2)
    columns = [list(column) for column in zip(*rows)] or [[] for _ in wanted]
    names = None if task.classes is None else task.names or tuple(task.classes)
    return LabelledTexts(columns[0], columns[1] if len(task.texts) == 2 else None, None if split == "test" else columns[-1], names)


def _row(columns, places, width, task, split):
    """Returns the texts of a line, and its label where there is one, or raises with what is wrong."""
    if len(columns) < width:
        raise ValueError(f"{len(columns)} columns, where {width} are needed.")
    values = [columns[place].strip() for place in places]
    if split == "test":
        return values
    return [*values[:-1], _label(values[-1], task)]


def _label(text, task):
    if task.classes is not None:
        if text not in task.classes:
            raise ValueError(f"the label {text!r} is none of {', '.join(task.classes)}.")
        return task.classes[text]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 5:
        raise ValueError(f"the score {text!r} is no number from 0 to 5.")
    return number
