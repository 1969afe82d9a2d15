"""A room and its seats as the store keeps them: names that can be shown, secrets that cannot be guessed."""

from __future__ import annotations

import secrets
from datetime import datetime
from hashlib import sha256

import msgspec

from ..core import GameConfig
from ..persistence import rules_name
from .messages import RoomLine, RoomStatus, SeatKind

ROOM_ID_LETTERS, ROOM_ID_LENGTH = "abcdefghijkmnpqrstuvwxyz23456789", 10
"""Nothing that is mistaken for something else when it is read out."""


class SeatDoc(msgspec.Struct):
    """A seat as the store keeps it."""

    kind: SeatKind
    name: str
    agent: str | None = None
    """What plays here; for a bot without one, a program somewhere else."""
    token: str | None = None
    """The hash of the secret of whoever sits here."""

    @property
    def recorded_id(self) -> str:
        """What the game's record says of who sits here: a bot's name, a person, a program elsewhere."""
        return self.agent or f"{'human' if self.kind == 'person' else 'remote'}:{self.name}"


class RoomDoc(msgspec.Struct):
    """A room as the store keeps it, beside its game."""

    id: str
    created_utc: datetime
    config: GameConfig
    seats: list[SeatDoc]
    practice: bool = False
    delay_ms: int = 600
    game_id: str | None = None
    """Set when the game begins."""
    over: bool = False
    undos: int = 0
    """How many moves were taken back."""
    visited_utc: datetime | None = None
    """When the room was last left, if it has been."""

    @property
    def last_visit(self) -> datetime:
        """When somebody was here for the last time, as far as the store knows."""
        return self.visited_utc or self.created_utc

    @property
    def solo(self) -> bool:
        """Whether no two people play here, or could."""
        return sum(seat.kind == "open" or seat.token is not None for seat in self.seats) < 2

    @property
    def private(self) -> bool:
        """Whether one person plays here alone with bots: nobody else is invited to look."""
        return self.solo and any(seat.kind == "person" for seat in self.seats)

    @property
    def status(self) -> RoomStatus:
        """Where the room stands."""
        return "over" if self.over else "waiting" if self.game_id is None else "playing"

    @property
    def line(self) -> RoomLine:
        """The room in the list of rooms."""
        names = [seat.name for seat in self.seats if seat.kind != "open"]
        return RoomLine(self.id, rules_name(self.config), names, len(self.seats) - len(names), self.status)


def clean_name(name: str) -> str:
    """A name as it can be shown: printable, on one line, not too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:24].strip()


def called(name: str, seat: int) -> str:
    """What whoever sits here is called. "You" is nobody's name: to everybody else it is somebody else's."""
    return f"Player {seat + 1}" if name.casefold() in ("", "you") else name


def hash_token(token: str) -> str:
    """What is kept of a secret."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A secret nobody could guess."""
    return secrets.token_urlsafe(24)


def new_room_id() -> str:
    """A name for a room that can be read out."""
    return "".join(secrets.choice(ROOM_ID_LETTERS) for _ in range(ROOM_ID_LENGTH))
