"""The bots of the house: those at a table, and the one that plays for people who are away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import PurePath

from ..agents import AGENTS, make_agent
from ..core import (
    MOVES,
    Action,
    AgentFaulted,
    GameView,
    PublicState,
    RoundResolution,
    derive_seed,
    describe,
    free_name,
    result_of,
    view_of,
)
from ..persistence import RecordedEvent, Replay, player_type
from ..referee import BotFault, Seat, decide, fallback, make_seat
from .bot_feed import feed
from .room_document import clean_name

STAND_IN = "optimal"
"""Who plays for people who are away, and takes the seats that are left open."""


def is_ours(agent: str) -> bool:
    """Whether this bot is part of the package, and may think in this process."""
    return agent in AGENTS


def on_offer(agents: Iterable[str]) -> dict[str, str]:
    """What the bots of strangers are called here, and what makes them. Where they lie is nobody's business."""
    named: dict[str, str] = {}
    for agent in agents:
        named[free_name(clean_name(_short(agent)) or "bot", (*AGENTS.every_name, *named))] = agent
    return named


def _short(agent: str) -> str:
    if agent.startswith("cmd:"):
        program, *arguments = agent.removeprefix("cmd:").split() or ["bot"]
        script = next((word for word in arguments if not word.startswith("-") and PurePath(word).suffix), program)
        return PurePath(script.strip("'\"")).stem
    place, _, attribute = agent.rpartition(":")
    if attribute.isidentifier() and place:
        return attribute
    return PurePath(agent).stem if agent.endswith(".py") else agent


class _Bot:
    """A bot at its seat, and how much of the game it has lived through."""

    def __init__(self, seat: Seat, *, memoryless: bool) -> None:
        self.seat = seat
        self.memoryless = memoryless
        self.heard = 0
        """So many events."""
        self.asked = False
        """Whether its own next move is an answer that it remembers."""
        self.muted = False
        """One that fails at events is not told of more."""


