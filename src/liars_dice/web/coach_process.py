"""The coach's own process, so that no move waits for the coach and a crash of it harms no game.

Questions arrive on standard input and answers leave on standard output, both pickled (the other end is always our own
server). When the input ends, so does the process. Slow questions have their own threads, so that hints
need not wait for them.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Literal

import msgspec

from ..core import (
    BadValueError,
    Bid,
    GameConfig,
    GameEngine,
    GameState,
    GameView,
    LiarsDiceError,
    Progress,
    PublicState,
    describe,
    preset,
)
from .messages import CallingStep, CardSection, Json, LabRound, LabRounds, MatchupTable, PlayerCard, plain

if TYPE_CHECKING:
    from datetime import date

    from ..coach import Advice
    from ..persistence import GameSummary, RecordedEvent

_LENGTH = struct.Struct(">Q")
LAB_RULES = {"heads-up": GameConfig(), "perudo": preset("perudo", players=2, mode="single_round")}
"""What the lab explains: single rounds between two players."""


def send(stream: IO[bytes], message: object) -> None:
    """Write one message."""
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return pickle.loads(data) if len(data) == length else None


# -- what can be asked -------------------------------------------------------------------------------------------------
# The modules behind this take a while to load, so each is loaded when it is needed.


def hint(view: GameView, known: Sequence[str], progress: Progress) -> Json:
    """The coach's advice; `known` are the recorded ids of the players."""
    from ..coach import advise, model_of

    return _advice(advise(view, [model_of(agent_id) for agent_id in known]))


def comments(view: GameView, progress: Progress) -> dict[str, str]:
    """The coach's word on every legal move, for beginners."""
    from ..coach import comments

    return comments(view)


def _advice(advice: Advice) -> Json:
    from ..coach import kind_of

    return {
        "best": str(advice.best),
        "win_chance": advice.win_chance,
        "why": advice.why,
        "source": advice.source,
        "given": advice.given,
        "of": advice.of_what,
        "aim": advice.aim,
        "stake": advice.stake,
        "choices": [
            {
                "action": str(choice.action),
                "win_chance": choice.win_chance,
                "loss": (loss := advice.loss(choice.action)),
                "kind": kind_of(loss / advice.stake),
                "chance": choice.chance,
            }
            for choice in advice.choices
        ],
        "habits": None if advice.habits is None else _advice(advice.habits),
    }


def explain(rules: str, dice: tuple[int, int], hand: tuple[int, ...], history: list[Bid], progress: Progress) -> Json:
    """What the best strategy known does at one point in a round by itself, and what each action is worth."""
    from ..exact import OutOfReachError
    from ..exact.solver import PublicTree, explain, explanation_as_dict, measured_explanation, shipped_equilibrium

    if rules not in LAB_RULES:
        raise BadValueError("rules", rules, f"one of {', '.join(LAB_RULES)}")
    config = LAB_RULES[rules].replace(dice=dice)
    round_ = shipped_equilibrium(PublicTree(config))
    if round_ is not None:
        return explanation_as_dict(round_, explain(round_.tree, round_.pool, history, hand), history, hand)
    found = measured_explanation(config, history, hand)
    if found is None:
        raise OutOfReachError(f"{rules}, {dice[0]} v {dice[1]} dice: the package has no strategy for this round")
    return found


def solved(progress: Progress) -> LabRounds:
    """The rounds that the lab shows, each by itself: those that are solved, and those with measured strategies."""
    from ..exact.solver import Tablebase, measured_rounds

    found = LabRounds({})
    for rules in LAB_RULES:
        game: Literal["heads-up", "perudo"] = "perudo" if rules == "perudo" else "heads-up"
        entries = Tablebase.shipped(game).entries
        found.rules[rules] = [LabRound(dice, entry.lower, entry.upper) for dice, entry in entries.items()]
        found.rules[rules] += [LabRound(dice, None, None) for dice in measured_rounds(game)]
    return found


def review(pickled: Sequence[bytes], seat: int | None, progress: Progress) -> msgspec.Raw:
    """The coach's review of a game, whose events come in pieces; as JSON."""
    from ..coach import review_game
    from ..persistence import fallback_turns

    events = _unpickled(pickled)
    found = review_game(_state(events), seat, fallbacks=fallback_turns(events), progress=progress)
    return _json({"game_id": events[0].game_id, **found.to_dict()})


def turn_again(pickled: Sequence[bytes], turn: int, progress: Progress) -> msgspec.Raw:
    """One decision of a finished game as a puzzle, as JSON."""
    from ..coach import puzzle_at

    events = _unpickled(pickled)
    return _json(puzzle_at(_state(events), turn, events[0].game_id).to_dict())


def game_puzzles(pickled: Sequence[bytes], seat: int, progress: Progress) -> msgspec.Raw:
    """The worst mistakes of a seat in a finished game as puzzles, as JSON."""
    from ..coach import puzzles_from
    from ..persistence import fallback_turns

    events = _unpickled(pickled)
    others = fallback_turns(events)
    found = puzzles_from(_state(events), seat, events[0].game_id, passed_over=others, progress=progress)
    return _json({"game_id": events[0].game_id, "puzzles": [puzzle.to_dict() for puzzle in found]})


