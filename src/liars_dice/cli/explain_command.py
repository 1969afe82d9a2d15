"""`liars-dice explain`: what an equilibrium does at one point of a round, and what each action is worth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import json_option, print_json, round_dice_option, round_options
from .running import percent, show_bracket

if TYPE_CHECKING:
    from rich.console import Console

    from ..core import GameConfig
    from ..exact.solver import Choice, Explanation, Known, Reply

SHOWN = 8
"""How many actions are listed at least."""


@click.command("explain", epilog="Example: liars-dice explain --dice 2 3 --hand 1,4 --bids 1x6,2x6")
@round_dice_option
@click.option("--hand", required=True, metavar="D,D,...", help="The dice of the player whose turn it is.")
@click.option("--bids", default="", metavar="B,B,...", help="The bids made so far, as in 1x4,2x4. [default: none yet]")
@click.option("--action", metavar="A", help="Compare this one with the best: a bid as in 2x4, or liar.")
@round_options
@click.option("--png", type=click.Path(path_type=Path), metavar="FILE", help="Draw the answer into this file, too.")
@json_option
def explain_command(
    dice: tuple[int, int],
    hand: str,
    bids: str,
    action: str | None,
    faces: int,
    wild: str,
    ordering: str,
    png: Path | None,
    as_json: bool,
) -> None:
    """Show how often perfect play takes each action at one point of a round, and what each action is worth.

    The opener has N0 dice, the other player N1; whose turn it is follows from the number of bids. A value is what the
    action earns against perfect play with the best play after it: +1 is a sure win, -1 a sure loss. Rounds with up to
    six dice are in the package; small rounds by other rules are solved on the spot.
    """
    from rich.console import Console

    from ..core import BidAction, GameConfig, NotationError, parse_bid
    from ..exact.solver import as_dict, explain, known, reply_to
    from ..pictures import draw_explanation

    config = GameConfig(dice=dice, faces=faces, wild=wild, bid_ordering=ordering)  # type: ignore[arg-type]
    if not all(part.strip().isascii() and part.strip().isdecimal() for part in hand.split(",")):
        raise NotationError(hand, "dice as in 1,4")
    held = tuple(sorted(int(part) for part in hand.split(",")))
    history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
    with show_bracket(quiet=as_json) as progress:
        round_ = known(config, progress)
        explanation = explain(round_.tree, round_.pool, history, held)
    asked = None if action is None else _asked(explanation, action)
    replies = {}
    for choice in () if asked is None else (asked, explanation.best):
        if isinstance(choice.action, BidAction):
            replies[str(choice.action)] = reply_to(round_.tree, round_.pool, history, held, choice.action.bid)
    if png is not None:
        draw_explanation(explanation, _title(config, held, bids), png)
    if as_json:
        compared = {} if asked is None else {"asked": _compared(explanation, asked, replies)}
        print_json(as_dict(round_, explanation, history, held) | compared)
        return
    console = Console(highlight=False)
    _show(console, round_, explanation, _title(config, held, bids), asked)
    if asked is not None:
        for line in _why(explanation, asked, replies):
            console.print(line, markup=False, soft_wrap=True)
    if png is not None:
        click.echo(f"drawn into {png}")


def _title(config: GameConfig, hand: tuple[int, ...], bids: str) -> str:
    after = f"after {bids.replace(',', ' ')}" if bids.strip() else "to open"
    return f"{config.dice[0]} against {config.dice[1]} dice, holding {' '.join(map(str, hand))}, {after}"


def _asked(explanation: Explanation, action: str) -> Choice:
    """The choice that was asked about."""
    from ..core import BadValueError, parse_action
    from ..exact.solver import same_action

    wanted = parse_action(action)
    for choice in explanation.choices:
        if same_action(choice.action, wanted):
            return choice
    raise BadValueError("action", action, "what can be done here: a higher bid, or liar where there is one to call")


def _compared(explanation: Explanation, asked: Choice, replies: dict[str, Reply]) -> dict[str, object]:
    return {
        "action": str(asked.action),
        "loss": (explanation.value - asked.value) / 2,
        "replies": {name: {"called": reply.called, "holds": reply.holds} for name, reply in replies.items()},
    }


def _why(explanation: Explanation, asked: Choice, replies: dict[str, Reply]) -> Iterator[str]:
    """What becomes of the action that was asked about, and of the best one."""
    best, loss = explanation.best, (explanation.value - asked.value) / 2
    yield f"{asked.action} gives {percent(loss)} of the chance to win away" if loss > 0 else f"{asked.action} is best"
    for choice in dict.fromkeys((asked, best)):
        reply = replies.get(str(choice.action))
        if reply is None:
            yield f"  {choice.action}: the bid is false {percent((1 + choice.value) / 2)} of the time"
            continue
        then = f", and then it holds {percent(reply.holds)} of the time" if reply.called > 0 else ""
        yield f"  {choice.action}: perfect play calls it {percent(reply.called)} of the time{then}"


def _show(console: Console, round_: Known, explanation: Explanation, title: str, asked: Choice | None) -> None:
    from rich.table import Table

    from ..exact.solver import SELDOM, worth_showing

    console.print(title, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name, side in (("", "left"), ("often", "right"), ("", "left"), ("value", "right"), ("wins", "right")):
        table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    shown = worth_showing(explanation, SHOWN)
    choices = [choice for choice in explanation.choices if choice in shown or choice is asked]
    for choice in choices:
        best = " best" if choice is explanation.best else ""
        table.add_row(
            str(choice.action),
            f"{choice.chance:.1%}" if choice.chance >= SELDOM else "",
            _bar(choice.chance, ascii_only=console.options.ascii_only),
            f"{choice.value:+.4f}",
            f"{percent((1 + choice.value) / 2)}{best}",
        )
    console.print(table)
    left_out = len(explanation.choices) - len(choices)
    if left_out:
        console.print(f"{left_out} more actions are hardly ever taken", markup=False)
    if not explanation.comes_here:
        console.print("Perfect play would not have come here with this hand; from here this is best.", soft_wrap=True)
    if not explanation.expected:
        console.print("Perfect play would not have bid so: its dice are weighed as before that bid.", soft_wrap=True)
    hands = ", ".join(f"{' '.join(map(str, hand))} ({chance:.1%})" for hand, chance in explanation.belief[:4])
    console.print(f"The other holds most likely: {hands}", markup=False, soft_wrap=True)
    console.print(f"Solved to an exploitability of {round_.exploitability:.1e}", markup=False, soft_wrap=True)


def _bar(chance: float, *, ascii_only: bool, width: int = 24) -> str:
    """A bar as long as the chance."""
    if ascii_only:
        return "#" * round(chance * width)
    eighths = round(chance * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
