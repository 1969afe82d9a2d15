"""The bot check: whether a bot loads, follows the rules and is what it says, with advice where it does not."""

from __future__ import annotations

import difflib
import inspect
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from ..agents import (
    Agent,
    AgentNameError,
    AgentProblem,
    BotFileError,
    GameStart,
    Heard,
    PolicyError,
    ask,
    make_agent,
    states_policy,
)
from ..core import PRESETS, Action, Bid, GameConfig, GameView, LiarsDiceError, Move, Player, preset
from .bot_description import HOOKS
from .limits import BotFault, BotLimits
from .named_seats import limits_of, make_seat, start_program
from .referee import Referee
from .seats import InProcessSeat, Seat
from .time_guard import guarded, tables_guard

GAMES = 10
"""How many games each check plays per rule set, if there is time."""
CHECK_SECONDS = 60.0
"""How long all checks together may take by default."""


class Check(msgspec.Struct, frozen=True):
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    """How to correct it."""
    traceback: str = ""
    """Where in the bot's code it failed, if that is known."""


def check_bot(
    name: str,
    limits: BotLimits | None = None,
    *,
    rules: Mapping[str, GameConfig] | None = None,
    seconds: float = CHECK_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Check]:
    """Check the bot called `name`: one result after another, up to the first failure.

    It is checked under these `rules`, each with its name; by default, under every named rule set. All checks together
    take about as many `seconds` at most: a slow bot plays fewer games. Its speed is measured by `clock`.
    """
    limits = limits_of(name, BotLimits() if limits is None else limits)
    for check in _checks(name, limits, rules, seconds, clock):
        yield check
        if not check.ok:
            return


def _checks(
    name: str,
    limits: BotLimits,
    rules: Mapping[str, GameConfig] | None,
    seconds: float,
    clock: Callable[[], float],
) -> Iterator[Check]:
    agent: Agent | None = None
    players = (2, 15)
    if name.startswith("cmd:"):
        try:
            program = start_program(name, limits)
        except AgentNameError as error:
            yield Check(
                "loads", False, str(error), "Run the command yourself: its first line must be the ready message."
            )
            return
        program.dismiss()
        yield Check("loads", True, f"a program, called {program.name}")
    else:
        try:
            agent = guarded(limits.load, make_agent, name)
        except BotFault as fault:
            reason = fault.__cause__ if isinstance(fault.__cause__, LiarsDiceError) else fault
            yield Check("loads", False, str(reason), _how_to_load(reason))
            return
        players = agent.players
        yield Check("loads", True, f"{type(agent).__name__}, called {agent.name or type(agent).__name__}")
        yield _check_methods(agent)
        yield _check_picklable(agent)
    given = {one: _config(players, one) for one in PRESETS} if rules is None else dict(rules)
    configs = {one: _accepted(agent, config) for one, config in given.items()}
    usual = _usual(configs, players)
    memoryless = agent is not None and agent.memoryless
    bot = _Bot(name, limits, clock, seconds, checks=2 + len(configs) + (2 if memoryless else 0) + (agent is not None))
    yield _check_speed(bot, usual)
    for one, config in configs.items():
        yield _check_rules(bot, one, config)
    yield _check_deterministic(bot, usual)
    if memoryless:
        yield _check_memoryless(bot, usual)
        yield _check_table(bot, usual)
    if agent is not None:
        yield _check_cut_off(bot, usual)


class _TimeUpError(Exception):
    """The time for a check is up, in the middle of a game."""


