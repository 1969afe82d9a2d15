"""`liars-dice play`: play against bots and other people in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from .game_lookup import find_game
from .options import (
    AS_SEATED,
    agent_name,
    ascii_option,
    db_option,
    full_option,
    isolate_option,
    json_option,
    llm_options,
    rules_for,
    rules_options,
    say_rules,
    seed_option,
    time_limit_option,
    warn_of_guessable_seed,
    was_given,
)
from .output import command_line, open_console, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..coach import Review
    from ..persistence import GameRecorder, RecordedEvent
    from ..terminal import GameSession


@click.command("play", epilog="Example: liars-dice play threshold-best maniac --rules perudo --seat 1")
@click.argument("opponents", type=agent_name, nargs=-1, metavar="[OPPONENT]...")
@click.option(
    "--opponent",
    "more",
    type=agent_name,
    multiple=True,
    metavar="BOT",
    help="The same as OPPONENT. May be repeated.",
)
@rules_options("heads-up", AS_SEATED.replace("players", "players, you included", 1))
@click.option(
    "--seat", type=click.IntRange(0), metavar="N", help="Your seat; seat 0 opens the first round. [default: 0]"
)
@click.option("--name", metavar="NAME", help="Your name. [default: You]")
@click.option("--practice", is_flag=True, help="Allow `undo`, which takes back your last move.")
@click.option("--resume", metavar="GAME", help="Resume an unfinished game: an id, the beginning of one, or last.")
@click.option("--from", "origin", metavar="GAME", help="Start a new game from a position of a recorded one.")
@click.option("--at", "turn", type=int, metavar="TURN", help="With --from: start before this decision, counted from 1.")
@click.option("--review/--no-review", default=None, help="Review the game afterwards. [default: ask]")
@full_option
@ascii_option
@time_limit_option
@isolate_option
@llm_options
@seed_option
@db_option
@json_option
@click.pass_context
def play_command(
    context: click.Context,
    /,
    opponents: tuple[str, ...],
    rules: str,
    practice: bool,
    review: bool | None,
    full: bool,
    ascii_only: bool,
    time_limit: float | None,
    isolate: bool,
    db: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Play in the terminal. The game is recorded in the store; you can quit at any time and resume it later.

    OPPONENT is a bot for each other seat, or human or human:NAME for another person at the same screen. Bots of
    different styles take the seats that you leave open. Without opponents or rules you are asked what to play. Type a
    bid as `3 4`, `3x4` or `three fours`, type `liar` to call, and `?` to see everything else.
    """
    from functools import partial

    from ..persistence import open_store, rules_name
    from ..referee import limits_for
    from ..terminal import GameSession, Quit, ask_table_setup, can_ask

    opponents += given.pop("more")
    chosen = _chosen(context, given)
    goes_on = given["resume"] is not None or given["origin"] is not None
    console = open_console(stderr=as_json)
    asking = can_ask(console)
    session: GameSession | None = None
    reviewed: Review | None = None
    code = 0
    with open_store(db) as store:
        at_table = partial(
            GameSession,
            console,
            store,
            practice=practice,
            ascii_only=ascii_only,
            full=full,
            isolate=isolate,
            limits=limits_for(time_limit),
        )
        try:
            if goes_on:
                session = _go_on(at_table, store, opponents, given, as_json)
            elif asking and not opponents and not chosen:
                setup = ask_table_setup(console, isolate=isolate)
                rules = setup.rules
                session = at_table(setup.lineup).begin(setup.config, given["seed"])
            else:
                session = _begin(at_table, rules, opponents, given, isolate=isolate)
            session.play()
            if review is True or (review is None and asking):
                reviewed = _offer_review(console, session, asked=review is None)
        except Quit:
            pass
        except KeyboardInterrupt:
            code = 130
        _goodbye(console, session, reviewed, db)
        if as_json and session is not None:
            public = session.state.public
            print_json(
                {
                    "rules": rules_name(public.config) if goes_on else rules,
                    "agents": list(public.names),
                    "winner": None if public.winner is None else public.names[public.winner],
                    "rounds": len(public.resolutions),
                    "run": {"game_id": session.game_id},
                }
            )
    if code:
        raise SystemExit(code)


def _chosen(context: click.Context, given: dict[str, Any]) -> list[str]:
    """The given options that choose the game. With --resume and --from, options that contradict them are refused."""
    from ..core import BadValueError

    def said(*names: str) -> list[str]:
        return [name for name in names if was_given(context, name)]

    resume, origin, turn = given["resume"], given["origin"], given["turn"]
    settled = said("rules", "players", "dice") + (said("seat", "name", "seed", "origin") if resume else [])
    if (resume or origin) and settled:
        flag = "--from" if settled[0] == "origin" else f"--{settled[0]}"
        raise BadValueError(
            "resume" if resume else "from", resume or origin, f"no {flag}, which the recorded game determines"
        )
    if turn is not None and origin is None:
        raise BadValueError("at", turn, "--from GAME as well, the game to start from")
    return said("rules", "players", "dice", "seat", "name")


