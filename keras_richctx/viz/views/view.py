"""A picture that a browser draws: one document that holds all it needs."""

import html
from pathlib import Path

STYLE = "width: 100%; border: 0; resize: vertical; overflow: auto"


class View:
    """A self-contained HTML document, which a notebook shows and a file keeps.

    It asks no network for anything: script, style and numbers are in it. A notebook shows it in a frame of its own, so that several live on one page and
    none touches another; it needs a browser of 2022 or later. For PNG and SVG draw the same arrays with `viz.heads`, `viz.head_grid` or `viz.alignment`.

    Args:
        html: string, the document.
        title: string, what it shows, for those who hear the page.
        height: integer, how high the frame in a notebook is, in pixels. The reader may drag it. Defaults to 480.

    Example:
        >>> view = krc.viz.head_view({"layer 1": np.full((2, 3, 3), 1 / 3)}, ["a", "b", "c"])
        >>> view.html[:15]
        '<!doctype html>'
        >>> path = view.save("lines.html")  # doctest: +SKIP
    """

    def __init__(self, html, title, height=480):
        self.html = html
        self.title = title
        self.height = height

    def save(self, path):
        """Writes the document to a file.

        Args:
            path: string or path that ends in `.html` or `.htm`.

        Returns:
            The path, a `pathlib.Path`.

        Raises:
            ValueError: if the path ends otherwise.
        """
        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"A view is saved as .html; PNG and SVG are drawn by viz.heads, viz.head_grid and viz.alignment. Received: path={str(path)!r}")
        path.write_text(self.html, encoding="utf-8", newline="\n")
        return path

    def _repr_html_(self):
        """Returns the document in a frame of its own: what Jupyter asks for."""
        source, title = html.escape(self.html, quote=True), html.escape(self.title, quote=True)
        # allow-scripts and nothing else: the frame can reach neither the notebook around it nor what the browser stores
        return f'<iframe srcdoc="{source}" title="{title}" height="{self.height}" style="{STYLE}" sandbox="allow-scripts" loading="lazy"></iframe>'

    def __repr__(self):
        return f"View({self.title!r}, {len(self.html.encode()) / 1e6:.2f} MB of HTML)"