class _Bot:
    """The bot that is checked, and the time that is left for it."""

    def __init__(
        self, name: str, limits: BotLimits, clock: Callable[[], float], seconds: float, *, checks: int
    ) -> None:
        self.name, self.limits, self.clock, self.seconds = name, limits, clock, seconds
        self._until = time.monotonic() + seconds
        self._checks = checks
        self._due = 0.0

    def next_check(self) -> None:
        """Begin a check, which gets an equal share of the time that is left."""
        now = time.monotonic()
        self._due = now + max(0.0, self._until - now) / max(1, self._checks)
        self._checks -= 1

    @property
    def is_late(self) -> bool:
        """Whether the time of this check is up."""
        return time.monotonic() > self._due

    def play(self, config: GameConfig, seed: int, share: float = 1.0) -> _Watched:
        """A game of the bot against `random`, up to its first fault, or as far as this share of the time allows."""
        own = seed % config.num_players
        bot = _Watched(make_seat(self.name, self.limits), self, share)
        others = (make_seat("random", self.limits) for _ in range(config.num_players - 1))
        seats: list[Player | Seat] = [bot if seat == own else next(others) for seat in range(config.num_players)]
        bot.play(seats, config, seed)
        return bot

    def play_in_this_process(self, config: GameConfig, seed: int) -> list[_Watched]:
        """A game of the bot for at most half of the time: against itself, or with `random` in the last seat."""
        bots = [_Watched(InProcessSeat(make_agent(self.name), self.limits), self, 0.5) for _ in config.dice]
        seats: list[Player | Seat] = [*bots]
        if seed % 2:
            bots.pop()
            seats[-1] = make_seat("random", self.limits)
        bots[0].play(seats, config, seed, strict=False)
        return bots

    def due(self, share: float) -> float:
        """When this share of the time of this check is up."""
        now = time.monotonic()
        return now + share * max(0.0, self._due - now)

    @property
    def cut_short(self) -> str:
        """Why less was checked than usual, if the time is up."""
        return f"; then its share of the {self.seconds:g} s for all checks was up" if self.is_late else ""


class _Watched(Seat):
    """The bot's seat: notes what it sees and does, and ends the game when the time is up."""

    def __init__(self, seat: Seat, bot: _Bot, share: float) -> None:
        self.seat, self.bot = seat, bot
        self.name, self.player_type, self.listens = seat.name, seat.player_type, seat.listens
        self.due = bot.due(share)
        self.views: list[GameView] = []
        self.moves: list[str] = []
        self.slowest = 0.0
        self.allowed = float("inf")
        """A decision that takes longer ends the game."""
        self.fault: Check | None = None
        self.verdict = ""
        """The verdict on the first fault."""
        self.is_over = False
        """Whether the game was played to its end."""

    def play(self, seats: Sequence[Player | Seat], config: GameConfig, seed: int, *, strict: bool = True) -> None:
        """Play a game, up to the first fault if `strict`."""
        try:
            result = Referee(seats, config, seed=seed, strict=strict).play()
        except _TimeUpError:
            return
        self.is_over = True
        for fault in result.faults:
            advice = _ADVICE.get(fault.verdict, "Correct the error; it happens with this seed every time.")
            self.verdict = fault.verdict
            self.fault = Check("", False, f"{fault.verdict}, {fault.detail}", advice, fault.traceback)
            return

    def tell(self, heard: Heard) -> None:
        """Tell the bot."""
        self.seat.tell(heard)

    def choose_action(self, view: GameView) -> Move:
        """Ask the bot, unless the time is up."""
        if self.views and time.monotonic() > self.due:
            raise _TimeUpError
        self.views.append(view)
        start = self.bot.clock()
        move = self.seat.choose_action(view)
        self.slowest = max(self.slowest, self.bot.clock() - start)
        self.moves.append(str(move))
        if self.slowest > self.allowed:
            raise _TimeUpError
        return move

    def take_faults(self) -> list[BotFault]:
        """Its faults."""
        return self.seat.take_faults()

    def close(self) -> None:
        """Let it go after a game."""
        self.seat.close()

    def dismiss(self) -> None:
        """Let it go."""
        self.seat.dismiss()


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
        case BotFileError(line=None):
            return "Write a method choose_action(self, view) that returns an action."
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


def _accepted(agent: Agent | None, config: GameConfig | None) -> GameConfig | None:
    """The rules, if the bot says that it plays by them."""
    if config is not None and isinstance(agent, Agent):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of rules by which it plays as another bot does
                agent.check_rules(config)
        except LiarsDiceError:
            return None
        fewest, most = agent.players
        return config if fewest <= config.num_players <= most else None
    return config


