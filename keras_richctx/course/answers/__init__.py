"""The answers of the exercises, one module a chapter.

`chapter_08.py` holds `ANSWERS`, a dict from the exercise, `"08.2"`, to a function without arguments that computes what it comes to: a number, an
array, a word, `True` or `False`, a set, or a list of these. Integers have to be met exactly, of other numbers three digits are enough. A function, so
that nothing is computed on import and the reasoning is on the page:

    ANSWERS = {
        "08.1": lambda: "dot",
        "08.2": uniform_attention,  # defined above, with its reasoning as a docstring
    }

Nothing else has to be told: `krc.check("08.2", answer)` finds the module by the number of the chapter.
"""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules


def expected(exercise):
    """Computes the answer of `exercise`, such as `"08.2"`.

    Raises:
        ValueError: if there is no such exercise; the message lists those that there are.
    """
    answers = of_chapter(exercise)
    if exercise not in answers:
        there_are = ", ".join(f'"{name}"' for name in known())
        raise ValueError(f"There is no such exercise. Received: exercise={exercise!r}. Those that there are: {there_are}.")
    return answers[exercise]()


def of_chapter(exercise):
    """Returns the `ANSWERS` of the chapter of `exercise`: none where that is no string, or there is no such chapter."""
    chapter = exercise.partition(".")[0] if isinstance(exercise, str) else ""
    return _answers(chapter) if chapter.isdigit() and find_spec(f"{__name__}.chapter_{chapter}") else {}


def known():
    """Lists every exercise that has an answer, in the order of the course."""
    chapters = sorted(module.name.removeprefix("chapter_") for module in iter_modules(__path__) if module.name.startswith("chapter_"))
    return [exercise for chapter in chapters for exercise in _answers(chapter)]


def _answers(chapter):
    return import_module(f"{__name__}.chapter_{chapter}").ANSWERS
