"""The document of a view: a template, a style, a few script files and the data, put into one."""

import base64
import functools
import hashlib
import html
import json
import re
from importlib import resources

from matplotlib import colormaps

from keras_richctx.viz.style import colours, theme
from keras_richctx.viz.views.view import View

# What every view is made of, in this order; the script of the view itself comes last but one.
SHARED = ("dom", "inflate", "data", "colour", "tokens", "sentence")


def make_page(name, data, parts=(), title=None, what="", dark=None, height=480):
    """Puts a view together.

    Args:
        name: string, which view: the name of its script.
        data: dictionary of what the script reads, JSON.
        parts: names of further scripts that it uses. Defaults to none.
        title: string, the heading, or `None`.
        what: string, what the view is called where there is no title.
        dark: bool, or `None` to follow the reader's system. Defaults to `None`.
        height: integer, of the frame in a notebook. Defaults to 480.

    Returns:
        A `View`.

    Raises:
        TypeError: if the title is no string.
    """
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title is a string or None. Received: title={title!r}")
    scripts = [_read(f"{part}.js") for part in (*SHARED, *parts, name, "start")]
    script = '(() => {\n"use strict";\n' + "\n".join(scripts) + "})();\n"
    style = _fill(_read("page.css"), {f"{page}.{key}": value for page in ("light", "dark") for key, value in colours(page == "dark").items()})
    data = {"view": name, "title": title, "maps": {"light": colour_maps(False), "dark": colour_maps(True)}, **data}
    pieces = {
        "title": html.escape(title or what),
        "theme": {None: "auto", False: "light", True: "dark"}[dark],
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "data": as_json(data),
    }
    return View(_fill(_read("page.html"), pieces), title or what, height)


def as_json(data):
    """Returns data as JSON that no HTML parser takes for markup: `<`, `>`, `&` and the two line ends of JavaScript are written as escapes.

    Args:
        data: what `json.dumps` takes; NaN is refused.

    Returns:
        A string.

    Example:
        >>> as_json(["</script>"])
        '["\\\\u003c/script\\\\u003e"]'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: f"\\u{ord(match[0]):04x}", text)


@functools.cache
def colour_maps(dark):
    """Returns the colours of a page for its script: 256 steps of both maps as base64 of red, green, blue, and the colours of lines."""
    page, maps = colours(dark), {}
    for kind in ("map", "diverging"):
        steps = colormaps[page[kind]](range(256))[:, :3] * 255  # (256, 3)
        maps[kind] = base64.b64encode(steps.round().astype("uint8").tobytes()).decode()
    return maps | {"lines": [line["color"] for line in theme(dark)["axes.prop_cycle"]]}


def _hash(text):
    """Returns what a page's policy says of a script or style that may stand in it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fill(template, pieces):
    """Puts each piece into its `{{place}}`, in one pass: what is in a piece is never read as a place."""
    return re.sub(r"\{\{([\w.]+)\}\}", lambda match: pieces[match[1]], template)


@functools.cache
def _read(name):
    """Returns a file of the package, such as `page.css`."""
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