def _begin(
    at_table: Callable[[Sequence[str]], GameSession],
    rules: str,
    opponents: tuple[str, ...],
    given: dict[str, Any],
    *,
    isolate: bool,
) -> GameSession:
    """Start a new game."""
    from rich.markup import escape

    from ..terminal import fill_seats, make_lineup

    config = rules_for(rules, given["players"], given["dice"], named=len(opponents) + 1 if opponents else 0)
    others = fill_seats(opponents, config.num_players - 1)
    warn_of_guessable_seed(config, given["seed"], others, isolate=isolate)
    session = at_table(make_lineup(others, given["seat"] or 0, given["name"])).begin(config, given["seed"])
    if (said := say_rules(rules, config)) != rules:
        session.table.say(escape(f"Rules: {said}"), indent=0)
    return session


def _go_on(
    at_table: Callable[[Sequence[str]], GameSession],
    store: GameRecorder,
    opponents: tuple[str, ...],
    given: dict[str, Any],
    quiet: bool,
) -> GameSession:
    """Resume an unfinished game, or start a new one from a position of a recorded one."""
    from ..persistence import lineup_of, unfinished_game, version_at_turn
    from ..terminal import replace_bots

    if given["resume"] is not None:
        events = unfinished_game(store, given["resume"])
        lineup = lineup_of(events)
        return at_table(replace_bots(lineup, opponents) if opponents else lineup).resume(events)
    events = store.events(find_game(store, given["origin"], quiet=quiet))
    version = version_at_turn(events, given["turn"])
    lineup = _places(events, version, opponents, given["seat"], given["name"])
    return at_table(lineup).branch(events, version, given["seed"])


def _places(
    events: list[RecordedEvent], version: int, opponents: tuple[str, ...], seat: int | None, name: str | None
) -> tuple[str, ...]:
    """The players of a game that continues another: the same as there, with you in the seat you choose, or else in that
    of the player to move.
    """
    from ..persistence import final_state, is_person, lineup_of
    from ..terminal import make_lineup, replace_bots, take_seat

    lineup = lineup_of(events)
    if seat is None and name is None and any(map(is_person, lineup)):
        return replace_bots(lineup, opponents) if opponents else lineup
    state = final_state(events[:version])
    seat = state.public.current_player if seat is None else seat
    return make_lineup(opponents, seat, name) if opponents else take_seat(lineup, seat, name)


def _offer_review(console: Console, session: GameSession, *, asked: bool) -> Review | None:
    """Review the game if the player wants it. In practice mode, the last decision can still be undone."""
    from ..terminal import ask

    while asked:
        undo = ", undo" if session.practice else ""
        answer = ask(console, f"\nReview the game? (y, n{undo}) [n] ").lower()
        if answer == "undo" and session.practice:
            if session.take_back(*session.people):
                session.play()
            else:
                console.print("There is nothing to undo.")
        elif answer in ("y", "yes"):
            break
        elif answer in ("", "n", "no"):
            return None
        else:
            console.print(f"Type y for a review{', undo to go back' * session.practice}, or n to leave.")
    console.print("Reviewing ...", markup=False)
    from ..coach import review_game
    from ..terminal import known_after, print_known, print_review

    people = session.people
    with show_progress("reviewing", quiet=False) as progress:
        review = review_game(session.state, people[0] if len(people) == 1 else None, progress=progress)
    print_review(review, console, ascii_only=session.table.ascii_only)
    for seat in sorted(people):
        print_known(known_after(session.store.events(session.game_id), seat), console)
    return review


def _goodbye(console: Console, session: GameSession | None, review: Review | None, db: str | None) -> None:
    """Print how to replay the game, or how to resume it."""
    from ..persistence import latest_unfinished_game

    if session is not None and session.state.public.winner is not None:
        game = "last" if session.store.find("last") == session.game_id else session.game_id
        worst = None if review is None else review.worst(session.people)
        suggestions = [("replay it", ["replay", game, "--step"]), ("review it", ["review", game])]
        if worst is not None:
            suggestions.append(
                ("play on from the worst turn", ["play", "--from", session.game_id, "--at", str(worst.turn)])
            )
        for purpose, words in suggestions:
            session.table.suggest(purpose, command_line(*words, db=db))
        return
    if session is not None:
        session.player.hide()
    console.print("\nUntil next time.")
    if session is None or not session.store.events(session.game_id):
        return
    latest = latest_unfinished_game(session.store)
    is_latest = latest is not None and latest[0].game_id == session.game_id
    again = ["play", "--resume", "last" if is_latest else session.game_id]
    again += (
        ["--practice"] * session.practice + ["--isolate"] * session.isolate + ["--ascii"] * session.player.ascii_only
    )
    session.table.suggest("The game is saved. To resume it:", command_line(*again, db=db))
