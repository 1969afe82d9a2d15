"""What tournaments say of themselves holds as often as they say: `benchmarks/intervals.py`, small and in full."""

from __future__ import annotations

import pytest

from intervals import FORMATS, Counts, right_orders, right_orders_in_the_demo, study
from liars_dice.tournament.runner import LEAGUE_DEALS


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
    check(name, study(name, 40, in_fields=4), slack=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_what_is_said_holds_in_a_thousand_tournaments(name: str) -> None:
    check(name, study(name, 1000), slack=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("deals", LEAGUE_DEALS.values())
def test_the_default_length_tells_bots_apart_that_differ_by_three_points(deals: int) -> None:
    assert right_orders(10, deals).share("order") >= 0.9


@pytest.mark.slow
def test_the_demo_tells_bots_apart_that_differ_by_three_points() -> None:
    assert right_orders_in_the_demo(10).share("order") >= 0.9
