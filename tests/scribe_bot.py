"""Bots that write down everything they hear, for tests that compare hosts. Their moves follow from the view alone."""

from __future__ import annotations

from hashlib import sha256
from typing import ClassVar

import msgspec

from liars_dice.agents import Agent
from liars_dice.core import (
    MOVES,
    Action,
    CallLiarAction,
    Event,
    GameConfig,
    GameCreated,
    GameResult,
    GameView,
    RoundResolution,
)


def written(thing: object) -> str:
    """Everything in a value, wherever it was made."""
    return msgspec.json.encode(thing).decode()


class Scribe(Agent):
    """Says with every move how much it has heard, and a digest of it."""

    logs: ClassVar[list[list[str]]] = []
    """What each scribe of this process has heard, in the order in which they were made."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.logs.append(self.log)

    def __deepcopy__(self, memo: object) -> Scribe:
        return type(self)()

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        self.log.append(f"start {player_id} {written(config)}")

    def on_event(self, event: Event) -> None:
        if isinstance(event, GameCreated):  # players have other names at other tables
            event = msgspec.structs.replace(event, names=(), agent_ids=())
        if isinstance(event, MOVES):  # a probe knows no reasons
            event = msgspec.structs.replace(event, reasoning="")
        self.log.append(f"event {written(event)}")

    def on_round_end(self, resolution: RoundResolution) -> None:
        self.log.append(f"round {written(resolution)}")

    def on_game_end(self, result: GameResult) -> None:
        self.log.append(f"end {result.winner} {written(result.resolutions)}")

    def choose_action(self, view: GameView) -> Action:
        self.log.append(f"asked {view.my_dice} {view.public.bid_history}")
        digest = sha256("\n".join(self.log).encode()).hexdigest()
        return msgspec.structs.replace(self.chosen(view), reasoning=f"{len(self.log)} {digest}")

    @staticmethod
    def chosen(view: GameView) -> Action:
        """A move that looks arbitrary."""
        bids = " ".join(map(str, view.public.bid_history))
        number = int(sha256(f"{view.my_dice} {bids}".encode()).hexdigest(), 16)
        actions = view.legal_actions[:6] if view.current_bid is None else (CallLiarAction(), *view.legal_actions[:2])
        return actions[number % len(actions)]


class StumblingScribe(Scribe):
    """Calls before there is a bid whenever it opens, which is a fault."""

    @staticmethod
    def chosen(view: GameView) -> Action:
        return CallLiarAction() if view.current_bid is None else Scribe.chosen(view)


class FailingScribe(Scribe):
    """Fails at the first reveal, and at the end of every round."""

    def on_event(self, event: Event) -> None:
        super().on_event(event)
        if type(event).__name__ == "DiceRevealed":
            raise ValueError("no more of this")

    def on_round_end(self, resolution: RoundResolution) -> None:
        super().on_round_end(resolution)
        raise ValueError("nor of this")
