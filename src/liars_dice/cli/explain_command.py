"""`liars-dice explain`: what the best play known does at one point of a round, and what each action is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import chart_option, json_option, round_config, round_dice_option, round_options
from .output import dice_count, open_console, percent, print_json
from .progress import show_bracket

if TYPE_CHECKING:
    from rich.console import Console

    from ..core import GameConfig
    from ..exact.solver import Choice, Explanation, Reply, RoundEquilibrium

SHOWN = 8
"""At least this many actions are listed."""


@click.command(
    "explain",
    epilog="Example: liars-dice explain --dice 2 3 --hand 1,4 --bids 1x6,2x6; a round of your own: "
    "liars-dice explain solved:2v2.npz --hand 1,4; a table of four, where you have three dice and come third: "
    "liars-dice explain --seats 5,4,3,5 --hand 1,4,4 --bids 3x4,4x4",
)
@click.argument("solution", required=False, metavar="[solved:FILE]")
@round_dice_option(required=False)
@click.option(
    "--seats",
    "table",
    metavar="N,N,...",
    help="Dice of each player at a table of two or more, the opener of the round first, e.g. 5,4,3. [rules: perudo]",
)
@click.option("--palifico", is_flag=True, help="With --seats: this is a palifico round. [rules: perudo-tournament]")
@click.option("--hand", required=True, metavar="D,D,...", help="Dice of the player to move, e.g. 1,4.")
@click.option("--bids", default="", metavar="B,B,...", help="Bids so far, lowest first, e.g. 1x4,2x4. [default: none]")
@click.option("--action", metavar="A", help="Compare this action with the best one: a bid such as 2x4, or liar.")
@round_options
@chart_option("the result")
@json_option
def explain_command(
    solution: str | None,
    dice: tuple[int, int] | None,
    table: str | None,
    palifico: bool,
    hand: str,
    bids: str,
    action: str | None,
    rules: str | None,
    faces: int | None,
    wild: str | None,
    ordering: str | None,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Show how often the best play known takes each action at one point of a round, and what each action is worth.

    With --dice, the round has two players and perfect play is known. The opener has N0 dice, the other player N1; the
    number of bids determines whose turn it is. The value of an action is what it earns against perfect play if you play
    perfectly afterwards: +1 is a certain win, -1 a certain loss. The round is taken by itself. Solutions for rounds
    with up to six dice in total come with the package; small rounds with other rules are solved when you ask. With more
    dice, where the package has strategies that were measured and not solved, the output is that of --seats. solved:FILE
    is a round that `liars-dice solve --out FILE` has solved; it takes the place of --dice and of the rules.

    With --seats, describe any table of Perudo, for example one at which you sit: everybody's dice, your hand, and the
    bids so far. For each action it shows how often the champion takes it, and your chance to win the game if everybody
    plays on as the champion; where two players are left and the round is solved, that of perfect play. By other rules
    the coach's models of unknown players judge. The last line names the source.
    """
    from ..core import BadValueError, BidAction, parse_bid
    from ..exact.solver import equilibrium_in, equilibrium_of, explain, explanation_as_dict, reply_to
    from ..pictures import draw_explanation

    if table is not None:
        if solution is not None or dice is not None or chart is not None:
            raise click.UsageError("--seats cannot be combined with solved:FILE, --dice or a chart.")
        counts = _numbers(table, "everybody's dice separated by commas, such as 5,4,3")
        usual = "perudo-tournament" if palifico else "perudo"
        config = round_config(counts, rules or usual, faces, wild, ordering)
        if palifico and not config.palifico:
            raise BadValueError("--rules", rules, "rules with palifico, such as --rules perudo-tournament")
        if palifico and not (1 in counts and len(counts) > 2):
            expected = "more than two players, at least one of them with one die, for --palifico"
            raise BadValueError("--seats", table, expected)
        _explain_table(config, hand, bids, action, palifico=palifico, as_json=as_json)
        return
    if palifico:
        raise click.UsageError("--palifico needs --seats: with two players there are no palifico rounds.")
    given = {"dice": dice, "rules": rules, "faces": faces, "wild": wild, "ordering": ordering}
    path = None if solution is None else _solution_file(solution, given)
    if path is None and dice is None:
        raise click.UsageError(
            "Which round? Give --dice N0 N1 for two players, --seats N,N,... for any table, or solved:FILE with a file "
            "that solve --out wrote."
        )
    held = tuple(sorted(_numbers(hand, "dice separated by commas, such as 1,4")))
    history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
    if dice is not None and chart is None and _is_measured(round_config(dice, rules, faces, wild, ordering)):
        config = round_config(dice, rules, faces, wild, ordering)
        _explain_table(config, hand, bids, action, palifico=False, as_json=as_json)
        return
    with show_bracket(quiet=as_json) as progress:
        if path is not None:
            round_ = equilibrium_in(path)
            config = round_.tree.config
        elif dice is not None:
            config = round_config(dice, rules, faces, wild, ordering)
            round_ = equilibrium_of(config, progress)
        explanation = explain(round_.tree, round_.pool, history, held)
    title = _title(round_.tree.config, held, bids)
    asked = None if action is None else _asked(explanation, action)
    replies = {}
    for choice in () if asked is None else (asked, explanation.best):
        if isinstance(choice.action, BidAction):
            replies[str(choice.action)] = reply_to(round_.tree, round_.pool, history, held, choice.action.bid)
    if chart is not None:
        draw_explanation(explanation, title, chart)
    if as_json:
        compared = {} if asked is None else {"asked": _compared(explanation, asked, replies)}
        print_json(explanation_as_dict(round_, explanation, history, held) | compared)
        return
    console = open_console()
    _show(console, round_, explanation, title, asked)
    if asked is not None:
        for line in _why(explanation, asked, replies):
            console.print(line, markup=False, soft_wrap=True)
    for line in _match_differs(config):
        console.print(line, markup=False, soft_wrap=True)
    if chart is not None:
        click.echo(f"chart: {chart}")


