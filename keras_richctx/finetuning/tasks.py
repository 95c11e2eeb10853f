"""The tasks by name, each with the settings that it was published with."""

from keras_richctx.finetuning.glue_task import GlueTask
from keras_richctx.finetuning.recipe import FineTuning
from keras_richctx.finetuning.squad_task import SquadTask
from keras_richctx.finetuning.tagging_task import TaggingTask

GLUE = ("cola", "sst-2", "mrpc", "sts-b", "qqp", "mnli", "mnli-m", "mnli-mm", "qnli", "rte", "wnli")
TASKS = {
    **{name: GlueTask(name) for name in GLUE},
    "squad-1.1": SquadTask("squad-1.1", FineTuning(learning_rate=5e-5, epochs=3)),
    "squad-2.0": SquadTask("squad-2.0", FineTuning(learning_rate=5e-5, epochs=2, batch_size=48)),
    "conll2003": TaggingTask("conll2003", FineTuning(learning_rate=3e-5, epochs=4, batch_size=16)),
    "wnut17": TaggingTask("wnut17", FineTuning(learning_rate=3e-5, epochs=4, batch_size=16)),
}


def task(name):
    """Returns a task by its name.

    Args:
        name: string: of GLUE `"cola"`, `"sst-2"`, `"mrpc"`, `"sts-b"`, `"qqp"`, `"mnli"` (both of its sets, or one, `"mnli-m"` or `"mnli-mm"`), `"qnli"`,
            `"rte"` and `"wnli"`; `"squad-1.1"` and `"squad-2.0"`; the named entities of `"conll2003"` and `"wnut17"`.

    Returns:
        A `Task`.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> task("squad-2.0").recipe.epochs, task("cola").measure
        (2, 'matthews')
    """
    if name.lower() not in TASKS:
        raise ValueError(f"The tasks are {', '.join(TASKS)}. Received: {name!r}")
    return TASKS[name.lower()]
