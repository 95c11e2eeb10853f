"""The library's own source, shown in a notebook in place of a copy that would grow stale."""

import ast
import inspect
import sys
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


def show_source(obj, docstring=True):
    """Shows the source of a function, class or method: highlighted in a notebook, as plain text elsewhere.

    Args:
        obj: the function, class, method, property or module to show.
        docstring: boolean, whether the docstrings stay in. `False` leaves the code alone, where the chapter has said the rest already.

    Raises:
        TypeError: if `obj` has no Python source, such as an array or a function written in C.

    Example:
        >>> from keras_richctx.course.show_source import source_of
        >>> krc.show_source(source_of, docstring=False)
        # keras_richctx/course/show_source.py, line ...
        def source_of(obj, docstring=True):
        ...
    """
    place, source = _place(obj), source_of(obj, docstring)
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(f"# {place}\n{source}")
        return
    # The colours are written into the page, on a ground of their own, so that they are the same in every front end, light or dark.
    ground = "padding: 0.6em 0.8em; border-radius: 4px; background: #f6f8fa; overflow-x: auto"
    formatter = HtmlFormatter(noclasses=True, nobackground=True, cssstyles=ground, prestyles="margin: 0; color: #1b1f24; background: none")
    html = f'<div style="font-size: 85%; opacity: 0.75">{place}</div>{highlight(source, PythonLexer(), formatter)}'
    ipython.display.display({"text/html": html, "text/plain": f"# {place}\n{source}"}, raw=True)


def source_of(obj, docstring=True):
    """Returns the source of `obj` as a string, moved to the left margin; with `docstring=False`, without any docstring in it."""
    target = _target(obj)
    try:
        source = inspect.getsource(target).rstrip()
    except (TypeError, OSError):
        raise TypeError(f"Only what is written in Python has a source to show. Received: obj={obj!r}. Pass a function, class, method or module.") from None
    # not textwrap.dedent: a string that goes on at the left margin would keep the rest from moving there
    margin = source[: len(source) - len(source.lstrip())]
    source = "\n".join(line.removeprefix(margin) for line in source.splitlines())
    return source if docstring else _without_docstrings(source)


def _target(obj):
    """What `inspect` can find: the getter of a property, the function under a decorator."""
    return inspect.unwrap(obj.fget if isinstance(obj, property) else obj)


def _place(obj):
    """The file of `obj`, from its package on, and its first line."""
    target = _target(obj)
    file = Path(inspect.getsourcefile(target))
    package = (getattr(target, "__module__", None) or target.__name__).partition(".")[0]  # a module has a name alone
    parts = file.parts[file.parts.index(package) :] if package in file.parts else file.parts[-1:]
    return f"{'/'.join(parts)}, line {max(1, inspect.getsourcelines(target)[1])}"


def _without_docstrings(source):
    """Cuts the docstring of every function and class in `source`, with the blank line under it; one that is alone in its body leaves `...`."""
    lines = source.splitlines()
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None]
    for node in sorted(nodes, key=lambda node: -node.body[0].lineno):  # from the bottom up, so that line numbers stay true
        first, last = node.body[0].lineno - 1, node.body[0].end_lineno
        rest = [" " * node.body[0].col_offset + "..."] if len(node.body) == 1 else []
        if not rest and last < len(lines) and not lines[last].strip():
            last += 1
        lines[first:last] = rest
    return "\n".join(lines).strip("\n")
