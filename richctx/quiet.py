"""Imports without the noise of an engine's start."""

import contextlib
import importlib
import os
import tempfile


def import_quietly(name="keras_richctx"):
    """Imports a module that brings an engine, which may write of what it finds, and does not find, straight to the standard error.

    That is shown only where the import fails. Python's own warnings and errors do not pass by here.

    Args:
        name: string, the module. Defaults to `"keras_richctx"`.
    """
    with tempfile.TemporaryFile() as kept:
        try:
            with _standard_error_to(kept.fileno()):
                importlib.import_module(name)
        except BaseException:
            kept.seek(0)
            os.write(2, kept.read())
            raise


@contextlib.contextmanager
def _standard_error_to(descriptor):
    """Lets what is written to descriptor 2, by any language, go to another descriptor."""
    terminal = os.dup(2)
    os.dup2(descriptor, 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
