"""Shows the examples in docstrings as code: a griffe extension for the documentation site."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*\n?)+", re.MULTILINE)


INDEXES = re.compile(r"(?<![`\w\]])(?:\[[\w ,+-]+\]){2,}")
"""Indexes of an array, such as [seat][won], which Markdown would read as a link."""


def fenced(text: str) -> str:
    """The text with each run of examples in a fence, and indexes as code."""
    text = EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)
    return INDEXES.sub(lambda found: f"`{found[0]}`", text)


class DoctestFences(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
