"""How a script says what was asked and what was reached; `run_all.py` gathers these lines into one table."""

from __future__ import annotations

import re

LINE = re.compile(r"^\s*(?P<what>.+): (?P<reached>\S.*) \(asked: (?P<asked>.+)\) (?P<verdict>reached.*|MISSED)$")


def figure(
    what: str,
    reached: float,
    unit: str = "",
    *,
    most: float | None = None,
    least: float | None = None,
    aim: float | None = None,
) -> None:
    """Print a figure beside what was asked, at `most` or at `least`, and beside the aim if there is one."""
    asked = most if least is None else least
    assert asked is not None

    def comes_to(wanted: float) -> bool:
        return reached <= wanted if least is None else reached >= wanted

    bound = f"at {'most' if least is None else 'least'} {plain(asked)}" + (f", aim {plain(aim)}" if aim else "")
    good = "reached" if aim is None or comes_to(aim) else "reached, but not the aim"
    print(
        f"{what}: {plain(reached)}{unit and ' '}{unit} (asked: {bound}) {good if comes_to(asked) else 'MISSED'}",
        flush=True,
    )


def plain(number: float) -> str:
    """A number as people write it, with three digits or so."""
    if number == int(number) or abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.1e}" if abs(number) < 0.001 else f"{number:.3g}"
