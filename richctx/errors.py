"""The one place where an error becomes a message."""

import errno
import warnings

import typer
from typer.core import TyperGroup

from richctx.console import note

EXPECTED = (ValueError, OSError, FloatingPointError, ImportError)  # what the library raises for what a user can mend
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class ExplainedGroup(TyperGroup):
    """Runs the commands: an expected error ends one with a message and code 1, Ctrl-C with code 130, and warnings are one line each.

    With `--debug` an error goes through with its traceback.
    """

    def invoke(self, ctx):
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *where, **more: note(str(message), "Warning", "yellow")
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt as interruption:
                note(f"Stopped. {interruption}".rstrip())
                raise typer.Exit(INTERRUPTED) from None
            except EXPECTED as error:
                if ctx.params["debug"] or getattr(error, "errno", None) == errno.EPIPE:
                    raise
                note(explain(error), "Error", "bold red")
                raise typer.Exit(1) from error


def explain(error):
    """Says in a line what an exception says.

    Args:
        error: exception.

    Returns:
        A string.

    Example:
        >>> explain(PermissionError(13, "Permission denied", "model.keras"))
        'Permission denied: model.keras'
    """
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, ImportError):
        text = f"{text}. `richctx doctor` says what is missing and how to get it."
    return " ".join([text, *getattr(error, "__notes__", [])])
