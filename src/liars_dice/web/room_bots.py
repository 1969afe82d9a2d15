"""The bots that the studio runs: those at a table, and the stand-in for people who are away."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import PurePath

from ..agents import AGENTS, AgentNameError, asks_network, listed_name, make_agent, place_of
from ..core import Action, AgentFaulted, GameConfig, GameView, PublicState, describe, free_name, result_of
from ..persistence import RecordedEvent, player_type
from ..referee import BotFault, BotLimits, BotSession, fallback, fault_event, make_seat
from .room_document import clean_name

STAND_IN = "optimal"
"""The bot that plays for people who are away."""
TABLE_MATES = ("optimal", "maniac", "calling-station", "bluffer", "conservative", "sniper", "detective")
"""Bots of different styles for seats that are left open."""


def is_ours(agent: str) -> bool:
    """Whether this bot is part of the package, and so may run in this process."""
    return agent in AGENTS


def plays_as(config: GameConfig) -> dict[str, str]:
    """The bots that are not made for these rules, and what each plays as."""
    from ..learn.champion.agent import SUBSTITUTE, is_made_for

    if is_made_for(config):
        return {}
    levels = {name: f"{SUBSTITUTE} or aggressive" for name, info in AGENTS.items() if info.level_of == "champion"}
    return {"champion": SUBSTITUTE, **levels}


def on_offer(agents: Iterable[str]) -> dict[str, str]:
    """The bots that are not part of the package: what makes each, by a name that does not tell where it is.

    Raises `AgentNameError` for a plain name that no bot has. Files and programs are not looked for yet.
    """
    named: dict[str, str] = {}
    for agent in map(listed_name, agents):
        if asks_network(agent):
            raise AgentNameError(agent, "unfit", "a bot whose moves cost nothing: any visitor could spend your calls")
        if agent not in AGENTS and ":" not in agent and not agent.endswith(".py"):
            place_of(agent)
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


class HouseBots:
    """The bots of one game. Each is seated when it is first asked.

    Before a bot is asked, it catches up with the record: it hears everything that it has not heard yet, exactly as the
    referee of a tournament would have told it. A bot that is seated in the middle of a game, after a restart, lives
    through all of it in the same way.
    """

    def __init__(self, strangers: Mapping[str, str], seed: int, limits: BotLimits) -> None:
        """`strangers` are the bots on offer that are not part of the package: what makes each, by name."""
        self._strangers = strangers
        self._seed = seed
        self._limits = limits
        self._sessions: dict[int, BotSession] = {}
        self._faults: list[AgentFaulted] = []
        self._lock = threading.Lock()
        self._closed = False

    def choose(self, agent: str, view: GameView, record: Sequence[RecordedEvent]) -> tuple[Action, list[AgentFaulted]]:
        """What this bot does in this view, and its faults. Runs in a thread; a bot that fails plays the fallback."""
        with self._lock:
            try:
                action = self._caught_up(agent, view.player_id, record).choose(view)
            except Exception as error:  # it could not even be seated
                action = fallback(view)
                fault = error if isinstance(error, BotFault) else BotFault("exception", describe(error))
                self._faults.append(fault_event(view.player_id, fault, str(action)))
            faults, self._faults = self._faults, []
            return action, faults

    def _caught_up(self, agent: str, seat: int, record: Sequence[RecordedEvent]) -> BotSession:
        """The bot at this seat, which has heard everything up to now."""
        if self._closed:
            raise BotFault("died", "the game continues elsewhere")
        session = self._sessions.get(seat)
        if session is None:
            session = self._sessions[seat] = self._seated(agent, seat)
        session.catch_up(record)
        return session

    def _seated(self, agent: str, seat: int) -> BotSession:
        """A bot of our own thinks in this process; anyone else's, in a box.

        Our bots' randomness depends on the game's seed and the turn alone, so that a game continues after a restart as
        it would have continued without one, even if a bot has not been asked again what it did.
        """
        ours = is_ours(agent)
        spec = agent if ours else self._strangers.get(agent)
        if spec is None:
            raise BotFault("died", f"{agent} is no longer on offer here")
        memoryless = ours and AGENTS[agent].memoryless
        made = make_seat(spec, self._limits, isolate=not ours)
        return BotSession(made, seat, self._seed, self._note, reseeds=True, asks_again=not memoryless)

    def _note(self, fault: AgentFaulted) -> None:
        self._faults.append(fault)

    def finish(self, agents: Mapping[int, str], public: PublicState, record: Sequence[RecordedEvent]) -> None:
        """Tell the bots how the game ended, and let them go. Runs in a thread. Nothing is recorded after a game's end.

        A memoryless bot that was never asked is not made just to hear this.
        """
        try:
            with self._lock:
                for seat, agent in agents.items():
                    if self._closed or (seat not in self._sessions and is_ours(agent) and AGENTS[agent].memoryless):
                        continue
                    with suppress(Exception):  # whatever this bot does, the others must hear it, too
                        session = self._caught_up(agent, seat, record)
                        if public.winner is not None:
                            session.end(result_of(public))
        finally:
            self.close()

    def close(self) -> None:
        """Let the bots go. Runs in a thread, because closing a box takes a while."""
        with self._lock:
            self._closed = True
            sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            session.close()


@cache
def type_of(agent: str | None) -> str:
    """The player type that is recorded with this bot's moves."""
    if agent is None or agent not in AGENTS:
        return agent or "Remote"
    attribute = AGENTS[agent].target.partition(":")[2]
    return attribute if attribute[0].isupper() else player_type(make_agent(agent))


STAND_IN_TYPE = type_of(STAND_IN)
"""The player type that is recorded with moves for people who are away."""


def table_mate(agents: Iterable[str | None]) -> str:
    """A bot for an open seat at a table with these bots: one of another style, as long as there is one."""
    there = list(agents)
    return min(TABLE_MATES, key=there.count)
