"""What happens in a game, as a union of frozen event types, and the filter that decides who may see what."""

from __future__ import annotations

import msgspec

from .actions import Action, BidAction, CallExactAction, CallLiarAction
from .bid import Bid
from .config import GameConfig
from .fairness import Fairness
from .state import Hands


class _Event(
    msgspec.Struct, frozen=True, gc=False, tag_field="event_type", tag=True, omit_defaults=True, repr_omit_defaults=True
):
    pass


class GameCreated(_Event, frozen=True):
    """The rules and the players. The seed is secret: `visible_to` removes it."""

    config: GameConfig
    names: tuple[str, ...]
    agent_ids: tuple[str | None, ...]
    branched_from: str | None = None
    """The game this one continues, and after how many of its events: `GAME@17`."""
    fairness: Fairness | None = None
    """What the seed was made of, if there was a commitment to it. Its secret is as secret as the seed."""


class RoundStarted(_Event, frozen=True):
    """A round begins."""

    round_index: int
    opener: int
    dice_counts: tuple[int, ...]
    palifico: bool


class DiceRolled(_Event, frozen=True):
    """A player's dice. Only that player may see them until they are revealed."""

    player_id: int
    dice: tuple[int, ...]
    seed_info: str | None = None
    """Where the dice came from (`seed/round/seat`); None if they were given instead of rolled."""


class SharedDiceRolled(_Event, frozen=True):
    """The dice on the table that belong to no player: everyone sees the open ones, no one the covered ones."""

    table_dice: tuple[int, ...]
    hidden_dice: tuple[int, ...] = ()
    seed_info: str | None = None
    """As in `DiceRolled`, with the first seat numbers that no player has."""


class BidPlaced(_Event, frozen=True):
    """A player bid."""

    player_id: int
    bid: Bid
    reasoning: str = ""


class LiarCalled(_Event, frozen=True):
    """A player claimed that the bid is false."""

    player_id: int
    reasoning: str = ""


class ExactCalled(_Event, frozen=True):
    """A player claimed that the bid is exactly right."""

    player_id: int
    reasoning: str = ""


class DiceRevealed(_Event, frozen=True):
    """All dice are shown: those of every seat, and those that belong to no player."""

    dice: Hands
    table_dice: tuple[int, ...] = ()
    hidden_dice: tuple[int, ...] = ()


class RoundEnded(_Event, frozen=True):
    """A round is over: who won, who lost, and how many dice counted."""

    winner: int
    loser: int
    last_bid: Bid
    match_count: int
    was_true: bool
    dice_counts: tuple[int, ...]
    """How many dice each seat has from now on."""


class GameEnded(_Event, frozen=True):
    """The game is over."""

    winner: int


class AgentFaulted(_Event, frozen=True):
    """A bot failed or misbehaved: what it did, and what was played instead."""

    player_id: int
    verdict: str
    detail: str
    fallback: str
    traceback: str = ""
    """Where in the bot's code it happened, in several lines, if that is known."""


Event = (
    GameCreated
    | RoundStarted
    | DiceRolled
    | SharedDiceRolled
    | BidPlaced
    | LiarCalled
    | ExactCalled
    | DiceRevealed
    | RoundEnded
    | GameEnded
    | AgentFaulted
)

MOVES = (BidPlaced, LiarCalled, ExactCalled)
"""The events in which a player makes a move."""


def action_of(move: BidPlaced | LiarCalled | ExactCalled) -> Action:
    """The action that a player took in this event, without its reasoning.

    >>> str(action_of(BidPlaced(0, Bid(3, 4)))), str(action_of(LiarCalled(1)))
    ('3x4', 'liar')
    """
    if isinstance(move, BidPlaced):
        return BidAction(move.bid)
    return CallLiarAction() if isinstance(move, LiarCalled) else CallExactAction()


SPECTATOR = -1
"""Stands for a seat in `visible_to` and `subscribe`: someone who only watches."""


def visible_to(event: Event, seat: int, *, revealed: bool = False) -> Event | None:
    """The event as this seat (or `SPECTATOR`) may see it, or None if it may not see it at all.

    Secret are other players' dice and covered dice (unless `revealed` says that the dice of the round are shown), the
    seed that all dice come from, and what bots say about their own decisions: a reasoning or an error message may give
    away dice.
    """
    if type(event) is DiceRolled:
        return DiceRolled(event.player_id, event.dice) if revealed or event.player_id == seat else None
    if type(event) is SharedDiceRolled:
        seen = SharedDiceRolled(event.table_dice, event.hidden_dice if revealed else ())
        return seen if seen.table_dice or seen.hidden_dice else None
    if type(event) is GameCreated:
        sealed = None if event.fairness is None else event.fairness.sealed
        return msgspec.structs.replace(event, config=event.config.without_seed, fairness=sealed)
    if isinstance(event, MOVES) and event.player_id != seat and event.reasoning:
        return msgspec.structs.replace(event, reasoning="")
    if type(event) is AgentFaulted and event.player_id != seat:
        return msgspec.structs.replace(event, detail="", traceback="")
    return event