def _match_differs(config: GameConfig) -> Iterator[str]:
    """Said where the best play of a match by these rules is not that of its rounds."""
    from ..core import round_rules
    from ..exact.solver import Tablebase, solved_game

    if config.mode != "elimination" or not config.exact_call:
        return
    more = ""
    rules = round_rules(config.without_seed, config.total_dice, False)
    own, other = config.dice
    if solved_game(rules) == "perudo match" and (own, other) in Tablebase.shipped("perudo match").entries:
        more = f" For the match, give --seats {own},{other} instead of --dice."
    yield f"This is the round by itself: in a match, a right exact call also wins a die.{more}"


def _numbers(text: str, expected: str) -> tuple[int, ...]:
    """Numbers separated by commas or spaces."""
    from ..core import NotationError

    parts = text.replace(",", " ").split()
    if not parts or not all(part.isascii() and part.isdecimal() for part in parts):
        raise NotationError(text, expected)
    return tuple(map(int, parts))


def _is_measured(config: GameConfig) -> bool:
    """Whether the package has strategies for this round of two that were measured, not solved."""
    from ..core import round_rules
    from ..exact.solver import short_strategy

    rules = round_rules(config.without_seed, config.total_dice, False)
    return short_strategy(rules, (config.dice[0], config.dice[1]), opens=True) is not None


def _explain_table(
    config: GameConfig, hand: str, bids: str, action: str | None, *, palifico: bool, as_json: bool
) -> None:
    """Explain a decision at a described table."""
    from ..coach import advise
    from ..core import parse_bid
    from .described_table import described_view, show_advice

    held = tuple(sorted(_numbers(hand, "dice separated by commas, such as 1,4")))
    history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
    view = described_view(config, held, history, palifico=palifico, hand_text=hand, bids_text=bids)
    show_advice(view, advise(view), action, as_json=as_json)


def _solution_file(solution: str, given: Mapping[str, object]) -> Path:
    """The file in `solved:FILE`, which says all that the other options would."""
    from ..core import BadValueError

    kind, _, name = solution.partition(":")
    if solution.isdecimal():
        raise click.UsageError("--dice takes the dice of two players; for a larger table give --seats 5,4,3.")
    if kind != "solved" or not name:
        raise BadValueError("solution", solution, "solved:FILE, with a file that `liars-dice solve --out FILE` wrote")
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(
                f"--{option} cannot be combined with {solution}: the file has the dice and the rules."
            )
    return Path(name)


