"""What clients are told about a room: the messages and views made from its state, each as one seat may see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..core import MOVES, SPECTATOR, BidAction, Fairness, GameCreated, view_of, visible_to
from ..persistence import RecordedEvent, visible_events
from .messages import Json, RoomView, SeatView, encode_json
from .room_bots import STAND_IN, STAND_IN_TYPE
from .socket_messages import EventNote, Over, OwnDice, Seats, Turn, Welcome, encode

if TYPE_CHECKING:
    from .room import Room


def event_json(sealed: RecordedEvent, players: Sequence[str | None]) -> Json:
    """An event as clients get it: its number, its type and its fields; in a game of these players (`agent_ids`).

    A move that a bot made for a player who was away, or whose time was up, has `stand_in`.
    """
    payload: Json = msgspec.to_builtins(sealed.payload)
    kind = payload.pop("event_type")
    note: Json = {"n": sealed.version, "type": kind, **payload}
    if isinstance(sealed.payload, GameCreated):
        note["game_id"] = sealed.game_id
    if isinstance(sealed.payload, MOVES) and was_stand_in(sealed.player_type, players[sealed.payload.player_id]):
        note["stand_in"] = STAND_IN
    return note


def was_stand_in(player_type: str | None, player: str | None) -> bool:
    """Whether a move recorded with this player type was not made by the person or network bot of the seat."""
    kind = (player or "").partition(":")[0]
    return (kind, player_type) in (("human", STAND_IN_TYPE), ("remote", STAND_IN_TYPE))


def players_of(record: Sequence[RecordedEvent]) -> tuple[str | None, ...]:
    """Who sits where, as the beginning of this record says it."""
    created = record[0].payload
    assert isinstance(created, GameCreated)
    return created.agent_ids


def seat_views(room: Room) -> list[SeatView]:
    """The public view of every seat."""
    counts = room.doc.config.dice if room.doc.game_id is None else room.state.public.dice_counts
    stand_ins = room.presence.stand_ins
    return [
        SeatView(
            n,
            seat.name,
            seat.kind,
            seat.agent,
            room.is_here(n),
            counts[n],
            STAND_IN if n in stand_ins or seat.left else None,
            seat.left,
            seat.ready,
        )
        for n, seat in enumerate(room.doc.seats)
    ]


def room_view(room: Room) -> RoomView:
    """The public view of a room."""
    doc = room.doc
    return RoomView(
        doc.id,
        doc.status,
        msgspec.to_builtins(doc.config.without_seed),
        seat_views(room),
        doc.game_id,
        room.presence.spectators,
        doc.practice,
        doc.delay_ms,
        room.turn,
        None if doc.game_id is None else room.state.public.winner,
        room.ended,
        shown_fairness(doc.committed, over=room.ended is not None),
        doc.host,
        doc.invite is not None,
        doc.turn_limit,
        doc.help,
        doc.ready_check,
        sorted(room.rematch),
        next_commitment(room),
        doc.chat,
    )


def next_commitment(room: Room) -> str | None:
    """The commitment to the dice of the next game in this room."""
    return None if room.doc.next_fairness is None else room.doc.next_fairness.commitment


def shown_fairness(fairness: Fairness | None, *, over: bool) -> Fairness | None:
    """What clients may know of how the seed was made: the secret only when the game is over."""
    return fairness if fairness is None or over else fairness.sealed


def seats_message(room: Room, *, seated: bool) -> bytes:
    """Who sits where and is here, for the players (`seated`) or for spectators, who are not told the invitation."""
    doc = room.doc
    closed, wanted = doc.invite is not None, sorted(room.rematch)
    invite = doc.invite if seated else None
    there = room.presence.spectators
    return encode(Seats(seat_views(room), doc.status, there, closed, wanted, next_commitment(room), doc.host, invite))


def turn_message(room: Room, seat: int) -> bytes | None:
    """Whose turn it is, for this seat; None if no one is to move."""
    if room.doc.status != "playing" or room.state.public.status != "BIDDING":
        return None
    player = room.state.public.current_player
    wait = room.seconds_until_stand_in(player)
    deadline = None if wait is None else round(max(wait, 0.0), 1)
    if player != seat:
        return encode(Turn(room.turn, player, deadline_s=deadline))
    view = view_of(room.state, player)
    rungs = view.public.rules.rungs
    bids = [action.bid for action in view.legal_actions if isinstance(action, BidAction)]
    calls: list[Any] = [str(action) for action in view.legal_actions if not isinstance(action, BidAction)]
    pairs = [(bid.quantity, bid.face) for bid in bids]
    return encode(Turn(room.turn, player, [rungs[bid] for bid in bids], pairs, calls, deadline))


def over_message(room: Room) -> bytes | None:
    """How the game ended, if it has."""
    ended = room.ended
    if ended is None or room.doc.game_id is None:
        return None
    return encode(Over(room.state.public.winner, room.doc.game_id, ended, room.doc.fairness))


def news_messages(room: Room, news: Sequence[RecordedEvent], seat: int) -> Iterable[bytes]:
    """New events as this seat may see them, then whose turn it is or how the game ended."""
    players = players_of(room.record)
    for sealed in news:
        seen = visible_to(sealed.payload, seat)
        if seen is not None:
            note = event_json(msgspec.structs.replace(sealed, payload=seen), players)
            yield encode(EventNote(sealed.version, note))
    yield from _where_it_stands(room, seat)


def encoded_events(record: Sequence[RecordedEvent], seat: int, start: int) -> list[bytes | None]:
    """Each event from `start` on as this seat gets it, as JSON; None for those it may not see."""
    found: list[bytes | None] = [None] * (len(record) - start)
    for event in visible_events(record, seat):
        if event.version >= start:
            found[event.version - start] = encode_json(event_json(event, players_of(record)))
    return found


def welcome_messages(room: Room, seat: int, start: int, game_id: str | None) -> Iterable[bytes]:
    """The state of the room for a client that has the events of this game before `start`."""
    another_game = game_id is not None and game_id != room.doc.game_id
    if another_game or start > len(room.record):
        start = 0
    seated = seat != SPECTATOR
    you = OwnDice(_dice_of(room, seat)) if seated else None
    events, invite = room.events_for(seat, start), room.doc.invite if seated else None
    yield encode(Welcome(room.view(), seat if seated else None, events, you, room.doc.game_id, start, invite))
    yield from _where_it_stands(room, seat)


def _where_it_stands(room: Room, seat: int) -> Iterable[bytes]:
    for message in (turn_message(room, seat), over_message(room)):
        if message is not None:
            yield message


def _dice_of(room: Room, seat: int) -> tuple[int, ...]:
    return () if room.doc.game_id is None else view_of(room.state, seat).my_dice
