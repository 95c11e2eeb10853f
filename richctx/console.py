"""What the commands print, and where: results to the standard output, what is said about them to the standard error."""

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console

results = Console()
notes = Console(stderr=True)


def say(text):
    """Prints a line of text as it is, however wide the terminal: no markup in it is read."""
    results.print(text, markup=False, highlight=False, soft_wrap=True)


def command():
    """Returns what to type for this command here: its name, or its path, short, where the shell would not find the name."""
    script = Path(sys.executable).with_name("richctx")
    return "richctx" if shutil.which("richctx") else os.path.relpath(script)


def note(text, label=None, style=None):
    """Prints a line of text as it is to the standard error, with a coloured label before it, such as "Error"."""
    if label:
        notes.print(f"{label}: ", style=style, end="", highlight=False)
    notes.print(text, markup=False, highlight=False, soft_wrap=True)
