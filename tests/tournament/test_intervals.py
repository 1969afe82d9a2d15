"""What tournaments say of themselves holds as often as they say: `benchmarks/intervals.py`, small and in full."""

from __future__ import annotations

import pytest

from intervals import FIELDS, FORMATS, Counts, right_orders


def check(name: str, counts: Counts, slack: float) -> None:
    """Compare the shares with the targets; `slack` allows for chance in a small study."""
    assert counts.share("interval") >= 0.93 - slack
    if "until" not in name:  # the length is fixed
        assert counts.share("interval") <= 0.97 + slack
    assert counts.share("twins differ") <= 0.05 + slack
    for claim in {"pairing", "own rank", "all ranks", "rating"} & set(counts.made):
        assert counts.share(claim) >= 0.93 - slack


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_said_holds(name: str) -> None:
    check(name, FORMATS[name](40, 4), slack=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_what_is_said_holds_in_a_thousand_tournaments(name: str) -> None:
    check(name, FORMATS[name](1000, FIELDS), slack=0.0)


@pytest.mark.slow
def test_the_default_length_tells_bots_apart_that_differ_by_three_points() -> None:
    assert right_orders(10).share("order") >= 0.9
