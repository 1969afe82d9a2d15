"""Dice drawn with characters."""

from __future__ import annotations

from collections.abc import Sequence

_PIPS = {
    1: ("     ", "  *  ", "     "),
    2: ("*    ", "     ", "    *"),
    3: ("*    ", "  *  ", "    *"),
    4: ("*   *", "     ", "*   *"),
    5: ("*   *", "  *  ", "*   *"),
    6: ("*   *", "*   *", "*   *"),
}


def draw_die(face: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    """One die in five lines; a face above six is shown as a number."""
    rows = _PIPS.get(face, ("     ", f"{face:^5}", "     "))
    if ascii_only:
        return ("+-----+", *(f"|{row}|" for row in rows), "+-----+")
    return ("╭─────╮", *(f"│{row.replace('*', '●')}│" for row in rows), "╰─────╯")


def draw_hand(dice: Sequence[int], *, per_row: int = 10, ascii_only: bool = False) -> list[str]:
    """Dice side by side, `per_row` in each row."""
    lines: list[str] = []
    for start in range(0, len(dice), per_row):
        drawn = [draw_die(face, ascii_only=ascii_only) for face in dice[start : start + per_row]]
        lines += [" ".join(row) for row in zip(*drawn, strict=True)]
    return lines
