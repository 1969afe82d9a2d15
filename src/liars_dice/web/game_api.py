"""The endpoints about recorded games: lists, records, reviews, puzzles, downloads, cards, and playing on.

Of a game that is not over, nothing here shows more than a spectator may know.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from io import BytesIO

import msgspec
from starlette.responses import Response

from ..core import (
    SPECTATOR,
    AgentFaulted,
    BadValueError,
    Event,
    GameConfig,
    GameCreated,
    GameEnded,
    format_game,
    free_name,
    new_commitment,
    visible_to,
    without_number,
)
from ..persistence import (
    GameRecorder,
    GameSummary,
    RecordedEvent,
    branch,
    decisions,
    final_state,
    summarise,
    visible_events,
    write_jsonl,
)
from . import messages as m
from .api_requests import ApiRequest, Studio
from .errors import ForbiddenError, NotFoundError, RoomError
from .game_list import Wanted
from .room import as_new_game, fairness_of, seated
from .room_bots import STAND_IN
from .room_document import RoomDoc, SeatDoc, clean_name, display_name, hash_token, new_room_id, new_token
from .room_messages import event_json, shown_fairness
from .rooms import Rooms
from .rules_form import public_rules

CARD_GAMES = 50
"""A player's card rests on at most this many games, the newest."""
KEPT_GAMES = 16
"""How many finished games are kept as they are sent. Their records do not change."""
CARD_AGE_S = 86_400
"""For how long a picture of a finished game may be cached by others."""


async def list_games(studio: Studio, request: ApiRequest) -> m.GameList:
    """Recorded games, newest first; with `after`, those older than that game.

    Games abandoned by an undo are left out. One answer looks at a limited number of games: `more` says where to go on.
    """
    query: m.GamesQuery = request.query
    wanted = Wanted.of(query)
    return await studio.rooms.store.browse(partial(studio.game_lister.page, query.limit, query.after, wanted))


async def show_game(studio: Studio, request: ApiRequest) -> msgspec.Raw:
    """A recorded game: all of it if it has a winner, otherwise what a spectator may know."""
    name = request.path["game"]
    known = studio.finished_games.pop(name, None)
    if known is None:
        events = await _events(studio, name)
        most = studio.rooms.limits.events
        known = await studio.rooms.load.of_length(len(events), partial(_game_record, events, most))
        if _winner(events) is None:
            return known
    studio.finished_games[name] = known
    if len(studio.finished_games) > KEPT_GAMES:
        studio.finished_games.popitem(last=False)
    return known


def _game_record(events: Sequence[RecordedEvent], most: int) -> msgspec.Raw:
    created = _created(events)
    winner = _winner(events)
    seen = visible_events(events, SPECTATOR) if winner is None else map(_laid_open, events)
    notes = [event_json(event, created.agent_ids) for event in seen]
    too_long = events[-1].version >= most
    ended: m.Ending | None = "won" if winner is not None else "too_long" if too_long else None
    names, finished = list(created.names), winner is not None
    fairness = shown_fairness(created.fairness, over=ended is not None)
    found = m.GameRecord(
        events[0].game_id, public_rules(created.config), names, notes, winner, finished, ended, fairness
    )
    return msgspec.Raw(m.encode_json(found))


async def _events(studio: Studio, game_id: str) -> list[RecordedEvent]:
    known = game_id.isprintable() and len(game_id) <= 200
    events = await studio.rooms.store.browse(lambda store: store.events(game_id)) if known else []
    if not events:
        raise NotFoundError(f"there is no game {game_id[:40]!r}")
    return events


async def finished_game(studio: Studio, game_id: str) -> list[RecordedEvent]:
    """The events of a game that has a winner."""
    events = await _events(studio, game_id)
    if _winner(events) is None:
        raise RoomError("this game is not over yet", code="game_not_over")
    return events


def _created(events: Sequence[RecordedEvent]) -> GameCreated:
    created = events[0].payload
    assert isinstance(created, GameCreated)
    return created


