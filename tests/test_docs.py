import inspect
import re
from pathlib import Path

import pytest

import keras_richctx as krc

DOCS = Path(__file__).parents[1] / "docs"


def test_every_namespace_has_its_page():
    namespaces = [name for name in krc.__all__ if inspect.ismodule(getattr(krc, name))]
    for name in namespaces:
        assert f"::: keras_richctx.{name}\n" in (DOCS / f"api/{name}.md").read_text()
        assert f"[`krc.{name}`]({name}.md)" in (DOCS / "api/index.md").read_text()


def test_every_convention_names_a_test_that_exists():
    tables = (DOCS / "conventions.md").read_text(encoding="utf-8").split("| convention | held by |\n|---|---|\n")[1:]
    rows = [row for table in tables for row in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 20
    for row in rows:
        cited = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert cited or row.endswith("| `make lint` |"), row
        for file, test in cited:
            assert f"def {test}(" in (DOCS.parent / file).read_text(encoding="utf-8"), f"{file} has no {test}"


@pytest.mark.parametrize(
    "latex, parts",
    [
        (r"\alpha_{ti}", ["<msub><mi>&#x003B1;</mi>"]),
        (r"\begin{aligned} i &= \sigma(x) \\ f &= 1 \end{aligned}", ["<mtable", "</mtr><mtr>"]),
        (r"\arg\max_v p(v)", ["<mo>arg</mo>", "max"]),
        (r"\begin{pmatrix} i \\ f \end{pmatrix}", ["<mtable", "</mtr><mtr>"]),
    ],
)
def test_an_equation_becomes_mathml(latex, parts):
    mathml = pytest.importorskip("mathml", reason="the docs extra is not installed: make docs installs it and runs this test")
    converted = mathml.to_mathml(latex, display="block")
    assert all(part in converted for part in parts)
    assert "\\" not in converted


@pytest.mark.parametrize("latex, clue", [(r"\nosuch{x}", r"cannot be converted: \\nosuch"), ("x_{", "in the equation")])
def test_an_equation_that_cannot_be_shown_stops_the_build(latex, clue):
    mathml = pytest.importorskip("mathml", reason="the docs extra is not installed: make docs installs it and runs this test")
    with pytest.raises(ValueError, match=clue):
        mathml.to_mathml(latex, display="inline")


def test_a_function_is_not_taken_for_the_module_of_its_name():
    namespaces = pytest.importorskip("namespaces", reason="the docs extra is not installed: make docs installs it and runs this test")
    page = namespaces.on_page_markdown("# krc.viz\n\n::: keras_richctx.viz\n")
    assert [line for line in page.splitlines() if line.startswith(":::")] == [f"::: {getattr(krc.viz, name).__module__}.{name}" for name in krc.viz.__all__]


def test_the_headings_of_keras_are_sections_of_the_page():
    griffe = pytest.importorskip("griffe", reason="the docs extra is not installed: make docs installs it and runs this test")
    from docstrings import KerasHeadings

    text = "Adds.\n\nCall arguments:\n    x: a tensor.\n\nReturns:\n    A tensor:\n    the sum.\n\nExample:\n    >>> 1 + 1\n    2\n\nReferences:\n    A paper."
    module = griffe.Module("module")
    module.docstring = griffe.Docstring(text, parent=module, parser="google")
    KerasHeadings().on_object(obj=module)
    sections = module.docstring.parse(warnings=False)
    assert [(section.kind.value, section.title) for section in sections] == [
        ("text", None),
        ("other parameters", "Call arguments:"),
        ("text", None),
        ("examples", "Example:"),
        ("text", None),
    ]
    assert [sections[2].value, sections[4].value] == ["**Returns:**\n\nA tensor:\nthe sum.", "**References:**\n\nA paper."]


def test_the_gallery_draws_each_view_and_shows_its_pictures():
    from gallery import views  # of docs/hooks

    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r'<iframe class="view" src="(\w+)\.html"', page) == list(views()) == re.findall(r"```python\n(?:#.*\n)?krc\.viz\.(\w+)\(", page)
    for name, view in views().items():
        assert isinstance(view, krc.viz.View)
        for theme in ("light", "dark"):
            assert f"](images/{name}_{theme}.png)" in page
            assert (DOCS / f"images/{name}_{theme}.png").stat().st_size < 150_000
