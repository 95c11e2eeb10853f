"""Turns the equations of a page into MathML while the site is built, so that a page needs neither a script nor a font from elsewhere."""

import html
import inspect
import re

from latex2mathml import exceptions
from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

MARKED = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)  # by pymdownx.arithmatex
UNKNOWN_COMMAND = re.compile(r"<m\w+[^>]*>(\\\w+)<")
WRITTEN_OTHERWISE = {r"\{aligned\}": "{split}", r"\\arg\b": r"\\operatorname{arg}"}  # what the converter knows by another name
ERRORS = tuple(value for value in vars(exceptions).values() if inspect.isclass(value))


def to_mathml(source, display):
    r"""Returns `source`, LaTeX, as MathML.

    Raises:
        ValueError: if it is not LaTeX, or holds a command or environment that the converter does not know.
    """
    known = source
    for pattern, replacement in WRITTEN_OTHERWISE.items():
        known = re.sub(pattern, replacement, known)
    try:
        mathml = convert(known, display=display)
    except ERRORS as error:
        raise ValueError(f"{type(error).__name__} in the equation. Received: {source!r}") from error
    if unknown := UNKNOWN_COMMAND.findall(mathml):
        raise ValueError(f"The equation has commands that cannot be converted: {', '.join(unknown)}. Received: {source!r}")
    return mathml


def on_page_content(content, page, **kwargs):
    """Replaces each equation of the page."""

    def replace(match):
        try:
            return to_mathml(html.unescape(match[2]).strip(), display="block" if match[1] == "div" else "inline")
        except ValueError as error:
            raise PluginError(f"{page.file.src_path}: {error}") from error

    return MARKED.sub(replace, content)
