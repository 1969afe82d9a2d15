"""A rule set told to the people who play it, in the order in which a game goes."""

from __future__ import annotations

from .config import GameConfig
from .narration import say_face

WHEN_PALIFICO = "A player's first round with one die is palifico, while more than two players are left."
PALIFICO = (
    "In a palifico round nothing is wild, and bids go by the number of dice, then by the face. "
    "Players with more than one die must keep the face that opened the round; players with one die may change it."
)
"""What is different in a palifico round, for the moment when one begins."""

_HIGHER = {
    "quantity_then_face": "more dice of any face, or as many dice of a higher face",
    "liars_dice_standard": "any number of dice of a higher face, or more dice of the same face",
    "perudo": "more dice of any face, or as many dice of a higher face. Ones count double: after six fours you need "
    "three ones, and after three ones you need seven of another face",
}
_NEXT = {
    "loser": "The loser of a round opens the next one.",
    "winner": "The winner of a round opens the next one.",
    "alternate": "The players take turns to open a round.",
}


def rules_in_words(config: GameConfig) -> list[str]:
    """The rules of a game in plain sentences, a paragraph per line.

    >>> from liars_dice import preset
    >>> rules_in_words(preset("duel"))[2]
    'Each bid must be higher than the last: more dice of any face, or as many dice of a higher face.'
    """
    told = [
        f"{_dice(config)} Everyone rolls and hides their dice from the others.",
        "A bid says how many of all the dice in play show a face: three fours means at least three, yours included.",
        f"Each bid must be higher than the last: {_HIGHER[config.bid_ordering]}.",
        *_limits(config),
        *_wild(config),
        "Instead of bidding, call the last bid a lie: say liar. All dice are shown. If the bid is true, the caller "
        "loses the round; if it is false, the bidder does.",
        *_exact(config),
        _end(config),
    ]
    if config.mode != "single_round":
        told.append(_NEXT[config.next_opener])
    if config.palifico and config.num_players > 2:
        told.append(f"{WHEN_PALIFICO} {PALIFICO}")
    return told


def _dice(config: GameConfig) -> str:
    """How many dice there are."""
    counts = config.dice
    if len(set(counts)) == 1:
        start = f"{len(counts)} players start with {_count(counts[0])} each."
    else:
        start = f"The {len(counts)} players start with {', '.join(map(str, counts[:-1]))} and {_count(counts[-1])}."
    faces = "" if config.faces == 6 else f" The dice have {config.faces} faces."
    shared = [
        f"On the table {'lies' if number == 1 else 'lie'} {_count(number)}, {where} for all."
        for number, where in ((config.table_dice, "open"), (config.hidden_dice, "covered"))
        if number
    ]
    return " ".join([start + faces, *shared])


def _count(number: int) -> str:
    return f"{number} {'die' if number == 1 else 'dice'}"


def _limits(config: GameConfig) -> list[str]:
    """What else bids must be."""
    told = []
    if config.opening_min_quantity > 1:
        told.append(f"The first bid of a round has at least {_count(config.opening_min_quantity)}.")
    if not config.open_on_ones:
        told.append("The first bid of a round may not be on ones.")
    if config.max_quantity != "total":
        told.append(f"No bid may say more than {_count(config.max_quantity)}.")
    if config.max_turns is not None:
        told.append(f"After {config.max_turns} bids in a round, only calls are allowed.")
    return told


def _wild(config: GameConfig) -> list[str]:
    """Which dice count for every face."""
    face = config.wild_face()
    if face is None:
        return []
    wild = say_face(face, many=True)
    on_wild = f"{wild} may not be bid" if config.wild_bids == "forbidden" else f"for a bid on {wild}, only {wild} count"
    return [f"{wild.capitalize()} are wild: they count as every face; {on_wild}."]


def _exact(config: GameConfig) -> list[str]:
    """Exact calls, if there are any."""
    if not config.exact_call:
        return []
    told = "Or say exact: you win the round if the number of dice is exactly right, and lose it otherwise."
    if config.mode != "elimination":
        return [told]
    pays = "the bidder loses one" if config.exact_payer == "bidder" else "the bidder keeps theirs"
    return [f"{told} If you are right you win a die back, up to {config.dice_cap}, and {pays}."]


def _end(config: GameConfig) -> str:
    """How the game ends."""
    if config.mode == "elimination":
        return "The loser of a round loses a die. Without dice you are out; the last player with dice wins the game."
    if config.mode == "best_of":
        return f"The first to win {config.wins_needed} rounds wins the game."
    return "The game is one round: its winner wins the game."
