"""The state of a game as plain, immutable data. New states come from `transition`."""

from __future__ import annotations

from typing import Literal

import msgspec

from .bid import Bid
from .config import GameConfig
from .rules import RoundRules

Status = Literal["BIDDING", "REVEAL", "ENDED"]
"""BIDDING: a player is to move. REVEAL: no dice are hidden; the next round can start. ENDED: the game is over."""

Hands = tuple[tuple[int, ...], ...]
"""The dice of every seat; a seat that is out has none."""

CallKind = Literal["liar", "exact"]


class RoundResolution(msgspec.Struct, frozen=True, gc=False):
    """How a round ended, with everything that was hidden."""

    round_index: int
    opener: int
    palifico: bool
    bids: tuple[Bid, ...]
    """All bids of the round; the last is the one that was called."""
    call: CallKind
    caller: int
    bidder: int
    match_count: int
    """How many dice counted for the last bid."""
    winner: int
    loser: int
    dice: Hands
    """The revealed dice of every seat."""
    table_dice: tuple[int, ...] = ()
    """The dice that lay open on the table."""
    hidden_dice: tuple[int, ...] = ()
    """The dice that lay covered on the table."""

    @property
    def last_bid(self) -> Bid:
        """The bid that was called."""
        return self.bids[-1]

    @property
    def was_true(self) -> bool:
        """Whether at least as many dice counted as the bid claimed."""
        return self.match_count >= self.bids[-1].quantity

    @property
    def dice_counts(self) -> tuple[int, ...]:
        """How many dice each seat had in this round."""
        return tuple(map(len, self.dice))

    @property
    def bidders(self) -> tuple[int, ...]:
        """Who made each bid."""
        return bidders(self.opener, self.dice_counts, len(self.bids))

    def __repr__(self) -> str:
        moves = " ".join([*map(str, self.bids), self.call])
        return (
            f"<RoundResolution: round {self.round_index + 1}: {moves}; {self.match_count} counted; "
            f"seat {self.winner} won, seat {self.loser} lost>"
        )


class PublicState(msgspec.Struct, frozen=True, gc=False):
    """What everyone at the table knows."""

    rules: RoundRules
    """The rules of the current round."""
    names: tuple[str, ...]
    dice_counts: tuple[int, ...]
    """How many dice each seat has; after a round, how many it will have in the next."""
    opener: int
    current_player: int
    """The seat that is to move; when no one is, the seat that moved last."""
    bid_history: tuple[Bid, ...]
    """This round's bids."""
    rung: int
    """The rung of the last bid; -1 before the first."""
    status: Status
    resolutions: tuple[RoundResolution, ...]
    """How each finished round ended."""
    table_dice: tuple[int, ...] = ()
    """The dice that lie open on the table in this round, if the rules have any."""

    @property
    def config(self) -> GameConfig:
        """The rules of the game, without its seed."""
        return self.rules.config

    @property
    def palifico(self) -> bool:
        """Whether this is a palifico round."""
        return self.rules.palifico

    @property
    def total_dice(self) -> int:
        """How many dice are in play: those of all seats, and those that belong to no player."""
        return self.rules.config.in_play(self.dice_counts)

    @property
    def last_bid(self) -> Bid | None:
        """The bid to beat or to call, if there is one."""
        return self.bid_history[-1] if self.bid_history else None

    @property
    def round_index(self) -> int:
        """Counts rounds from 0; -1 before the first."""
        return len(self.resolutions) - (self.status != "BIDDING")

    @property
    def turn_index(self) -> int:
        """How many turns have been taken in this round."""
        return len(self.bid_history) + (self.status != "BIDDING" and self.rung >= 0)

    @property
    def bidders(self) -> tuple[int, ...]:
        """Who made each of this round's bids."""
        in_round = (
            self.dice_counts if self.status == "BIDDING" or not self.resolutions else self.resolutions[-1].dice_counts
        )
        return bidders(self.opener, in_round, len(self.bid_history))

    @property
    def winner(self) -> int | None:
        """Who won the game: in every mode, the winner of its last round (rule 6.6)."""
        return self.resolutions[-1].winner if self.status == "ENDED" else None

    @property
    def loser(self) -> int | None:
        """Who lost the round that ended the game."""
        return self.resolutions[-1].loser if self.status == "ENDED" else None

    @property
    def moment(self) -> str:
        """Where the game stands, in a few words: `round 2, ann to answer 3x4`."""
        if self.status == "ENDED":
            return f"{self.names[self.resolutions[-1].winner]} won after {plural(len(self.resolutions), 'round')}"
        if self.status == "REVEAL":
            return f"before round {len(self.resolutions) + 1}"
        to_do = f"to answer {self.bid_history[-1]}" if self.bid_history else "to open"
        return f"round {len(self.resolutions) + 1}, {self.names[self.current_player]} {to_do}"

    def __repr__(self) -> str:
        seats = (f"{name} {plural(n, 'die', 'dice')}" for name, n in zip(self.names, self.dice_counts, strict=True))
        return f"<PublicState: {self.moment}; {', '.join(seats)}>"


class PlayerState(msgspec.Struct, frozen=True, gc=False):
    """One seat with its hidden dice."""

    player_id: int
    num_dice: int
    private_dice: tuple[int, ...]
    agent_id: str | None
    """What plays this seat, for the record."""


class GameState(msgspec.Struct, frozen=True, gc=False):
    """Everything about a game except the seed of its dice."""

    public: PublicState
    hands: Hands
    """Every seat's dice: secret while the status is BIDDING. Empty before the first round."""
    agent_ids: tuple[str | None, ...]
    hidden_dice: tuple[int, ...] = ()
    """The dice that lie covered on the table: secret while the status is BIDDING."""

    @property
    def config(self) -> GameConfig:
        """The rules of the game, without its seed."""
        return self.public.rules.config

    @property
    def players(self) -> tuple[PlayerState, ...]:
        """Each seat."""
        hands = self.hands or ((),) * len(self.agent_ids)
        return tuple(
            PlayerState(seat, n, hand, agent_id)
            for seat, (n, hand, agent_id) in enumerate(zip(self.public.dice_counts, hands, self.agent_ids, strict=True))
        )

    def __repr__(self) -> str:
        hands = self.hands or ((),) * len(self.agent_ids)
        seats = (
            f"{name} {','.join(map(str, hand)) or '-'}" for name, hand in zip(self.public.names, hands, strict=True)
        )
        shared = (
            f" | {what} {','.join(map(str, dice))}"
            for what, dice in (("table", self.public.table_dice), ("hidden", self.hidden_dice))
            if dice
        )
        return f"<GameState: {self.public.moment}; {' | '.join(seats)}{''.join(shared)}>"


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 die`, `2 dice`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def seats_from(opener: int, dice_counts: tuple[int, ...]) -> list[int]:
    """The seats with dice in the order in which they move, `opener` first."""
    seats = [*range(opener, len(dice_counts)), *range(opener)]
    return [seat for seat in seats if dice_counts[seat]]


def bidders(opener: int, dice_counts: tuple[int, ...], n_bids: int) -> tuple[int, ...]:
    """Who made each of a round's bids."""
    order = seats_from(opener, dice_counts)
    return tuple(order[i % len(order)] for i in range(n_bids))
