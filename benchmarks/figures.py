"""How a script prints a figure with its target; `run_all.py` collects these lines into one table."""

from __future__ import annotations

import re

LINE = re.compile(r"^\s*(?P<what>.+): (?P<result>\S.*) \(target: (?P<target>.+)\) (?P<verdict>met.*|MISSED)$")


def figure(
    what: str,
    result: float,
    unit: str = "",
    *,
    most: float | None = None,
    least: float | None = None,
    aim: float | None = None,
) -> None:
    """Print a figure with its target, `most`, `least` or both, and with the more ambitious `aim` if there is one."""
    target = most if least is None else least
    assert target is not None

    def meets(wanted: float) -> bool:
        in_bounds = result >= wanted if least is not None else result <= wanted
        return in_bounds and (least is None or most is None or result <= most)

    bound = f"at {'most' if least is None else 'least'} {plain(target)}" + (f", goal {plain(aim)}" if aim else "")
    bound += f" and at most {plain(most)}" if least is not None and most is not None else ""
    good = "met" if aim is None or meets(aim) else "met, but not the goal"
    print(
        f"{what}: {plain(result)}{unit and ' '}{unit} (target: {bound}) {good if meets(target) else 'MISSED'}",
        flush=True,
    )


def plain(number: float) -> str:
    """A number with about three significant digits."""
    if number == int(number) or abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.1e}" if abs(number) < 0.001 else f"{number:.3g}"
