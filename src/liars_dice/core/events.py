"""What happens in a game, as a typed union of frozen payloads, and the one filter that keeps secrets."""

from __future__ import annotations

import msgspec

from .bid import Bid
from .config import GameConfig
from .state import Hands


class _Event(msgspec.Struct, frozen=True, gc=False, tag_field="event_type", tag=True, omit_defaults=True):
    pass


class GameCreated(_Event, frozen=True):
    """The rules and who plays. The seed in `config` belongs to the house: no player sees it."""

    config: GameConfig
    names: tuple[str, ...]
    agent_ids: tuple[str | None, ...]
    branched_from: str | None = None
    """The game and the number of its events that this one goes on from, as in `GAME@17`."""


class RoundStarted(_Event, frozen=True):
    """A round begins."""

    round_index: int
    opener: int
    dice_counts: tuple[int, ...]
    palifico: bool


class DiceRolled(_Event, frozen=True):
    """A player's dice: for that player's eyes, until they are revealed."""

    player_id: int
    dice: tuple[int, ...]
    seed_info: str | None = None
    """Where the dice came from (`seed/round/seat`); None if they were put down by hand."""


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
    """Everybody's dice."""

    dice: Hands


class RoundEnded(_Event, frozen=True):
    """Who won and lost a round, and why."""

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
    """A bot broke a rule of conduct; what was done about it."""

    player_id: int
    verdict: str
    detail: str
    fallback: str


Event = (
    GameCreated
    | RoundStarted
    | DiceRolled
    | BidPlaced
    | LiarCalled
    | ExactCalled
    | DiceRevealed
    | RoundEnded
    | GameEnded
    | AgentFaulted
)

MOVES = (BidPlaced, LiarCalled, ExactCalled)
"""What a player does in a turn."""

SPECTATOR = -1
"""The seat of somebody who only watches."""


def visible_to(event: Event, seat: int, *, revealed: bool = False) -> Event | None:
    """The event as this seat (or `SPECTATOR`) may see it, or None if not at all.

    Secret are other players' dice (until `revealed` says that those of the round lie open), the seed all dice follow
    from, and what bots say about their own decisions: a reasoning or an error message may speak of the dice in hand.
    """
    if type(event) is DiceRolled:
        return DiceRolled(event.player_id, event.dice) if revealed or event.player_id == seat else None
    if type(event) is GameCreated:
        return msgspec.structs.replace(event, config=event.config.without_seed)
    if isinstance(event, MOVES) and event.player_id != seat and event.reasoning:
        return msgspec.structs.replace(event, reasoning="")
    if type(event) is AgentFaulted and event.player_id != seat:
        return msgspec.structs.replace(event, detail="")
    return event
