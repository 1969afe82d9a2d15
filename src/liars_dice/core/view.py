"""What one player sees: public knowledge and its own dice, as data with no way back to the state."""

from __future__ import annotations

import msgspec

from .actions import Action
from .bid import Bid
from .config import GameConfig, Wild
from .errors import BadValueError
from .state import GameState, PublicState, RoundResolution, plural
from .transition import legal_actions


class PlayerInfo(msgspec.Struct, frozen=True, gc=False):
    """What everyone knows about a player."""

    player_id: int
    name: str
    num_dice: int
    is_me: bool


class RoundBid(msgspec.Struct, frozen=True, gc=False):
    """A bid and who made it."""

    player_id: int
    name: str
    bid: Bid


class GameView(msgspec.Struct, frozen=True, gc=False):
    """The game as one player may know it."""

    player_id: int
    """The seat whose view this is."""
    my_dice: tuple[int, ...]
    """This player's own dice in this round, sorted."""
    public: PublicState
    """What everyone at the table knows."""

    @property
    def config(self) -> GameConfig:
        """The rules of the game, without its seed."""
        return self.public.rules.config

    @property
    def name(self) -> str:
        """This player's name."""
        return self.public.names[self.player_id]

    @property
    def table_dice(self) -> tuple[int, ...]:
        """The dice that lie open on the table in this round, if the rules have any."""
        return self.public.table_dice

    @property
    def known_dice(self) -> tuple[int, ...]:
        """The dice this player sees: its own, and those that lie open on the table."""
        return self.my_dice + self.public.table_dice

    @property
    def unseen_dice(self) -> int:
        """How many dice in play this player does not see: the other players' dice, and covered dice on the table."""
        return self.public.rules.total_dice - len(self.my_dice) - len(self.public.table_dice)

    @property
    def players(self) -> tuple[PlayerInfo, ...]:
        """Every player in seat order."""
        public = self.public
        return tuple(
            PlayerInfo(seat, name, n, seat == self.player_id)
            for seat, (name, n) in enumerate(zip(public.names, public.dice_counts, strict=True))
        )

    @property
    def current_bid(self) -> Bid | None:
        """The bid to raise or to call; None if you open the round."""
        history = self.public.bid_history
        return history[-1] if history else None

    @property
    def round_bids(self) -> tuple[RoundBid, ...]:
        """This round's bids, each with its bidder."""
        public = self.public
        return tuple(
            RoundBid(seat, public.names[seat], bid)
            for seat, bid in zip(public.bidders, public.bid_history, strict=True)
        )

    @property
    def resolutions(self) -> tuple[RoundResolution, ...]:
        """How each finished round ended, with the dice that were revealed."""
        return self.public.resolutions

    @property
    def round_number(self) -> int:
        """The number of the round, counted from 1."""
        return self.public.round_index + 1

    @property
    def palifico(self) -> bool:
        """Whether this is a palifico round."""
        return self.public.rules.palifico

    @property
    def faces(self) -> int:
        """How many faces a die has."""
        return self.public.rules.config.faces

    @property
    def wild(self) -> Wild:
        """The wild rule of the game. In a palifico round nothing is wild: `wild_face` takes that into account."""
        return self.public.rules.config.wild

    @property
    def wild_face(self) -> int | None:
        """The face that counts as every other face in this round, if any."""
        return self.public.rules.wild_face

    @property
    def total_dice(self) -> int:
        """How many dice are in play in this round."""
        return self.public.rules.total_dice

    @property
    def other_dice(self) -> int:
        """How many dice the other players have together in this round."""
        return self.unseen_dice - self.public.rules.config.hidden_dice

    @property
    def is_my_turn(self) -> bool:
        """Whether this player is to move."""
        return self.public.status == "BIDDING" and self.public.current_player == self.player_id

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """What this player may do now: bids from the lowest up, then calls; empty when it is not its turn."""
        public = self.public
        return legal_actions(public) if public.current_player == self.player_id else ()

    def __repr__(self) -> str:
        dice = ",".join(map(str, self.my_dice)) or "no dice"
        others = plural(self.unseen_dice, "unseen die", "unseen dice")
        table = f" and {','.join(map(str, self.table_dice))} on the table" if self.table_dice else ""
        return f"<GameView of {self.name}: {dice}{table}; {self.public.moment}; {others}>"


def view_of(state: GameState, player_id: int) -> GameView:
    """What this player may know about a state."""
    if type(player_id) is not int or not 0 <= player_id < len(state.agent_ids):
        raise BadValueError("player_id", player_id, f"a seat from 0 to {len(state.agent_ids) - 1}")
    hand = state.hands[player_id] if state.hands else ()
    return GameView(player_id, hand, state.public)
