"""`richctx doctor`."""

import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, requires, version

import typer

from richctx.console import results, say
from richctx.quiet import import_quietly

EXTRAS = {"jax": "the JAX backend", "torch": "the PyTorch backend", "lab": "the notebooks"}
NOT_HERE = {"tensorflow-text": "has no wheel for this system: everything but the in-graph tokenizer works without it"}


def doctor():
    """Say what is installed and what is missing, and train and use the smallest of models: exit code 0 if that works, else 1."""
    results.print("[bold]Packages[/]")
    for line in _packages():
        results.print(*line, highlight=False, soft_wrap=True)
    results.print("[bold]Machine[/]")
    say(f"  Python {platform.python_version()} at {sys.executable}, {platform.platform()}, {_threads()}")
    say(f"  data: {_data()}")
    failure = _failure()
    if failure is None:
        results.print("[bold green]All is well:[/] a model was trained, saved, loaded, and has translated and drawn its alignment.", soft_wrap=True)
        return
    results.print("[bold red]Models cannot be trained here:[/]", end=" ")
    say(failure)
    raise typer.Exit(1)


def _packages():
    """Yields a line, as a tuple of its parts with markup, for each package that the library needs or can use."""
    from packaging.requirements import Requirement
    from rich.markup import escape

    for requirement in map(Requirement, requires("keras-richctx")):
        wanted_by = [extra for extra in ("", *EXTRAS) if requirement.marker is None or requirement.marker.evaluate({"extra": extra})]
        if not wanted_by:
            if requirement.name in NOT_HERE:
                yield "  [yellow]-[/]", f"{requirement.name} {NOT_HERE[requirement.name]}"
            continue
        extra = wanted_by[0]
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            found = None
        if found and requirement.specifier.contains(found, prereleases=True):
            yield "  [green]✓[/]", f"{requirement.name} {found}"
        elif extra:
            use = f'only needed for {EXTRAS[extra]}: python -m pip install "keras-richctx[{extra}]"'
            yield "  [yellow]-[/]", escape(f"{requirement.name} {found or 'is not installed'}, {use}")
        else:
            yield "  [red]✗[/]", escape(f'{requirement.name} {found or "is missing"}: python -m pip install "{requirement.name}{requirement.specifier}"')


def _threads():
    """Says how many CPU cores the process may use, and what limits the threads of the engines."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limits = [f"{name}={os.environ[name]}" for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS") if name in os.environ]
    return ", ".join([f"{cores} CPU core{'s' if cores > 1 else ''} for this process", *limits])


def _data():
    """Says where data sets are looked for."""
    folder = os.environ.get("KERAS_RICHCTX_DATA")
    if not folder:
        return "KERAS_RICHCTX_DATA is not set; official data sets are downloaded when asked for, the phrasebook needs none"
    return f"KERAS_RICHCTX_DATA={folder}" + ("" if os.path.isdir(folder) else ", which is no directory: set it to one, or unset it to download")


def _failure():
    """Does the main job with the smallest of models; says in words why it failed, or returns `None`."""
    try:
        import_quietly()
        import keras

        backend = keras.backend.backend()
        device = str(keras.ops.zeros(()).device).rpartition("/")[2].removeprefix("device:")
        say(f"  Keras {keras.version()} on {backend} {version(backend)}, device {device}")
        if "cpu" in device.lower() and shutil.which("nvidia-smi"):
            say('  an NVIDIA GPU is here and is not used; TensorFlow with CUDA: python -m pip install "keras-richctx[gpu]"')
        _main_job()
    except Exception as error:  # whatever it is, it is what a user wants to be told
        return f"{type(error).__name__}: {error}"
    return None


def _main_job():
    """Trains, saves, loads, translates and draws."""
    import tempfile

    from keras_richctx import viz
    from keras_richctx.datasets import load
    from keras_richctx.translation.recipe import Recipe
    from richctx.model_directory import ModelDirectory

    pairs = load("phrasebook", size=8, max_words=6)
    recipe = Recipe(tokenizer="word", units=4, batch_size=8, epochs=1)
    model = recipe.build(*recipe.train_tokenizers(pairs))
    recipe.fit(model, pairs, progress=False)
    with tempfile.TemporaryDirectory() as folder:
        ModelDirectory(folder).save(model)
        translation = ModelDirectory(folder).load().translate(pairs.source[0], max_new_tokens=4)
        viz.alignment(translation.alignment, translation.source_tokens, translation.target_tokens).figure.savefig(f"{folder}/alignment.png")
