"""Makes a page of every notebook: of the copy that `make notebooks` executed, with its pictures, where there is one, else of the notebook as it stands."""

from pathlib import Path

from mkdocs.structure.files import File
from nbconvert import MarkdownExporter

NOTEBOOKS, EXECUTED = Path("notebooks"), Path("build/notebooks")


def on_config(config):
    """Adds the chapters to the navigation, in the order of their numbers."""
    (chapters,) = (entry["Chapters"] for entry in config.nav if "Chapters" in entry)
    chapters += [_page(notebook) for notebook in _notebooks()]
    config.watch.append(str(NOTEBOOKS))
    return config


def on_files(files, config):
    """Adds a page, and the pictures on it, for each chapter."""
    for notebook in _notebooks():
        executed = EXECUTED / notebook.name
        body, resources = MarkdownExporter().from_filename(executed if executed.exists() else notebook)
        for name, picture in resources["outputs"].items():
            path = f"{notebook.stem}_{name}"
            body = body.replace(f"]({name})", f"]({path})")
            files.append(File.generated(config, f"chapters/{path}", content=picture))
        files.append(File.generated(config, _page(notebook), content=body))
    return files


def _notebooks():
    return sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))


def _page(notebook):
    return f"chapters/{notebook.stem}.md"