def daily_puzzles(day: date, progress: Progress) -> msgspec.Raw:
    """The positions of a day, as JSON."""
    from ..coach import DAILY_RULES, daily_puzzle

    puzzles = {rules: daily_puzzle(day, rules).to_dict() for rules in DAILY_RULES}
    return _json({"day": day, "puzzles": puzzles})


def game_card(pickled: Sequence[bytes], progress: Progress) -> bytes:
    """A picture of how a finished game ended."""
    from ..pictures import draw_game_card

    return draw_game_card(_state(_unpickled(pickled)))


def _unpickled(pickled: Sequence[bytes]) -> list[RecordedEvent]:
    return [event for piece in pickled for event in pickle.loads(piece)]


def _state(events: Sequence[RecordedEvent]) -> GameState:
    from ..persistence import verify_game

    return verify_game(events)


def _json(found: object) -> msgspec.Raw:
    """An answer as JSON, which the server need only pass on."""
    return msgspec.Raw(msgspec.json.encode(found))


def card(player: str, games: Sequence[tuple[GameSummary, Sequence[bytes]]], progress: Progress) -> PlayerCard:
    """What anyone could know of a player from these finished games, whose events come in pieces."""
    from ..opponents import ODDS, PlayedRound, basis, findings, recorded_rounds, scout

    rounds = []
    for game, pickled in games:
        events = _unpickled(pickled)
        for seat in game.seats_of(player):
            rounds += [PlayedRound(game, played, seat) for played in recorded_rounds(events)]
    found = scout(player, rounds)
    sections = [CardSection(heading, told) for heading, told in findings(found)]
    calling = [
        CallingStep(low, high, rate.times, rate.of)
        for low, high, rate in zip(ODDS, ODDS[1:], found.calling, strict=False)
        if rate.is_told
    ]
    return PlayerCard(player, found.rounds, basis(found), sections, calling)


def matchups(name: str, config: GameConfig, progress: Progress) -> MatchupTable:
    """Every built-in memoryless bot against every other."""
    from ..agents import AGENTS, make_agent
    from ..exact.matchups import Matchups

    names = [info.field_name for info in AGENTS.values() if info.memoryless]
    win = Matchups([make_agent(one) for one in names], config).match.win
    n = len(names)
    both = [[None if i == j else float((win[i, j] + 1 - win[j, i]) / 2) for j in range(n)] for i in range(n)]
    return MatchupTable(names, both, name)


def prepare(public: PublicState, known: Sequence[str], progress: Progress) -> None:
    """Build what advice in this round needs, before a player asks for it."""
    from ..coach import model_of, prepare

    prepare(public, [model_of(agent_id) for agent_id in known])


WARM_UPS = 4
"""The number of steps of `warm_up`."""


def warm_up(step: int, progress: Progress) -> None:
    """Load what the coach needs, one step of it; the first time on a machine this compiles it."""
    from ..agents import make_agent
    from ..coach import model_of, review_game
    from ..exact.matchups import Matchups

    def judge(dice: int, names: tuple[str, str], taken_for: tuple[str, str]) -> None:
        engine = GameEngine(GameConfig(dice=(dice, dice), seed=3), [make_agent(name) for name in names])
        engine.play()
        review_game(engine.state, models=[model_of(name) for name in taken_for])

    match step:
        case 0:
            judge(2, ("optimal", "bluffer"), ("human", "bluffer"))
        case 1:
            judge(3, ("bluffer", "optimal"), ("human", "optimal"))
        case 2:
            judge(4, ("bluffer", "bluffer"), ("bluffer", "bluffer"))
        case _:
            Matchups([make_agent(name) for name in ("bluffer", "random")], GameConfig(dice=(1, 1)))


QUICK: dict[str, Callable[..., Any]] = {
    "hint": hint,
    "comments": comments,
    "explain": explain,
    "solved": solved,
    "turn_again": turn_again,
    "daily_puzzles": daily_puzzles,
    "game_card": game_card,
}
SLOW: dict[str, Callable[..., Any]] = {
    "review": review,
    "game_puzzles": game_puzzles,
    "card": card,
    "matchups": matchups,
    "prepare": prepare,
    "warm_up": warm_up,
}
LONG: dict[str, Callable[..., Any]] = {"long_review": review}


# -- the process -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer questions until the input ends."""
    with suppress(AttributeError, OSError):
        os.nice(10)  # games have priority
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything printed must not mix with the answers
    lock = threading.Lock()

    def say(number: int, kind: str, value: object) -> None:
        with lock:
            send(answers, (number, kind, value))

    def work(number: int, what: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        began = time.thread_time()
        try:
            found = "answer", what(*arguments, progress=lambda done, of: say(number, "progress", (done, of)))
        except LiarsDiceError as error:
            found = "refused", (plain(error), error.code)
        except Exception as error:
            found = "failed", describe(error)
        say(number, "used", time.thread_time() - began)
        say(number, *found)

    threads = [(named, ThreadPoolExecutor(1)) for named in (QUICK, SLOW, LONG)]
    while (question := receive(sys.stdin.buffer)) is not None:
        number, what, arguments = question
        for named, thread in threads:
            if what in named:
                thread.submit(work, number, named[what], arguments)
    os._exit(0)  # no one is waiting for what is still being computed


if __name__ == "__main__":
    main()
