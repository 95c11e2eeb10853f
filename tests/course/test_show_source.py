import sys

import numpy as np
import pytest

from keras_richctx.course import show_source
from keras_richctx.course.show_source import source_of


class Example:
    """A class to be shown."""

    first_line = "is not a docstring"

    def method(self):
        """Says nothing."""

    @property
    def double(self):
        """Twice
        over, on two lines.
        """

        def inner(x):
            """Kept apart."""
            return 2 * x

        return inner(1)


def test_a_class_is_shown_as_written():
    assert source_of(Example).startswith('class Example:\n    """A class to be shown."""\n\n    first_line')


def test_a_method_and_a_property_move_to_the_left_margin():
    assert source_of(Example.method).startswith("def method(self):\n    ")
    assert source_of(Example.double).startswith("@property\ndef double(self):\n    ")


class AtTheMargin:
    def text(self):
        """Cut."""
        return """
at the left margin
"""


def test_a_string_at_the_left_margin_is_no_hindrance():
    assert source_of(AtTheMargin.text, docstring=False) == 'def text(self):\n    return """\nat the left margin\n"""'


def test_without_docstrings_the_rest_stays_and_still_parses():
    source = source_of(Example, docstring=False)
    assert source == (
        'class Example:\n    first_line = "is not a docstring"\n\n    def method(self):\n        ...\n\n'
        "    @property\n    def double(self):\n        def inner(x):\n            return 2 * x\n\n        return inner(1)"
    )
    compile(source, "example", "exec")


def test_a_module_loses_its_docstring_too():
    import keras_richctx.course.diagnose_array  # noqa: F401 - for sys.modules

    source = source_of(sys.modules["keras_richctx.course.diagnose_array"], docstring=False)
    assert source.startswith("from itertools import permutations")


def test_plain_text_says_where_the_source_stands(capsys):
    show_source(source_of)
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first.startswith("# keras_richctx/course/show_source.py, line ")
    assert second == "def source_of(obj, docstring=True):"


def test_a_notebook_gets_highlighted_html_and_plain_text():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    from IPython.utils.capture import capture_output

    shell.instance()
    try:
        with capture_output() as captured:
            show_source(source_of)
    finally:
        shell.clear_instance()
    (output,) = captured.outputs
    assert '<span style="color: #008000; font-weight: bold">def</span>' in output.data["text/html"]
    assert output.data["text/plain"].endswith(source_of(source_of))


@pytest.mark.parametrize("obj", [np.zeros(2), len, 3, np.ufunc])
def test_what_has_no_source_is_refused_by_name(obj):
    with pytest.raises(TypeError, match=r"written in Python has a source to show\. Received: obj="):
        source_of(obj)
