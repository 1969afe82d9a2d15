"""Bids as people write them, calls by all their names, and everything that is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liars_dice.core import Action, Bid, BidAction, NotationError
from liars_dice.terminal.read_move import read_answer


@pytest.mark.parametrize(
    "text",
    [
        *("3 4", "3x4", "3X4", "3 x 4", "3*4", "3 × 4", "3×4", "3,4", "3-4", "3:4", "3/4", " 3   4 "),
        *("3 fours", "three fours", "Three Fours", "three 4s", "3 4s", "3 4's", "3 4’s", "3fours", "three four"),
        *(
            "three times four",
            "3 of 4",
            "3 dice of 4",
            "I bid three fours.",
            "raise to 3x4",
            "bid 3 4",
            "at least 3 4s",
        ),
    ],
)
def test_three_fours(text: str) -> None:
    assert read_answer(text) == BidAction(Bid(3, 4))


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("two aces", Bid(2, 1)),
        ("an ace", Bid(1, 1)),
        ("a six", Bid(1, 6)),
        ("six sixes", Bid(6, 6)),
        ("one one", Bid(1, 1)),
        ("ten 10s", Bid(10, 10)),
        ("twenty twenties", None),
        ("nineteen 20s", Bid(19, 20)),
        ("12 4", Bid(12, 4)),
    ],
)
def test_other_bids(text: str, bid: Bid | None) -> None:
    if bid is None:
        with pytest.raises(NotationError):
            read_answer(text)
    else:
        assert read_answer(text) == BidAction(bid)


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("liar", ("liar", "LIAR!", "call", "I call", "dudo", "Challenge!", "doubt", "bluff", "call liar", "I doubt")),
        ("exact", ("exact", "exactly", "calza", "Calza!", "spot on", "spot  on", "call exact")),
        ("help", ("?", "help", "Help!", "h")),
        ("hint", ("hint", "Hint?", "advice")),
        ("odds", ("odds", "ODDS", "o", "odds?")),
        ("history", ("history", "log", "bids")),
        ("dice", ("dice", "look")),
        ("undo", ("undo", "back")),
        ("quit", ("quit", "q", "exit", "bye")),
    ],
)
def test_words(word: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        assert str(read_answer(text)) == word, text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "34",
        "four",
        "3",
        "3 4 5",
        "3x",
        "x4",
        "hello",
        "threefours",
        "-3 4",
        "3.5 4",
        "1234567 4",
        "bid",
        "raise",
    ]
    + ["3 4 liar", "liar 3", "\x1b[A", "\x00", "½ 4", "３ 4", "three hundred 4s", "one", "sixes", "x" * 10_000],
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(NotationError, match="expected a bid such as 3 4") as refused:
        read_answer(text)
    assert len(refused.value.text) <= 33
    assert refused.value.text.isascii()


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert isinstance(read_answer(text), str | Action)
    except NotationError as error:
        refusal = str(error)
    else:
        refusal = ""
    assert refusal.isprintable()


@given(st.integers(1, 900), st.integers(2, 20))
def test_what_we_write_can_be_typed(quantity: int, face: int) -> None:
    bid = Bid(quantity, face)
    assert read_answer(str(bid)) == read_answer(f"{quantity} {face}s") == BidAction(bid)
