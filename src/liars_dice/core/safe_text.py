r"""Text from strangers made safe to show: bots, players, recorded games and file names may contain anything.

A terminal obeys control characters and escape sequences, and characters that turn the direction of writing make a line
read as another. Each such character is shown as its code instead: `\x1b`, `\u202e`.
"""

from __future__ import annotations

LONGEST_LINE = 2000
"""Characters of a stranger's text that are shown."""


def without_controls(text: str) -> str:
    r"""The text with everything that is not printable shown as its code; lines and tabs stay.

    >>> print(without_controls("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else _code(char) for char in text)


def one_line(text: object, most: int = LONGEST_LINE) -> str:
    r"""A text on one line, printable, and cut after `most` characters.

    >>> one_line("two\nlines"), one_line("x" * 10, 5)
    ('two\\nlines', 'xx...')
    """
    shown = str(text)
    shown = shown if len(shown) <= most else f"{shown[: max(0, most - 3)]}..."
    if shown.isprintable():
        return shown
    shown = "".join(char if char.isprintable() else _code(char) for char in shown)
    return shown if len(shown) <= most else f"{shown[: max(0, most - 3)]}..."


def _code(char: str) -> str:
    return char.encode("unicode_escape").decode()
