"""Teaches the API pages the headings of Keras' docstrings, where they are not Google's or are shown otherwise."""

import re
import textwrap

from griffe import Extension

# Google's own name of the section, and behind it the title that the page shows.
RENAMED = {"Call arguments:": "Other Parameters: Call arguments:", "Example:": "Examples: Example:"}
PROSE = re.compile(r"^(Returns|References):\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE)


class KerasHeadings(Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj, **kwargs):
        if obj.docstring:
            text = obj.docstring.value
            for heading, google in RENAMED.items():
                text = re.sub(rf"^{heading}$", google, text, flags=re.MULTILINE)
            # Sections of prose: shown as it is, under the heading, rather than as a list of one nameless item or in a box.
            obj.docstring.value = PROSE.sub(lambda match: f"**{match[1]}:**\n\n{textwrap.dedent(match[2])}\n", text)