def _winner(events: Sequence[RecordedEvent]) -> int | None:
    last = next((e.payload for e in reversed(events) if isinstance(e.payload, GameEnded)), None)
    return None if last is None else last.winner


def _laid_open(event: RecordedEvent) -> RecordedEvent:
    """An event of a finished game with everything but the seed, which other games may share, and bots' code."""
    payload: Event = event.payload
    seen = visible_to(payload, getattr(payload, "player_id", SPECTATOR), revealed=True)
    assert seen is not None
    if isinstance(seen, AgentFaulted):
        seen = msgspec.structs.replace(seen, traceback="")
    return msgspec.structs.replace(event, payload=seen)


# -- the coach ---------------------------------------------------------------------------------------------------------


async def review_game(studio: Studio, request: ApiRequest) -> msgspec.Raw:
    """The coach's verdict on every move of a finished game."""
    known = studio.analysis.known_review(request.path["game"], request.query.seat)
    if known is not None:
        return await asyncio.shield(known)
    return await studio.analysis.review(await finished_game(studio, request.path["game"]), request.query.seat)


async def review_progress(studio: Studio, request: ApiRequest) -> m.ReviewProgress:
    """How far the coach is with a review that was asked for."""
    return studio.analysis.progress(request.path["game"], request.query.seat)


async def turn_again(studio: Studio, request: ApiRequest) -> msgspec.Raw:
    """One decision of a finished game as a puzzle: what its player saw, and what every action was worth."""
    turn = request.path["turn"]
    if not re.fullmatch("[0-9]{1,5}", turn):
        raise BadValueError("turn", turn[:40], "a whole number from 1")
    events = await finished_game(studio, request.path["game"])
    places = len(decisions(events))
    if not 1 <= int(turn) <= places:
        raise BadValueError("turn", turn, f"a turn from 1 to {places}")
    return await studio.analysis.turn_again(events, int(turn))


async def game_puzzles(studio: Studio, request: ApiRequest) -> msgspec.Raw:
    """The worst mistakes of one seat in a finished game, as puzzles."""
    query: m.SeatQuery = request.query
    events = await finished_game(studio, request.path["game"])
    return await studio.analysis.game_puzzles(events, query.seat)


async def daily_puzzles(studio: Studio, request: ApiRequest) -> msgspec.Raw:
    """The positions of a day, today's by default: the same for everybody, with exact answers."""
    return await studio.analysis.daily_puzzles(studio.rooms.clock.utc_now().date(), request.query.day)


# -- players -----------------------------------------------------------------------------------------------------------


async def known_of_player(studio: Studio, request: ApiRequest) -> m.PlayerCard:
    """What the others could know of one player after a finished game: from the rounds of that game alone."""
    events = await finished_game(studio, request.path["game"])
    game = summarise(events)
    if request.query.seat >= len(game.names):
        raise BadValueError("seat", request.query.seat, "a seat of this game")
    return await studio.analysis.card(game.names[request.query.seat], [(game, events)])


async def player_card(studio: Studio, request: ApiRequest) -> m.PlayerCard:
    """What anyone could know of a player by this name, from the newest finished games."""
    if not studio.player_cards:
        raise ForbiddenError("the host of this studio has switched off player cards", code="cards_off")
    name = request.query.name
    found = await studio.rooms.store.browse(partial(_finished_games, name))
    if not found:
        raise NotFoundError(f"no finished game here has a player called {name[:40]!r}")
    return await studio.analysis.card(name, found)


def _finished_games(name: str, store: GameRecorder) -> list[tuple[GameSummary, list[RecordedEvent]]]:
    """The newest finished games of players with this name. A type of bot is not a name."""
    games = [game for game in store.games(agent=name) if game.winner is not None and name in game.names]
    return [(game, store.intact_events(game.game_id)) for game in games[:CARD_GAMES]]