def _usual(configs: Mapping[str, GameConfig | None], players: tuple[int, int]) -> GameConfig:
    """The richest of these rules that the bot plays: with palifico rounds, if there are any."""
    fit = [config for config in configs.values() if config is not None]
    richest = max(fit, key=lambda c: (c.palifico, c.exact_call, c.mode != "single_round", sum(c.dice)), default=None)
    return preset("perudo", players=players[0]) if richest is None else richest


def _check_methods(agent: Agent) -> Check:
    """Whether methods that look like hooks are hooks: others are never called."""
    called = (*HOOKS, "choose_action", "policy", "check_rules")
    ours = set(dir(Agent))
    own = [name for kind in type(agent).__mro__ if kind.__module__ != Agent.__module__ for name in vars(kind)]
    for name in own:
        near = difflib.get_close_matches(name, called, n=1, cutoff=0.77)
        if name not in ours and near and callable(getattr(agent, name, None)):
            detail = f"{name} is never called: did you mean {near[0]}?"
            return Check("methods", False, detail, f"Rename it. The methods that are called: {', '.join(called)}.")
    if problem := _misread(agent.choose_action):
        return Check("methods", False, f"choose_action {problem}", "Write: def choose_action(self, view):")
    hooks = [name for name in called if name in own]
    return Check("methods", True, ", ".join(hooks) or "those of its base class")


def _misread(choose_action: Callable[..., object]) -> str:
    """What keeps a method from being asked for an action with a view alone; empty if nothing does."""
    if inspect.iscoroutinefunction(choose_action):
        return "is `async def`, but it is called like a plain function"
    try:
        inspect.signature(choose_action).bind(None)
    except TypeError as error:  # too many or too few arguments
        return f"cannot be called with a view ({error})"
    except ValueError:  # nothing is known of its arguments: it is written in C, say
        return ""
    return ""


def _check_speed(bot: _Bot, config: GameConfig) -> Check:
    bot.next_check()
    most = bot.limits.decision / 2
    slowest = 0.0
    for seed in range(2):
        watched = _Watched(make_seat(bot.name, bot.limits), bot, 1.0)
        watched.allowed = most
        others = [make_seat("random", bot.limits) for _ in config.dice[1:]]
        watched.play([watched, *others], config, seed)
        slowest = max(slowest, watched.slowest)
        if watched.verdict == "too_slow" and watched.fault is not None:
            return msgspec.structs.replace(watched.fault, name="fast enough")
        if slowest > most or bot.is_late:
            break
    detail = (
        f"slowest decision {slowest * 1000:.1f} ms; at most {most:g} s, half of the {bot.limits.decision:g} s allowed"
    )
    return Check("fast enough", slowest <= most, detail, _LESS_WORK)


def _check_rules(bot: _Bot, rules: str, config: GameConfig | None) -> Check:
    bot.next_check()
    name = f"legal in {rules}"
    if config is None:
        return Check(name, True, "not played: the bot says that it is for other rules or another number of players")
    games = decisions = palifico = 0
    for seed in range(GAMES):
        played = bot.play(config, seed)
        if played.fault is not None:
            return msgspec.structs.replace(played.fault, name=name, detail=f"seed {seed}: {played.fault.detail}")
        games += played.is_over
        decisions += len(played.views)
        palifico += sum(view.palifico for view in played.views)
        if bot.is_late:
            break
    rounds = f", {palifico:,} decisions in palifico rounds" if config.palifico else ""
    detail = f"{games} games without a fault" if games == GAMES else f"{decisions:,} decisions without a fault"
    return Check(name, True, f"{detail}{rounds}{bot.cut_short if games < GAMES else ''}")


