"""The bot check: whether a bot loads, follows the rules and is what it says, with advice where it does not."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import msgspec

from ..agents import (
    Agent,
    AgentNameError,
    AgentProblem,
    BotFileError,
    GameStart,
    PolicyError,
    ask,
    make_agent,
    states_policy,
)
from ..core import PRESETS, Action, Bid, GameConfig, GameView, LiarsDiceError, Move, preset
from .limits import BotFault, BotLimits
from .named_seats import make_seat
from .referee import MatchResult, Referee
from .seats import InProcessSeat
from .time_guard import guarded, tables_guard

GAMES = 10
"""How many games each check plays per rule set."""


class Check(msgspec.Struct, frozen=True):
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    """How to correct it."""


def check_bot(
    name: str, limits: BotLimits | None = None, *, clock: Callable[[], float] = time.perf_counter
) -> Iterator[Check]:
    """Check the bot called `name`: one result after another. Its speed is measured in seconds of `clock`."""
    limits = BotLimits() if limits is None else limits
    if name.startswith("cmd:"):
        for rules in PRESETS:
            yield _check_rules(name, rules, _config((2, 15), rules), limits)
        yield _check_deterministic(name, preset("perudo", players=3), limits)
        return
    try:
        agent = guarded(limits.load, make_agent, name)
    except BotFault as fault:
        reason = fault.__cause__ if isinstance(fault.__cause__, LiarsDiceError) else fault
        yield Check("loads", False, str(reason), _how_to_load(reason))
        return
    yield Check("loads", True, f"{type(agent).__name__}, called {agent.name or type(agent).__name__}")
    yield _check_picklable(agent)
    for rules in PRESETS:
        check = _check_rules(name, rules, _accepted(agent, _config(agent.players, rules)), limits)
        yield check
        if not check.ok:
            return  # the other checks would only find the same fault
    usual = _some_config(agent)
    yield _check_speed(name, usual, limits, clock)
    yield _check_deterministic(name, usual, limits)
    if agent.memoryless:
        memoryless = _check_memoryless(name, usual, limits)
        yield memoryless
        if memoryless.ok:
            yield _check_table(name, usual, limits)
    yield _check_cut_off(name, usual, limits)


_LESS_WORK = "Do less work in choose_action: keep what does not change, and look fewer moves ahead."

_ADVICE: dict[str, str] = {
    "illegal": "Return one of view.legal_actions: they follow every rule.",
    "wrong_type": "Return an action: one of view.legal_actions, or BidAction(Bid(3, 4)), CallLiarAction().",
    "too_slow": _LESS_WORK,
    "out_of_memory": "Keep less in memory: a bot has a gigabyte at most.",
}
"""What to do about a fault in a game, by its verdict."""

_LOADING: dict[AgentProblem, str] = {
    "missing_class": "Check the name of the class.",
    "missing_module": "Check the name of the module: it must be installed, or in this folder.",
    "needs_arguments": "Give every argument of __init__ a default: bots are made without arguments.",
    "no_bot_in_file": (
        "Write a class that inherits from liars_dice.agents.Agent and has a method choose_action(self, view)."
    ),
    "no_choose_action": "Write a method choose_action(self, view) that returns an action.",
    "raises_when_made": "Correct the error in __init__.",
    "several_bots_in_file": "Say which one you mean: FILE:CLASS.",
    "unknown_name": "Use one of these names, or name a file: mybot.py, or mybot.py:Class.",
    "unreadable_file": "Check the name of the file, and the folder you are in.",
}
"""What to do about a bot that does not load, by what is wrong with its name."""


def _how_to_load(error: BaseException) -> str:
    match error:
        case BotFileError(__cause__=SyntaxError()):
            return "Correct the syntax in this line, or in the one before it."
        case BotFileError():
            return "Correct the error: it happens when the file is loaded, before any bot in it is made."
        case BotFault(verdict="too_slow"):
            return "Do less when the file is loaded and in __init__."
        case AgentNameError(problem=problem):
            return _LOADING.get(problem, "Correct the error.")
        case _:
            return "Correct the error."


def _config(players: tuple[int, int], rules: str) -> GameConfig | None:
    """The rules of this preset for a number of players between these two, if there are any."""
    fewest, most = players
    config = PRESETS[rules]
    if rules.startswith("perudo"):
        config = preset(rules, players=max(fewest, min(most, 4)))
    return config if fewest <= config.num_players <= most else None


def _accepted(agent: Agent, config: GameConfig | None) -> GameConfig | None:
    """The rules, if the bot says that it plays by them."""
    if config is not None and isinstance(agent, Agent):
        try:
            agent.check_rules(config)
        except LiarsDiceError:
            return None
    return config


def _play(name: str, config: GameConfig, seed: int, limits: BotLimits) -> MatchResult:
    """A game with the bot in one seat and `random` in the others."""
    own = seed % config.num_players
    seats = [make_seat(name if seat == own else "random", limits) for seat in range(config.num_players)]
    return Referee(seats, config, seed=seed).play()


def _check_rules(name: str, rules: str, config: GameConfig | None, limits: BotLimits) -> Check:
    if config is None:
        return Check(
            f"legal in {rules}",
            True,
            "not played: the bot says that it is for other rules or another number of players",
        )
    for seed in range(GAMES):
        for fault in _play(name, config, seed, limits).faults:
            advice = _ADVICE.get(fault.verdict, "Correct the error; it happens with this seed every time.")
            return Check(f"legal in {rules}", False, f"seed {seed}: {fault.verdict}, {fault.detail}", advice)
    return Check(f"legal in {rules}", True, f"{GAMES} games without a fault")


class _Noting(InProcessSeat):
    """A seat that notes every view its bot decides in."""

    def __init__(self, agent: Agent, seen: list[tuple[Agent, GameView]]) -> None:
        super().__init__(agent, BotLimits())
        self._note = (agent, seen)

    def choose_action(self, view: GameView) -> Move:
        """Note the view, and ask the bot."""
        agent, seen = self._note
        seen.append((agent, view))
        return super().choose_action(view)


def _decisions(name: str, config: GameConfig, games: int) -> list[tuple[Agent, GameView]]:
    """Every view that the bot decides in, in some games against itself, with the bot as it was then."""
    seen: list[tuple[Agent, GameView]] = []
    for seed in range(games):
        Referee([_Noting(make_agent(name), seen) for _ in config.dice], config, seed=seed).play()
    return seen


def _some_config(agent: Agent) -> GameConfig:
    """The richest of our rule sets that the bot plays."""
    configs = (_accepted(agent, _config(agent.players, rules)) for rules in ("perudo", "heads-up", "classic"))
    return next((config for config in configs if config is not None), preset("perudo", players=agent.players[0]))


def _check_speed(name: str, config: GameConfig, limits: BotLimits, clock: Callable[[], float]) -> Check:
    slowest = 0.0
    for agent, view in _decisions(name, config, 2):
        start = clock()
        with suppress(BotFault):  # slowness is what is measured here, and errors were found before
            guarded(limits.decision, agent.choose_action, view)
        slowest = max(slowest, clock() - start)
    detail = f"slowest decision {slowest * 1000:.1f} ms; {limits.decision:g} s allowed"
    return Check("fast enough", slowest < limits.decision / 2, detail, _LESS_WORK)


def _check_deterministic(name: str, config: GameConfig, limits: BotLimits) -> Check:
    for seed in range(GAMES):
        one, two = (_play(name, config, seed, limits).game for _ in range(2))
        if one != two:
            advice = (
                "Draw every random number from self.rng, and keep nothing between games that seed() does not reset."
            )
            return Check("deterministic under a seed", False, f"seed {seed} gave two different games", advice)
    return Check("deterministic under a seed", True, f"{GAMES} games twice")


def _check_memoryless(name: str, config: GameConfig, limits: BotLimits) -> Check:
    """Whether views that differ only in what a memoryless bot must not look at get the same decision, from a bot that
    has played and from one that has not.
    """
    compared = 0
    advice = "Set memoryless = False, or decide from your dice, the number of other dice and the current bid alone."
    for agent, view in _decisions(name, config, 3):
        for other in _same_to_the_memoryless(view):
            compared += 1
            fresh = make_agent(name)
            _begin(fresh, config, limits)
            if _decision(agent, view, limits) != _decision(fresh, other, limits):
                detail = f"decided differently for {view.my_dice} against {view.current_bid} with another past or seat"
                return Check("memoryless, as it says", False, detail, advice)
    return Check("memoryless, as it says", True, f"{compared} pairs of views")


def _check_table(name: str, config: GameConfig, limits: BotLimits) -> Check:
    """Whether the bot's table says, for every view of some games, what the bot does itself."""
    from ..exact.tables import PolicyBook, situation_of

    guard = tables_guard(limits)
    advice = "Draw random numbers only to follow policy(view); or set memoryless = False."
    book = PolicyBook(make_agent(name), guard)
    compared = 0
    for agent, view in _decisions(name, config, 3):
        try:
            table = book[situation_of(view)]
            said = table.distribution(table.hands.index[view.my_dice], view.public.rung)
            done = ask(agent, view, guard)
        except PolicyError as error:
            return Check("agrees with its table", False, str(error), advice)
        compared += 1
        if said.keys() != done.keys() or any(abs(said[action] - done[action]) > 1e-12 for action in said):
            detail = (
                f"with {view.my_dice} against {view.current_bid}: {_listed(said)} in its table, {_listed(done)} now"
            )
            return Check("agrees with its table", False, detail, advice)
    return Check("agrees with its table", True, f"{compared} decisions")


