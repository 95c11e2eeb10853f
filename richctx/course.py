"""`richctx course`."""

from pathlib import Path
from typing import Annotated

import typer

from richctx.console import say

SHARED = "share/keras_richctx/notebooks"  # where a wheel puts the notebooks, see pyproject.toml


def course(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to copy the notebooks; it is made if needed.", show_default=False)],
):
    """Copy the course's notebooks and their solutions out, to work in them. A file that you have changed is never overwritten."""
    from richctx.files import make_directory, written_whole

    notebooks = _notebooks()
    if not notebooks:
        again = "python -m pip install --force-reinstall --no-deps keras-richctx"
        raise FileNotFoundError(f"This installation holds no notebooks. Install keras-richctx again: {again}")
    make_directory(directory)
    counts = {"copied": 0, "there already": 0, "changed by you, and kept": 0}
    for name, source in notebooks.items():
        target, content = directory / name, source.read_bytes()
        if not target.exists():
            make_directory(target.parent)
            with written_whole(target) as part:
                part.write_bytes(content)
            counts["copied"] += 1
        elif target.read_bytes() == content:
            counts["there already"] += 1
        else:
            counts["changed by you, and kept"] += 1
            say(f"kept: {target}. To have the course's again, rename yours and run this once more.")
    say(f"{directory}: {', '.join(f'{count} {what}' for what, count in counts.items() if count)}.")
    say(f"Open them with: jupyter lab {directory}  (python -m pip install 'keras-richctx[lab]')")


def _notebooks():
    """Returns where the notebooks are, by their path within the course: beside the package in a checkout, else where a wheel has put them."""
    root = Path(__file__).parents[1]
    if (root / "pyproject.toml").is_file():  # a checkout, whose notebooks may be newer than those that an editable installation has copied
        found = {path.relative_to(root / "notebooks"): path for path in root.glob("notebooks/**/*.ipynb")}
    else:
        from importlib.metadata import files

        found = {}
        for file in files("keras-richctx") or []:
            _, shared, name = file.as_posix().partition(f"{SHARED}/")
            if shared and file.suffix == ".ipynb":
                found[Path(name)] = Path(file.locate())
    return {name: found[name] for name in sorted(found) if not any(part.startswith(".") for part in name.parts)}
