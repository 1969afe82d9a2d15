"""The bots of the house: those at a table, and the one that plays for people who are away."""

from __future__ import annotations

from functools import cache

import msgspec

from ..agents import AGENTS, make_agent
from ..arena.limits import BotFault
from ..arena.protocol import is_action
from ..arena.seats import Seat
from ..arena.tables import make_seat
from ..core import Action, AgentFaulted, CallLiarAction, GameView, derive_seed
from ..persistence.session import player_type

STAND_IN = "optimal"
"""Who plays for people who are away, and takes the seats that are left open."""


class HouseBots:
    """The bots at one table. They are seated when they are first asked."""

    def __init__(self) -> None:
        self._seats: dict[int, Seat] = {}

    def choose(self, agent: str, view: GameView, turn: int, seed: int) -> tuple[Action, list[AgentFaulted]]:
        """What this bot does in this view: work for a thread. Faults are answered with the fallback, as by the referee.

        A bot's randomness depends on the game's seed and the turn alone, so that a game goes on after a restart as it
        would have gone on without.
        """
        seat = view.player_id
        try:
            bot = self._seats.get(seat) or self._sit_down(agent, view, seed)
            inside = getattr(bot, "agent", None)
            if inside is not None:
                inside.seed(derive_seed(seed, "agent", seat, turn))
            action: object = bot.choose_action(view)
            if not is_action(action):
                raise BotFault("wrong_type", f"returned an object of type {type(action).__name__}")
            if action not in view.legal_actions and not _is_legal(view, action):
                raise BotFault("illegal", f"{action} is not legal here")
            return action, []
        except BotFault as fault:
            fallback = view.legal_actions[0] if view.current_bid is None else CallLiarAction()
            return fallback, [AgentFaulted(seat, fault.verdict, fault.detail, str(fallback))]

    def _sit_down(self, agent: str, view: GameView, seed: int) -> Seat:
        """A bot takes its seat, and hears of the rounds before."""
        bot = make_seat(agent, isolate=agent not in AGENTS)
        bot.start(view.public.config, view.player_id, view.public.names, derive_seed(seed, "agent", view.player_id))
        for resolution in view.public.resolutions:
            bot.round_end(resolution)
        self._seats[view.player_id] = bot
        return bot

    def close(self) -> None:
        """They leave."""
        seats, self._seats = self._seats, {}
        for bot in seats.values():
            bot.close()


def _is_legal(view: GameView, action: Action) -> bool:
    """Whether the action is legal but for its reasoning."""
    return msgspec.structs.replace(action, reasoning="") in view.legal_actions


@cache
def type_of(agent: str | None) -> str:
    """What is recorded as the type of this bot's moves."""
    if agent is None or agent not in AGENTS:
        return agent or "Remote"
    attribute = AGENTS[agent].target.partition(":")[2]
    return attribute if attribute[0].isupper() else player_type(make_agent(agent))