def _listed(chances: Mapping[Action, float]) -> str:
    return ", ".join(f"{action} {chance:.0%}" for action, chance in chances.items())


def _begin(agent: Agent, config: GameConfig, limits: BotLimits) -> None:
    """Tell a bot that a game begins."""
    InProcessSeat(agent, limits).tell(GameStart(config, 0))


def _decision(agent: Agent, view: GameView, limits: BotLimits) -> object:
    guarded(limits.decision, agent.seed, 1)
    policy = guarded(limits.decision, agent.policy, view) if states_policy(agent) else None
    if policy is not None:
        return {str(action): round(chance, 12) for action, chance in policy.items()}
    return str(guarded(limits.decision, agent.choose_action, view))


def _same_to_the_memoryless(view: GameView) -> Iterator[GameView]:
    """Views of the same hand, dice and bid: with another past, in another seat, or with the other dice moved around."""
    public = view.public
    replace = msgspec.structs.replace
    strangers = tuple(f"stranger-{seat}" for seat in range(len(public.names)))
    yield replace(view, public=replace(public, resolutions=(), names=strangers))
    seats = len(public.names)
    moved = replace(
        public,
        dice_counts=public.dice_counts[-1:] + public.dice_counts[:-1],
        opener=(public.opener + 1) % seats,
        current_player=(public.current_player + 1) % seats,
    )
    yield replace(view, player_id=moved.current_player, public=moved)
    counts = list(public.dice_counts)
    others = [seat for seat in range(seats) if seat != view.player_id and counts[seat]]
    if len(others) > 1 and counts[others[0]] > 1:
        counts[others[0]] -= 1
        counts[others[1]] += 1
        yield replace(view, public=replace(public, dice_counts=tuple(counts)))
    history = public.bid_history
    if len(history) > 1 and not public.rules.limits_raises:
        yield replace(view, public=replace(public, bid_history=history[-1:], opener=public.bidders[-1]))
        lower: tuple[Bid, ...] = public.rules.bids[: public.rung]
        yield replace(view, public=replace(public, bid_history=(*lower[::3], history[-1])))


def _check_picklable(agent: Agent) -> Check:
    advice = "Keep no open files, locks or lambdas in the bot: make them when they are needed."
    try:
        again = pickle.loads(pickle.dumps(agent))
    except Exception as error:
        return Check("picklable", False, f"{type(error).__name__}: {error}", advice)
    return Check("picklable", type(again) is type(agent), "can be sent to other processes", advice)


def _check_cut_off(name: str, config: GameConfig, limits: BotLimits) -> Check:
    """Whether a bot that was interrupted in the middle of decisions plays the next game without a fault."""
    agents = [make_agent(name) for _ in config.dice]
    hurried = BotLimits(decision=0.0001, game_end=0.0001, load=limits.load)
    Referee(agents, config, seed=1, limits=hurried).play()
    faults = Referee(agents, config, seed=2, limits=limits).play().faults
    if faults:
        advice = "In choose_action, change the bot's own state last; reset it in on_game_start."
        return Check("survives being cut off", False, f"{faults[0].verdict}: {faults[0].detail}", advice)
    return Check("survives being cut off", True, "played the next game without a fault")
