"""A table that somebody describes, for `liars-dice explain --seats`: advice to the player to move, as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import dice_count, open_console, print_json

if TYPE_CHECKING:
    from ..coach import Advice, AdvisedChoice
    from ..core import Bid, GameConfig, GameView

SHOWN = 10
"""This many actions are listed."""
RARE = 0.005
"""Actions taken less often than this need not be shown."""


def described_view(
    config: GameConfig, hand: tuple[int, ...], bids: list[Bid], *, palifico: bool, hand_text: str, bids_text: str
) -> GameView:
    """What the player to move sees at a table with these rules and dice, the opener first."""
    from ..core import BadValueError, BidAction, GameView, IllegalMoveError, apply, deal, new_game, plural

    if not palifico and 1 in config.dice:
        config = config.replace(palifico=False)  # the palifico round of a player with one die lies behind
    mover = len(bids) % config.num_players
    names = tuple("you" if seat == mover else f"player {seat + 1}" for seat in range(config.num_players))
    state = deal(new_game(config, names), tuple((1,) * n for n in config.dice))  # nobody looks at these dice
    for bid in bids:
        try:
            state = apply(state, BidAction(bid))
        except IllegalMoveError as error:
            raise BadValueError("--bids", bids_text, f"bids that these rules allow ({error})") from None
    if len(hand) != config.dice[mover]:
        who = "the opener" if mover == 0 else f"player {mover + 1}, who is to move after {plural(len(bids), 'bid')},"
        raise BadValueError("--hand", hand_text, f"{dice_count(config.dice[mover])}, as {who} has")
    if not all(1 <= die <= config.faces for die in hand):
        raise BadValueError("--hand", hand_text, f"dice from 1 to {config.faces}")
    return GameView(mover, hand, state.public)


def show_advice(view: GameView, advice: Advice, asked: str | None, *, as_json: bool) -> None:
    """Print the advice, and how the action that was asked about compares with the best."""
    compared = None if asked is None else _asked(advice, asked)
    if as_json:
        print_json(_as_dict(view, advice, compared))
        return
    from rich.table import Table

    console = open_console()
    console.print(_title(view), markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("", "often", advice.aim):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    shown = [c for n, c in enumerate(advice.choices) if n < SHOWN or (c.chance or 0) >= RARE or c is compared]
    for choice in shown:
        often = f"{choice.chance:.1%}" if choice.chance is not None and choice.chance >= RARE else ""
        best = " best" if choice is advice.choices[0] else ""
        table.add_row(str(choice.action), often, f"{100 * choice.win_chance:.1f}%{best}")
    console.print(table)
    if len(advice.choices) > len(shown):
        console.print(f"{len(advice.choices) - len(shown)} other actions are worth less", markup=False)
    console.print(advice.why, markup=False, soft_wrap=True)
    if compared is not None:
        loss = advice.win_chance - compared.win_chance
        kept = f"gives away {100 * loss:.1f}% of the chance to win" if loss > advice.tolerance else "is as good as any"
        console.print(f"{compared.action} {kept}", markup=False)
    usual = max(advice.choices, key=lambda choice: choice.chance or 0)
    if usual is not advice.choices[0] and (usual.chance or 0) >= 0.5:
        alike = advice.win_chance - usual.win_chance <= advice.tolerance
        why = f"within the error of these values, it is as good as {advice.best}" if alike else "it is worth less here"
        console.print(f"{advice.source} mostly plays {usual.action}; {why}", markup=False, soft_wrap=True)
    console.print(f"Source: {advice.source}", markup=False, soft_wrap=True)


def _asked(advice: Advice, action: str) -> AdvisedChoice:
    from ..core import BadValueError, parse_action
    from ..exact.solver import same_action

    wanted = parse_action(action)
    for choice in advice.choices:
        if same_action(choice.action, wanted):
            return choice
    raise BadValueError("action", action, "a legal action here: a higher bid, or a call if there is a bid to call")


def _title(view: GameView) -> str:
    others = " ".join(str(n) for seat, n in enumerate(view.public.dice_counts) if seat != view.player_id)
    bids = " ".join(map(str, view.public.bid_history))
    after = f"after {bids}" if bids else "to open"
    palifico = ", a palifico round" if view.palifico else ""
    return f"Holding {' '.join(map(str, view.my_dice))} against {others} dice, {after}{palifico}"


def _as_dict(view: GameView, advice: Advice, compared: AdvisedChoice | None) -> dict[str, object]:
    found: dict[str, object] = {
        "dice": list(view.public.dice_counts),
        "to_move": view.player_id,
        "hand": list(view.my_dice),
        "bids": [str(bid) for bid in view.public.bid_history],
        "source": advice.source,
        "of": advice.of_what,
        "best": str(advice.best),
        "win_chance": advice.win_chance,
        "holds": advice.holds,
        "at_stake": advice.stake,
        "why": advice.why,
        "actions": [
            {"action": str(c.action), "probability": c.chance, "win_chance": c.win_chance} for c in advice.choices
        ],
    }
    if compared is not None:
        found["asked"] = {"action": str(compared.action), "loss": max(0.0, advice.win_chance - compared.win_chance)}
    return found
