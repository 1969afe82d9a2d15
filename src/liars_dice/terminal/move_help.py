"""The answers to a player's commands: possible moves, odds, the history of bids, a hint."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from ..core import (
    PALIFICO,
    WHEN_PALIFICO,
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameView,
    PublicState,
    RoundResolution,
    chance_exact,
    chance_true,
    percent,
    say_bid,
)

if TYPE_CHECKING:
    from ..coach import Advice

SENSIBLE = 0.25
"""Raises that hold at least this often are shown, in addition to the lowest raise on each face."""

HOPELESS = 0.01
"""Raises that hold less often than this are not listed with their odds."""

NOTHING = 1e-9
"""Chances below this are rounding errors."""


def turn_prompt(view: GameView) -> str:
    """The last bid and what the player can do, in one line."""
    bid = view.current_bid
    if bid is None:
        return "You open: make a bid."
    said = f"{view.public.names[view.public.bidders[-1]]} bid {say_bid(bid)}."
    if not any(isinstance(action, BidAction) for action in view.legal_actions):
        return f"{said} Nothing is higher: {' or '.join(map(str, possible_calls(view)))}."
    return f"{said} Raise, or say {' or '.join(map(str, possible_calls(view)))}."


def possible_calls(view: GameView) -> list[Action]:
    """The calls that are legal now."""
    return [action for action in view.legal_actions if not isinstance(action, BidAction)]


def possible_moves(view: GameView) -> str:
    """The lowest legal bids, the highest, and the legal calls, as text."""
    bids = [str(action) for action in view.legal_actions if isinstance(action, BidAction)]
    some = f"{' '.join(bids[:6])}{f' ... {bids[-1]}' if len(bids) > 6 else ''}"
    return ", or ".join(part for part in (some, " or ".join(map(str, possible_calls(view)))) if part)


def help_lines(view: GameView, *, practice: bool) -> list[str]:
    """Everything the player can type."""
    lines = [
        f"Possible now: {possible_moves(view)}",
        "To bid, type how many and which face: 3 4, 3x4, 3 fours, three fours.",
        "liar (or call, dudo): call the last bid a lie"
        + ("; exact (or calza, spot on): call it exactly right." if view.config.exact_call else "."),
        "rules: the rules of this game in words" + ("; palifico: that rule" if view.config.palifico else ""),
        "hint: what a strong player would do, and why",
        "odds: the chances of the bid and of raises, given your dice",
        "history: the bids of this round, and earlier rounds",
        "dice: show your dice and the last bid again",
    ]
    if practice:
        lines.append("undo: go back to your last decision")
    wild = view.wild_face
    if wild is not None:
        lines.append(f"Wild: a {wild} counts as every face.")
    return [*lines, "quit: leave; the game is saved"]


def palifico_lines(view: GameView) -> list[str]:
    """What palifico means, and whether it matters now."""
    if not view.config.palifico:
        return [f"This game is played without palifico rounds. {PALIFICO}"]
    now = "This round is." if view.palifico else "This round is not."
    return [f"{WHEN_PALIFICO} {now} {PALIFICO}"]


def sensible_raises(view: GameView) -> list[Bid]:
    """The lowest raise on each face, and higher raises that are likely enough, in rising order."""
    shown: list[Bid] = []
    unlikely: set[int] = set()
    seen: set[int] = set()
    for action in view.legal_actions:
        if not isinstance(action, BidAction) or action.bid.face in unlikely:
            continue
        bid = action.bid
        if bid.face not in seen or chance_true(view, bid) >= SENSIBLE:
            shown.append(bid)
            seen.add(bid.face)
        else:
            unlikely.add(bid.face)
            if len(unlikely) == view.faces:
                break
    return shown


def odds_rows(view: GameView, most: int = 14) -> list[tuple[str, float]]:
    """Moves and their chances to be right, given the player's own dice alone: the bid on the table and its calls, then
    raises, the most likely first. Raises that are certain or hopeless need no odds.
    """
    rows: list[tuple[str, float]] = []
    bid = view.current_bid
    if bid is not None:
        true = chance_true(view, bid)
        rows.append((f"{bid} holds", true))
        for action in possible_calls(view):
            if isinstance(action, CallLiarAction):
                rows.append(("liar is right", 1 - true))
            elif isinstance(action, CallExactAction):
                rows.append(("exact is right", chance_exact(view, bid)))
    raises = sorted(
        ((chance, raised) for chance, raised in _raise_chances(view) if HOPELESS <= chance < 1 - NOTHING),
        key=lambda r: -r[0],
    )
    return rows + [(str(raised), chance) for chance, raised in raises[: most - len(rows)]]


def odds_lines(view: GameView, width: int, *, ascii_only: bool) -> Iterator[str]:
    """The odds as a bar chart."""
    room = max(8, min(30, width - 24))
    for label, chance in odds_rows(view):
        bar = ("#" if ascii_only else "█") * round(chance * room)
        yield f"{label:14} {percent(chance):>5} {bar}".rstrip()
    chances = _raise_chances(view)
    certain = {raised.face: str(raised) for chance, raised in chances if chance >= 1 - NOTHING}  # the highest per face
    hopeless = [str(raised) for chance, raised in chances if chance < HOPELESS]
    for words, raises in (("certain to hold, up to", certain.values()), (f"below {percent(HOPELESS)}", hopeless)):
        if raises:
            yield from wrap(f"{words}: {' '.join(raises)}", width)


def _raise_chances(view: GameView) -> list[tuple[float, Bid]]:
    """How likely each sensible raise is to hold, given the player's own dice alone."""
    return [(chance_true(view, raised), raised) for raised in sensible_raises(view)]


def history_lines(public: PublicState) -> list[str]:
    """One line for each earlier round, and one with the bids of this round."""
    lines = [_told(resolution, public.names) for resolution in public.resolutions]
    if public.status == "BIDDING":
        bids = _bids(public.names, public.bidders, public.bid_history)
        lines.append(f"Round {public.round_index + 1}: {bids or 'no bid yet'}")
    return lines


def _told(resolution: RoundResolution, names: tuple[str, ...]) -> str:
    return (
        f"Round {resolution.round_index + 1}: {_bids(names, resolution.bidders, resolution.bids)}, "
        f"{names[resolution.caller]} {resolution.call}; there were {resolution.match_count} "
        f"({names[resolution.loser]} lost)"
    )


def _bids(names: tuple[str, ...], bidders: tuple[int, ...], bids: tuple[Bid, ...]) -> str:
    return ", ".join(f"{names[seat]} {bid}" for seat, bid in zip(bidders, bids, strict=True))


def hint_lines(advice: Advice) -> list[str]:
    """What a strong player would do, why, and the next best choices."""
    best, *others = advice.choices
    if best.win_chance < NOTHING:
        return [f"Every move loses this {advice.of_what} {advice.given}".rstrip() + ".", f"({advice.source})"]
    lines = [f"A strong player would {does(best.action)}. {advice.why}"]
    if others:
        listed = ", ".join(f"{choice.action} {percent(choice.win_chance)}" for choice in others[:3])
        lines.append(f"{best.action} {advice.aim} {percent(best.win_chance)}; next best: {listed}")
    lines.append(f"({advice.source})")
    if advice.habits is not None:
        lines.append(f"Knowing the others' habits: {does(advice.habits.best)}. {advice.habits.why}")
    return lines


def does(action: Action) -> str:
    """An action as what a player does: `bid three fours`, `call liar`."""
    return f"bid {say_bid(action.bid)}" if isinstance(action, BidAction) else f"call {action}"
