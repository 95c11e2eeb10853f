"""Writes out a namespace on its API page: `::: keras_richctx.viz` becomes what the namespace says of itself, and an entry for each name in its `__all__`.

Each entry goes by the module that defines it: mkdocstrings takes `keras_richctx.viz.alignment` for the module of that name, not for the function.
"""

import ast
import re
from pathlib import Path

from mkdocs.exceptions import PluginError

NAMESPACE = re.compile(r"^::: (keras_richctx\.\w+)$", re.MULTILINE)


def on_page_markdown(markdown, **kwargs):
    """Expands every namespace on the page."""
    return NAMESPACE.sub(lambda match: expand(match[1]), markdown)


def expand(namespace):
    """Returns the Markdown of `namespace`, such as `keras_richctx.viz`, read from its source, without importing it."""
    path = Path(*namespace.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    origins, names = {}, None
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            origins |= {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = ast.literal_eval(node.value)
    if names is None:
        raise PluginError(f"{source} has no __all__: it says what is public.")
    return "\n\n".join([ast.get_docstring(tree), *(f"::: {origins.get(name, f'{namespace}.{name}')}" for name in names)])