def _decisions(bot: _Bot, config: GameConfig, games: int) -> list[tuple[Agent, GameView]]:
    """Every view that the bot decides in, in some games, with the bot as it was then."""
    seen: list[tuple[Agent, GameView]] = []
    for seed in range(games):
        for watched in bot.play_in_this_process(config, seed):
            assert isinstance(watched.seat, InProcessSeat)
            agent: Agent = watched.seat.agent  # type: ignore[assignment]
            seen += [(agent, view) for view in watched.views]
    return seen


def _check_deterministic(bot: _Bot, config: GameConfig) -> Check:
    bot.next_check()
    compared = 0
    for seed in range(GAMES):
        one = bot.play(config, seed, 0.5).moves
        two = bot.play(config, seed).moves
        moves = min(len(one), len(two))
        if one[:moves] != two[:moves]:
            advice = (
                "Draw every random number from self.rng, and keep nothing between games that seed() does not reset."
            )
            return Check("deterministic under a seed", False, f"seed {seed} gave two different games", advice)
        compared += moves
        if bot.is_late:
            break
    return Check("deterministic under a seed", True, f"{compared:,} decisions twice")


def _check_memoryless(bot: _Bot, config: GameConfig) -> Check:
    """Whether views that differ only in what a memoryless bot must not look at get the same decision, from a bot that
    has played and from one that has not.
    """
    bot.next_check()
    name, limits = bot.name, bot.limits
    compared = 0
    advice = "Set memoryless = False, or decide from your dice, the number of other dice and the current bid alone."
    for agent, view in _decisions(bot, config, 4):
        if compared and bot.is_late:
            break
        for other in _same_to_the_memoryless(view):
            compared += 1
            fresh = make_agent(name)
            _begin(fresh, config, limits)
            if _decision(agent, view, limits) != _decision(fresh, other, limits):
                detail = f"decided differently for {view.my_dice} against {view.current_bid} with another past or seat"
                return Check("memoryless, as it says", False, detail, advice)
    return Check("memoryless, as it says", True, f"{compared} pairs of views")


def _check_table(bot: _Bot, config: GameConfig) -> Check:
    """Whether the bot's table says, for every view of some games, what the bot does itself."""
    from ..exact.tables import PolicyBook, situation_of

    bot.next_check()
    guard = tables_guard(bot.limits)
    advice = "Draw random numbers only to follow policy(view); or set memoryless = False."
    book = PolicyBook(make_agent(bot.name), guard)
    compared = 0
    for agent, view in _decisions(bot, config, 3):
        if compared and bot.is_late:
            break
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
    if history and not public.rules.limits_raises:
        lower: tuple[Bid, ...] = public.rules.bids[: public.rung]
        for before in dict.fromkeys(((), lower[-1:], lower[::3])):
            opener = public.opener if before else public.bidders[-1]
            yield replace(view, public=replace(public, bid_history=(*before, history[-1]), opener=opener))


def _check_picklable(agent: Agent) -> Check:
    advice = "Keep no open files, locks or lambdas in the bot: make them when they are needed."
    try:
        again = pickle.loads(pickle.dumps(agent))
    except Exception as error:
        return Check("picklable", False, f"{type(error).__name__}: {error}", advice)
    return Check("picklable", type(again) is type(agent), "can be sent to other processes", advice)


def _check_cut_off(bot: _Bot, config: GameConfig) -> Check:
    """Whether a bot that was interrupted in the middle of decisions plays the next game without a fault."""
    bot.next_check()
    agents = [make_agent(bot.name) for _ in config.dice]
    hurried = BotLimits(decision=0.0001, game_end=0.0001, load=bot.limits.load)
    Referee(agents, config, seed=1, limits=hurried).play()
    seats = [_Watched(InProcessSeat(agent, bot.limits), bot, 1.0) for agent in agents]
    seats[0].play(seats, config, 2)
    fault = seats[0].fault
    if fault is not None:
        advice = "In choose_action, change the bot's own state last; reset it in on_game_start."
        return msgspec.structs.replace(fault, name="survives being cut off", fix=advice)
    return Check("survives being cut off", True, "played the next game without a fault")