class HouseBots:
    """The bots of one game. They are seated when they are first asked.

    A bot hears what the referee of a tournament would tell it, before it is asked again. One that is seated in the
    middle, after a restart, lives through all of it: it hears what happened and is asked again what it did, so that its
    memory stands where it stood. What it answers then changes nothing.
    """

    def __init__(self, strangers: Mapping[str, str], seed: int) -> None:
        self._strangers = strangers
        self._seed = seed
        self._bots: dict[int, _Bot] = {}
        self._lock = threading.Lock()
        self._closed = False

    def choose(
        self, agent: str, view: GameView, turn: int, record: Sequence[RecordedEvent]
    ) -> tuple[Action, list[AgentFaulted]]:
        """What this bot does in this view: work for a thread. Whatever goes wrong is answered with the fallback.

        A bot's randomness depends on the game's seed and the turn alone, so that a game goes on after a restart as it
        would have gone on without.
        """
        seat, faults = view.player_id, list[AgentFaulted]()
        try:
            with self._lock:
                return self._choose(agent, view, turn, record, faults), faults
        except BotFault as caught:
            fault = caught
        except Exception as error:
            fault = BotFault("exception", describe(error))
        instead = fallback(view)
        return instead, [*faults, AgentFaulted(seat, fault.verdict, fault.detail, str(instead))]

    def _choose(
        self, agent: str, view: GameView, turn: int, record: Sequence[RecordedEvent], faults: list[AgentFaulted]
    ) -> Action:
        if self._closed:
            raise BotFault("died", "the game went on elsewhere")
        bot = self._seated(agent, view.public, view.player_id, record, faults)
        try:
            bot.asked = True
            return self._ask(bot, view, turn)
        finally:
            faults += [_noted(view.player_id, fault) for fault in bot.seat.take_faults()]

    def _ask(self, bot: _Bot, view: GameView, turn: int) -> Action:
        inside = getattr(bot.seat, "agent", None)
        if inside is not None:
            inside.seed(derive_seed(self._seed, "agent", view.player_id, turn))
        return decide(bot.seat, view)

    def _seated(
        self, agent: str, public: PublicState, seat: int, record: Sequence[RecordedEvent], faults: list[AgentFaulted]
    ) -> _Bot:
        """The bot at this seat, when it has heard everything until now. Only what goes wrong now becomes a fault."""
        bot = self._bots.get(seat)
        past = _moves_of(seat, record, 0 if bot is None else bot.heard)
        if bot is None:
            ours = is_ours(agent)
            spec = agent if ours else self._strangers.get(agent)
            if spec is None:
                raise BotFault("died", f"{agent} is not on offer here any more")
            made = make_seat(spec, isolate=not ours)
            bot = self._bots[seat] = _Bot(made, memoryless=ours and AGENTS[agent].memoryless)
            seed = derive_seed(self._seed, "agent", seat)
            _guard(seat, [] if past else faults, made.start, public.config, seat, public.names, seed)
        if bot.asked and past:
            bot.asked = False
            past = past[1:]
        if past and not bot.memoryless:
            self._live_again(bot, seat, record, past)
        self._tell(bot, seat, record, public.resolutions, faults)
        return bot

    def _live_again(self, bot: _Bot, seat: int, record: Sequence[RecordedEvent], places: Sequence[int]) -> None:
        """Let the bot live through its moves at these places. What went wrong was told then."""
        fold, turn = Replay(), 0
        for place, sealed in enumerate(record[: places[-1] + 1]):
            if place in places:
                self._tell(bot, seat, record[:place], fold.state.public.resolutions, [])
                with suppress(BotFault):
                    self._ask(bot, view_of(fold.state, seat), turn + 1)
            turn += isinstance(sealed.payload, MOVES)
            fold.feed(sealed.payload)
        bot.seat.take_faults()

    def _tell(
        self,
        bot: _Bot,
        seat: int,
        record: Sequence[RecordedEvent],
        resolutions: Sequence[RoundResolution],
        faults: list[AgentFaulted],
    ) -> None:
        """Tell the bot what it has not heard yet."""
        news, bot.heard = record[bot.heard :], len(record)
        for one in feed(news, seat, resolutions):
            if isinstance(one, RoundResolution):
                _guard(seat, faults, bot.seat.round_end, one)
            elif not bot.muted and not _guard(seat, faults, bot.seat.event, one):
                bot.muted = True

    def finish(self, agents: Mapping[int, str], public: PublicState, record: Sequence[RecordedEvent]) -> None:
        """The game is over: the bots hear so, and leave. Work for a thread. Nothing is recorded after a game's end."""
        try:
            with self._lock:
                for seat, agent in agents.items():
                    if self._closed or (seat not in self._bots and is_ours(agent) and AGENTS[agent].memoryless):
                        continue
                    with suppress(Exception):  # whatever it does, the others hear of it, too
                        bot = self._seated(agent, public, seat, record, [])
                        if public.winner is not None:
                            bot.seat.game_end(result_of(public))
        finally:
            self.close()

    def close(self) -> None:
        """They leave: work for a thread, as boxes take a while to go."""
        with self._lock:
            self._closed = True
            bots, self._bots = self._bots, {}
        for bot in bots.values():
            bot.seat.close()


def _moves_of(seat: int, record: Sequence[RecordedEvent], start: int) -> list[int]:
    """Where in the record this seat moved, from event `start` on."""
    return [
        place
        for place in range(start, len(record))
        if isinstance(record[place].payload, MOVES) and record[place].payload.player_id == seat  # type: ignore[union-attr]
    ]


def _noted(seat: int, fault: BotFault) -> AgentFaulted:
    return AgentFaulted(seat, fault.verdict, fault.detail, "the game goes on")


def _guard(seat: int, faults: list[AgentFaulted], call: Callable[..., None], *arguments: object) -> bool:
    """Call a bot's hook; whether it went well."""
    try:
        call(*arguments)
    except BotFault as fault:
        faults.append(_noted(seat, fault))
        return False
    return True


@cache
def type_of(agent: str | None) -> str:
    """What is recorded as the type of this bot's moves."""
    if agent is None or agent not in AGENTS:
        return agent or "Remote"
    attribute = AGENTS[agent].target.partition(":")[2]
    return attribute if attribute[0].isupper() else player_type(make_agent(agent))