# -- files -------------------------------------------------------------------------------------------------------------


async def download_events(studio: Studio, request: ApiRequest) -> Response:
    """A finished game as JSON lines, which `liars-dice import` reads."""
    events = await finished_game(studio, request.path["game"])

    def written() -> bytes:
        file = BytesIO()
        write_jsonl(map(_laid_open, events), file)
        return file.getvalue()

    data = await studio.rooms.load.of_length(len(events), written)
    return _file(data, "application/jsonl", f"{events[0].game_id}.jsonl")


async def download_notation(studio: Studio, request: ApiRequest) -> Response:
    """A finished game in the notation of games: a line per round."""
    events = await finished_game(studio, request.path["game"])
    work = partial(lambda record: format_game(final_state(record)).encode(), events)
    data = await studio.rooms.load.of_length(len(events), work)
    return _file(data, "text/plain; charset=utf-8", f"{events[0].game_id}.txt")


def _file(data: bytes, media: str, name: str) -> Response:
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    headers = {"content-disposition": f'attachment; filename="{safe}"', "cache-control": "no-store"}
    return Response(data, 200, headers, media)


async def game_card(studio: Studio, request: ApiRequest) -> Response:
    """A picture of how a finished game ended, for links to it."""
    name = request.path["game"]
    data = await studio.analysis.known_game_card(name)
    if data is None:
        data = await studio.analysis.game_card(await finished_game(studio, name))
    return Response(data, 200, {"cache-control": f"public, max-age={CARD_AGE_S}"}, "image/png")


# -- playing on --------------------------------------------------------------------------------------------------------


async def branch_game(studio: Studio, request: ApiRequest) -> m.SeatGranted:
    """Continue a finished game from one of its turns, in a new practice room."""
    wish: m.BranchRequest = request.body
    rooms = studio.rooms
    events = await finished_game(studio, request.path["game"])
    places = decisions(events)
    if not 1 <= wish.turn <= len(places):
        raise BadValueError("turn", wish.turn, f"a turn from 1 to {len(places)}")
    created = _created(events)
    config = created.config
    rooms.check_rules(config)
    if wish.seat >= config.num_players:
        raise BadValueError("seat", wish.seat, f"a seat from 0 to {config.num_players - 1}")
    token = new_token()
    same = [_same_bot(rooms, player, config) for n, player in enumerate(created.agent_ids) if n != wish.seat]
    agents = iter([*wish.opponents, *same[len(wish.opponents) :]])
    seats: list[SeatDoc] = []
    names = [""] * config.num_players
    names[wish.seat] = display_name(rooms.check_name(wish.name), wish.seat)
    for n in range(config.num_players):
        if n == wish.seat:
            seats.append(SeatDoc("person", names[n], None, hash_token(token)))
            continue
        agent = rooms.check_agent(next(agents), config)
        names[n] = free_name(clean_name(agent) or "bot", names)
        seats.append(SeatDoc("bot", names[n], agent))
    fairness = new_commitment(("",) * len(seats))

    def begin_again() -> list[RecordedEvent]:
        _, past = branch(events, places[wish.turn - 1], seated(seats), names=names, fairness=fairness)
        return as_new_game(past, rooms.clock)

    past = await rooms.load.of_length(len(events), begin_again)
    doc = RoomDoc(
        new_room_id(),
        rooms.clock.utc_now(),
        config.without_seed,
        seats,
        True,
        min(wish.delay_ms, rooms.limits.max_delay_ms),
        past[0].game_id,
        fairness=fairness_of(past),
    )
    await rooms.create(doc, past)
    return m.SeatGranted(doc.id, wish.seat, token)


def _same_bot(rooms: Rooms, player: str | None, config: GameConfig) -> str:
    """The bot that played as this player in a recorded game, if it is still on offer; the stand-in for anyone else."""
    try:
        return rooms.check_agent(without_number(player or ""), config)
    except BadValueError:
        return STAND_IN