def _title(config: GameConfig, hand: tuple[int, ...], bids: str) -> str:
    after = f"after {bids.replace(',', ' ')}" if bids.strip() else "to open"
    return f"{config.dice[0]} against {dice_count(config.dice[1])}, holding {' '.join(map(str, hand))}, {after}"


def _asked(explanation: Explanation, action: str) -> Choice:
    """The choice given by --action."""
    from ..core import BadValueError, parse_action
    from ..exact.solver import same_action

    wanted = parse_action(action)
    for choice in explanation.choices:
        if same_action(choice.action, wanted):
            return choice
    raise BadValueError("action", action, "a legal action here: a higher bid, or liar if there is a bid to call")


def _compared(explanation: Explanation, asked: Choice, replies: dict[str, Reply]) -> dict[str, object]:
    import msgspec

    return {
        "action": str(asked.action),
        "loss": (explanation.value - asked.value) / 2,
        "replies": {name: msgspec.structs.asdict(reply) for name, reply in replies.items()},
    }


def _why(explanation: Explanation, asked: Choice, replies: dict[str, Reply]) -> Iterator[str]:
    """What happens after the action given by --action, and after the best one."""
    from ..core import CallExactAction

    best, loss = explanation.best, (explanation.value - asked.value) / 2
    yield f"{asked.action} gives away {percent(loss)} of the chance to win" if loss > 0 else f"{asked.action} is best"
    for choice in dict.fromkeys((asked, best)):
        reply = replies.get(str(choice.action))
        if reply is None:
            right = "exactly right" if isinstance(choice.action, CallExactAction) else "false"
            yield f"  {choice.action}: the bid is {right} {percent((1 + choice.value) / 2)} of the time"
            continue
        then = f", and then it holds {percent(reply.holds)} of the time" if reply.called > 0 else ""
        yield f"  {choice.action}: perfect play calls it {percent(reply.called)} of the time{then}"
        if reply.called_exact > 0:
            hit = f"which is right {percent(reply.exact)} of the time"
            yield f"  and calls exact {percent(reply.called_exact)} of the time, {hit}"


def _show(
    console: Console, round_: RoundEquilibrium, explanation: Explanation, title: str, asked: Choice | None
) -> None:
    from rich.table import Table

    from ..exact.solver import RARE, choices_to_show

    console.print(title, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name, side in (("", "left"), ("often", "right"), ("", "left"), ("value", "right"), ("wins", "right")):
        table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    shown = choices_to_show(explanation, SHOWN)
    choices = [choice for choice in explanation.choices if choice in shown or choice is asked]
    for choice in choices:
        best = " best" if choice is explanation.best else ""
        table.add_row(
            str(choice.action),
            f"{choice.chance:.1%}" if choice.chance >= RARE else "",
            _bar(choice.chance, ascii_only=console.options.ascii_only),
            f"{choice.value:+.4f}",
            f"{percent((1 + choice.value) / 2)}{best}",
        )
    console.print(table)
    left_out = len(explanation.choices) - len(choices)
    if left_out:
        console.print(
            f"{left_out} other {'action is' if left_out == 1 else 'actions are'} hardly ever taken", markup=False
        )
    if not explanation.comes_here:
        console.print(
            "Perfect play would not reach this point with this hand. If you are here, this is best.", soft_wrap=True
        )
    if not explanation.expected:
        console.print(
            "Perfect play would not have made the last bid, so it is ignored in judging the bidder's dice.",
            soft_wrap=True,
        )
    hands = ", ".join(f"{' '.join(map(str, hand))} ({chance:.1%})" for hand, chance in explanation.belief[:4])
    console.print(f"The other player's most likely dice: {hands}", markup=False, soft_wrap=True)
    console.print(f"Solved to an exploitability of {round_.exploitability:.1e}", markup=False, soft_wrap=True)


def _bar(chance: float, *, ascii_only: bool, width: int = 24) -> str:
    """A bar whose length shows the chance."""
    if ascii_only:
        return "#" * round(chance * width)
    eighths = round(chance * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
