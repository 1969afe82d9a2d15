"""A room and its seats as they are stored, their names, and the tokens of seats."""

from __future__ import annotations

import secrets
from datetime import datetime
from hashlib import sha256

import msgspec

from ..core import Fairness, GameConfig
from ..persistence import DOCUMENT_SCHEMA, CorruptEventError, decode_document, rules_name
from .messages import RoomListItem, RoomStatus, SeatKind, SeatLeft
from .turn_clock import TurnLimit

ROOM_ID_LETTERS, ROOM_ID_LENGTH = "abcdefghijkmnpqrstuvwxyz23456789", 10
"""Without letters and digits that are easily confused when read aloud."""


class SeatDoc(msgspec.Struct):
    """A seat as it is stored."""

    kind: SeatKind
    name: str
    agent: str | None = None
    """The bot that plays here; None for people, and for bots that connect over the network."""
    token: str | None = None
    """The hash of the seat's token; None for the studio's own bots and open seats."""
    entropy: str = ""
    """What this player added to the dice, before the game."""
    left: SeatLeft = ""
    """Why a bot plays for this player from now on, if it does."""
    ready: bool = False
    """Whether this player is ready, in a room that asks."""
    place: str = ""
    """The hash of the address that took this seat, for a host who bans its player."""

    @property
    def recorded_id(self) -> str:
        """The player as the game's record names it: a bot, a person, or a bot on the network."""
        return self.agent or f"{'human' if self.kind == 'person' else 'remote'}:{self.name}"


class RoomDoc(msgspec.Struct):
    """A room as it is stored, beside its game."""

    id: str
    created_utc: datetime
    config: GameConfig
    seats: list[SeatDoc]
    practice: bool = False
    delay_ms: int = 600
    game_id: str | None = None
    """Set when the game starts."""
    over: bool = False
    undos: int = 0
    """How many moves were taken back."""
    visited_utc: datetime | None = None
    """When the room last left memory, if it has."""
    schema: int = DOCUMENT_SCHEMA
    fairness: Fairness | None = None
    """The secret that the dice come from and the commitment to it; None if the room was created with a seed."""
    hold: bool = False
    """Whether the game waits for a player to start it, even if no seat is open."""

    host: int | None = None
    """The seat of the player who set up the room, if it has one."""
    invite: str | None = None
    """If set, the room is closed: it is not listed, and only those who know this can watch it or take a seat."""
    turn_limit: TurnLimit | None = None
    """How long players may think; None: as long as they like."""
    help: bool = True
    """Whether players may ask for odds and hints."""
    ready_check: bool = False
    """Whether the game waits until every person is ready."""
    chat: bool = False
    """Whether players may write to each other."""
    banned: list[str] = []
    """Hashes of the addresses that may neither play nor watch here."""
    next_fairness: Fairness | None = None
    """The secret of the next game in this room and the commitment to it, which players see before they agree to it."""

    @property
    def last_visit(self) -> datetime:
        """When the room was last visited, as far as the store knows."""
        return self.visited_utc or self.created_utc

    @property
    def solo(self) -> bool:
        """Whether at most one person plays here, or could."""
        return sum(seat.kind == "open" or seat.token is not None for seat in self.seats) < 2

    @property
    def private(self) -> bool:
        """Whether the room is closed, or one person plays here alone with bots. Such rooms are not listed."""
        return self.invite is not None or (self.solo and any(seat.kind == "person" for seat in self.seats))

    @property
    def status(self) -> RoomStatus:
        """Whether the game is yet to start, under way or over."""
        return "over" if self.over else "waiting" if self.game_id is None else "playing"

    @property
    def starts_by_itself(self) -> bool:
        """Whether the game starts now, without anyone asking for it."""
        seated = all(seat.kind != "open" for seat in self.seats)
        ready = not self.ready_check or all(seat.ready for seat in self.seats if seat.kind == "person")
        return self.game_id is None and not self.hold and seated and ready

    @property
    def committed(self) -> Fairness | None:
        """The commitment, with what the players have added so far."""
        if self.fairness is None or self.game_id is not None:
            return self.fairness
        return msgspec.structs.replace(self.fairness, entropy=tuple(seat.entropy for seat in self.seats))

    @property
    def list_item(self) -> RoomListItem:
        """The room in the list of rooms."""
        names = [seat.name for seat in self.seats if seat.kind != "open"]
        return RoomListItem(self.id, rules_name(self.config), names, len(self.seats) - len(names), self.status)


def decode_room(room_id: str, text: str) -> RoomDoc:
    """A room as it was stored; one of `UNREADABLE` if the document is damaged, or from a later version."""
    doc = decode_document(text, RoomDoc, f"room {room_id}")
    times = [when for when in (doc.created_utc, doc.visited_utc) if when is not None]
    if doc.id != room_id or len(doc.seats) != doc.config.num_players or any(when.tzinfo is None for when in times):
        raise CorruptEventError(f"room {room_id}: the document is damaged (its parts do not fit together)")
    return doc


def one_line(text: str) -> str:
    """Text as it is shown to others: printable, on one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def clean_name(name: str) -> str:
    """The name as it is shown: printable, on one line, at most 24 characters."""
    return one_line(name)[:24].strip()


def display_name(name: str, seat: int) -> str:
    """The name of the player in this seat. No one can be called "You", which means someone else to every reader."""
    return f"Player {seat + 1}" if name.casefold() in ("", "you") else name


def hash_token(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def hash_address(room_id: str, address: str) -> str:
    """What is stored of an address, so that a host can ban it from this room; no one can look it up elsewhere."""
    return sha256(f"{room_id} {address}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def new_room_id() -> str:
    """A new name for a room, easy to read aloud."""
    return "".join(secrets.choice(ROOM_ID_LETTERS) for _ in range(ROOM_ID_LENGTH))
