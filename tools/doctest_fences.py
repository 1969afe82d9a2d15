"""Shows the examples in docstrings as code: a griffe extension for the documentation site."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*\n?)+", re.MULTILINE)


def fenced(text: str) -> str:
    """The text with each run of examples in a fence."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class DoctestFences(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
