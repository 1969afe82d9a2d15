"""The limits of the server: sizes, rates, counts and waiting times."""

from __future__ import annotations

import msgspec

from ..referee import BotLimits


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much clients may ask of the studio."""

    message_bytes: int = 65_536
    """The longest message or request body."""
    messages_per_s: float = 20.0
    """On one socket."""
    message_burst: int = 60
    requests_per_s: float = 100.0
    """Requests below /api, and new sockets, from one address."""
    request_burst: int = 400
    cost_per_s: float = 0.03
    """Seconds of processor time that one address may use per second, on average."""
    cost_burst_s: float = 0.3
    """The same at once."""
    behind_s: float = 0.05
    """How far the event loop may be behind, for an address that has used nothing; the more it has used, the less.
    While the loop is further behind, only moves are accepted."""
    in_line: int = 20
    """How many requests that are no moves may wait for their turn; for addresses that have used much, fewer."""
    refusal_pause_s: float = 1.0
    """How long at least a request waits to hear that there were too many, and at most three times as long."""
    refusals_per_address: int = 200
    """Requests of one address that may wait so. Beyond them, the answer comes at once, and ends the connection."""
    bot_moves_per_s: float = 500.0
    """Moves of the studio's own bots in all rooms together; where many rooms play fast, each plays slower."""
    new_rooms_per_s: float = 1.0
    """New rooms from one address."""
    new_room_burst: int = 200
    rooms: int = 5_000
    """Rooms that are waiting or playing. When the limit is reached, rooms that are not in memory do not count."""
    waiting_s: float = 86_400.0
    """How long a waiting room, or one person's game against bots, stays listed after everyone has left."""
    company_s: float = 30 * 86_400.0
    """The same for games of several people."""
    sockets: int = 5_000
    """Open sockets. A fifth of them is reserved for players with a seat."""
    sockets_per_address: int = 1_000
    spectators: int = 100
    """In one room."""
    queue: int = 256
    """Messages that may wait for a slow client."""
    queue_bytes: int = 1 << 20
    """The size of these messages together."""
    send_s: float = 10.0
    """How long sending a single message may take."""
    hello_s: float = 10.0
    """How long a new socket may stay silent, and how long a request's head or body may take to arrive."""
    questions: int = 16
    """Questions of one kind that may wait for the coach, and pieces of long work that may wait for a thread."""
    questions_per_address: int = 4
    """The same for one address."""
    away_s: float = 60.0
    """How long a player may be away before a bot plays for them."""
    linger_s: float = 120.0
    """How long a room without visitors stays in memory."""
    idle_s: float = 1_800.0
    """How long a room stays in memory after a player last did something in it, even while pages are open."""
    min_delay_s: float = 0.01
    """The shortest pause before a bot's move, so that spectators can keep up."""
    bots: BotLimits = BotLimits()
    """What each bot that the studio runs may use in a game."""
    sandboxes: int = 64
    """Bots from `--agents` that may play at the same time."""
    sandboxes_per_address: int = 16
    """The same in rooms that one address has opened."""
    sandboxes_per_room: int = 8
    max_delay_ms: int = 10_000
    total_dice: int = 150
    rungs: int = 3_000
    rounds: int = 99
    events: int = 20_000
    """A longer game ends without a winner."""
    undos: int = 200
    """Moves that can be taken back in one room."""
    poll_s: float = 30.0
    """The longest a request for the next question may wait."""
    listed: int = 100
    """Games or rooms in one answer."""
