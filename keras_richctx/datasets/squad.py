"""SQuAD: questions on articles of Wikipedia, answered by spans of them, or by none."""

import json
from pathlib import Path

from keras_richctx.datasets.locate import locate
from keras_richctx.datasets.questions import Question, Questions

URL = "https://rajpurkar.github.io/SQuAD-explorer/dataset/"
FILES = {"train": "train", "validation": "dev"}
COUNTS = {"train-v1.1.json": 87599, "dev-v1.1.json": 10570, "train-v2.0.json": 130319, "dev-v2.0.json": 11873}  # questions, as published


def load_squad(version, split="train", data_dir=None):
    """Loads one split of SQuAD (CC BY-SA 4.0).

    The file is downloaded once into `cache_dir()`, unless there is a local copy, `squad/dev-v1.1.json` and so on in the data directory. What is downloaded has
    to have as many questions as were published. The test split is not public.

    Args:
        version: string, `"1.1"`, or `"2.0"`, in which a question may have no answer.
        split: `"train"` or `"validation"`. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the local copy, or `None` to look into the directory that the environment variable
            `KERAS_RICHCTX_DATA` names and then to download. Defaults to `None`.

    Returns:
        `Questions`.

    Raises:
        ConnectionError: if there is no local copy and the file cannot be downloaded.
        FileNotFoundError: if `data_dir` is given and holds no copy.
        ValueError: if there is no such split, or the file is not what it should be.

    References:
        [Rajpurkar et al., 2016](https://arxiv.org/abs/1606.05250); [Rajpurkar et al., 2018](https://arxiv.org/abs/1806.03822).
    """
    if split not in FILES:
        raise ValueError(f"squad-{version} has the splits {', '.join(FILES)}. Received: split={split!r}.")
    name = f"{FILES[split]}-v{version}.json"
    return read_squad(locate([f"squad/{name}", name], URL + name, data_dir, check=lambda path: _check_count(read_squad(path), path, name)))


def read_squad(path):
    """Reads questions from a file in the layout of SQuAD 1.1 or 2.0, and holds each answer to its place.

    Args:
        path: string or path, a JSON file.

    Returns:
        `Questions`, in the order of the file. In 2.0 a question that `is_impossible` has no answers; what is only plausible is left out.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is not UTF-8 or JSON, lacks a field, or an answer does not stand where it is said to; the message names the file and the place.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "mine.json")
        >>> qa = {"id": "q1", "question": "Who codes?", "answers": [{"text": "Ada", "answer_start": 0}]}
        >>> _ = path.write_text(json.dumps({"data": [{"title": "Ada", "paragraphs": [{"context": "Ada codes.", "qas": [qa]}]}]}), encoding="utf-8")
        >>> read_squad(path)[0].answers
        ('Ada',)
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no such file. Received: {str(path)!r}")
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x} at {error.start:,}. Convert the file.") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: no JSON ({error.msg}). Get the file again.") from error
    questions, where = [], "data"
    try:
        for a, article in enumerate(content["data"]):
            where = f"data[{a}]"
            for p, paragraph in enumerate(article["paragraphs"]):
                for q, each in enumerate(paragraph["qas"]):
                    where = f"data[{a}].paragraphs[{p}].qas[{q}]"
                    answers = [] if each.get("is_impossible", False) else each["answers"]
                    texts, starts = (tuple(answer[key] for answer in answers) for key in ("text", "answer_start"))
                    questions.append(Question(each["id"], each["question"], paragraph["context"], texts, starts, article.get("title", "")))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}, {where}: not the layout of SQuAD, {type(error).__name__} {error}.") from error
    try:
        return Questions(questions)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error


def _check_count(questions, path, name):
    """Raises unless a download has as many questions as were published."""
    if len(questions) != COUNTS[name]:
        raise ValueError(f"{path} has {len(questions):,} questions, where {name} has {COUNTS[name]:,}")
