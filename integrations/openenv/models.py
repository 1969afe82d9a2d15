"""The actions and observations, as typed data."""

from typing import Literal

from pydantic import BaseModel, Field

from openenv.core.env_server.types import Action, Observation, State


class LiarsDiceAction(Action):
    """A move: a bid with its quantity and face, or a call."""

    kind: Literal["bid", "liar", "exact"] = Field(description="Bid, call the last bid a lie, or call it exactly right")
    quantity: int = Field(default=0, description="How many of all dice in play, in a bid")
    face: int = Field(default=0, description="The face they show, in a bid")


class PlayerDice(BaseModel):
    """A player, and how many dice it has."""

    name: str
    dice: int
    you: bool


class LegalBids(BaseModel):
    """The legal bids on one face: all quantities from the lowest to the highest."""

    face: int
    quantity_from: int
    quantity_to: int


class LiarsDiceObservation(Observation):
    """What the player may know: its own dice and what is public. `reward` is chosen in `reset`."""

    rules: list[str] = Field(default_factory=list, description="The rules in words; only after a reset")
    happened: list[str] = Field(default_factory=list, description="What happened since the last observation")
    your_dice: list[int] = Field(default_factory=list)
    players: list[PlayerDice] = Field(default_factory=list)
    round: int = 0
    current_bid: str | None = None
    legal_bids: list[LegalBids] = Field(default_factory=list)
    legal_calls: list[str] = Field(default_factory=list)
    problem: str = Field(default="", description="What was wrong with the last action; it may be corrected once")
    game_reward: float = Field(default=0.0, description="At the end: 1 for a win, -1 for a loss or a forfeit")
    value_lost: float | None = Field(
        default=None, description="The chance to win that the last move gave away; None if no exact value is known"
    )
    winner: str | None = None


class LiarsDiceState(State):
    """Where an episode stands. Neither the seed nor any dice are part of it."""

    mistakes: int = 0
    decisions: int = 0
    mean_value_lost: float = 0.0
